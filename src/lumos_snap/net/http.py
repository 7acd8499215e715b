"""The body of an answer within a limit, which holds for what it is decompressed to."""

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
"""Both of what HTTP calls gzip and deflate."""
_PLAIN, _PACKED = ("", "identity"), ("gzip", "x-gzip", "deflate")


class TooLargeError(OSError):
    """An answer that is larger than any that is expected."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most / 1e6:.0f} MB")


class EncodingError(OSError):
    """An answer in an encoding that was not asked for, or not in the one that it states."""


def body(read: Callable[[int], bytes], most: int, encoding: str = "") -> bytes:
    """What a reader gives, decompressed; raises `TooLargeError` as soon as it is too much."""
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
    if not is_empty:  # an answer to HEAD, or one without a body, may name an encoding as well
        raise EncodingError("the answer ends before its compressed content does")
    return b""


class OverdueError(TimeoutError):
    """A request that was not over in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no complete answer within {seconds:.0f} s")


class Deadline:
    """Ends what is read from a socket when its time is over.

    The socket is shut down from another thread, so that it does not matter which library waits
    for it, or in which part of an answer.
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
            self._socket = None  # it may serve another request from now on
        if self.is_over and (kind is None or issubclass(kind, Exception)):
            raise OverdueError(self._seconds) from error

    def watch(self, one: socket.socket) -> None:
        """Name the socket that the request goes through."""
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
    with suppress(OSError, TypeError):  # it is closed already, or no socket of the system
        # Not the method of a TLS socket, which would take the connection apart under its reader.
        socket.socket.shutdown(one, socket.SHUT_RDWR)


class Limits(NamedTuple):
    """How long a request may take, and how large its answer may be."""

    silence: float = 20
    """Seconds without a byte."""
    seconds: float = 60
    """Seconds for the whole request."""
    most: int = 20_000_000
    """Bytes of the answer, decompressed."""


class Response(NamedTuple):
    """An answer, whatever its status; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing by itself."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Nowhere."""


def send(request: urllib.request.Request, limits: Limits) -> Response:
    """The answer to a request, through proxies as the machine is set up.

    Raises `OSError` or `http.client.HTTPException` where there is none within the limits.
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
    except urllib.error.HTTPError as refused:  # read like any other answer
        return refused


class _Watched(urllib.request.AbstractHTTPHandler):
    """Opens connections whose sockets a deadline may shut down."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, http_class: Any, req: Any, **args: Any) -> Any:
        """As the class above does, with a connection that names its socket."""
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
    """Of addresses that begin with http."""


class _Https(_Watched, urllib.request.HTTPSHandler):
    """Of addresses that begin with https."""
