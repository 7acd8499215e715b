"""HTTP requests with limits on time and on the decompressed size of the response."""

import functools
import http.client
import socket
import threading
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple

_AT_ONCE = 1 << 16
_EITHER = 32 + zlib.MAX_WBITS
"""Both formats of HTTP: gzip and deflate."""
_PLAIN, _PACKED = ("", "identity"), ("gzip", "x-gzip", "deflate")


class TooLargeError(OSError):
    """The response is larger than its limit."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most / 1e6:.0f} MB")


class EncodingError(OSError):
    """The response has an encoding that was not requested, or not the one that it declares."""


def body(read: Callable[[int], bytes], most: int, encoding: str = "") -> bytes:
    """Read and decompress a body; raises `TooLargeError` as soon as it exceeds the limit."""
    name = encoding.strip().lower()
    if name in _PLAIN:
        return _whole(read, most)
    if name not in _PACKED:
        raise EncodingError(f"the answer has the encoding {name[:40]!r}, which was not asked for")
    try:
        return _decompress(read, most)
    except zlib.error as exc:
        raise EncodingError(f"the answer is no {name}") from exc


def _whole(read: Callable[[int], bytes], most: int) -> bytes:
    found = bytearray()
    while some := read(_AT_ONCE):
        found += some
        if len(found) > most:
            raise TooLargeError(most)
    return bytes(found)


def _decompress(read: Callable[[int], bytes], most: int) -> bytes:
    engine, found, is_empty = zlib.decompressobj(_EITHER), bytearray(), True
    while some := read(_AT_ONCE):
        found += engine.decompress(some, most + 1 - len(found))
        if len(found) > most or engine.unconsumed_tail:
            raise TooLargeError(most)
        if engine.eof:
            return bytes(found)
        is_empty = False
    if not is_empty:  # responses without a body, as to HEAD, may declare an encoding
        raise EncodingError("the answer ends before its compressed content does")
    return b""


class OverdueError(TimeoutError):
    """The request exceeded its deadline."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no complete answer within {seconds:.0f} s")


class Deadline:
    """Aborts reads from a socket at a deadline.

    The socket is shut down from another thread, so that this works with any library and in any
    part of a response.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self.is_over = False

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None  # another request may reuse it
        if self.is_over and (kind is None or issubclass(kind, Exception)):
            raise OverdueError(self._seconds) from error

    def watch(self, one: socket.socket) -> None:
        """Set the socket of the request."""
        with self._lock:
            self._socket = one
            if self.is_over:
                _shut(one)

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            if self._socket is not None:
                _shut(self._socket)


def _shut(one: socket.socket) -> None:
    with suppress(OSError, TypeError):  # already closed, or not a system socket
        # Not the method of a TLS socket, which would unwrap the connection during a read.
        socket.socket.shutdown(one, socket.SHUT_RDWR)


class Limits(NamedTuple):
    """Limits on the time of a request and on the size of its response."""

    silence: float = 20
    """Maximum seconds without data."""
    seconds: float = 60
    """Maximum seconds for the whole request."""
    most: int = 20_000_000
    """Maximum bytes of the decompressed response."""


class Response(NamedTuple):
    """A response with any status; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Stay(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Return no new request."""


def send(request: urllib.request.Request, limits: Limits) -> Response:
    """Send a request through the configured proxies; the response.

    Raises `OSError` or `http.client.HTTPException` without a response within the limits.
    """
    with Deadline(limits.seconds) as deadline:
        opener = urllib.request.build_opener(_Stay, _Http(deadline), _Https(deadline))
        with _open(opener, request, limits.silence) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            encoding = headers.get("content-encoding", "")
            content = body(response.read, limits.most, encoding)
            if not encoding and getattr(response, "length", None):
                raise http.client.IncompleteRead(content, response.length)
            return Response(response.status, headers, content)


def _open(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, silence: float
) -> Any:
    try:
        return opener.open(request, timeout=silence)
    except urllib.error.HTTPError as refused:  # read like any other response
        return refused


class _Watched(urllib.request.AbstractHTTPHandler):
    """Opens connections whose sockets a deadline can shut down."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, http_class: Any, req: Any, **args: Any) -> Any:
        """Open a connection that registers its socket with the deadline."""
        return super().do_open(functools.partial(self._connection, http_class), req, **args)

    def _connection(self, cls: Any, *args: Any, **named: Any) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection = cls(*args, **named)
        connection.connect = functools.partial(  # type: ignore[method-assign]
            _connect, connection.connect, connection, self._deadline
        )
        return connection


def _connect(
    connect: Callable[[], None], connection: http.client.HTTPConnection, deadline: Deadline
) -> None:
    connect()
    if connection.sock is not None:
        deadline.watch(connection.sock)


class _Http(_Watched, urllib.request.HTTPHandler):
    """Handler for http addresses."""


class _Https(_Watched, urllib.request.HTTPSHandler):
    """Handler for https addresses."""
