"""Requests of urllib within limits: what comes back is read whole, or it is an error.

Redirects are answers like any other: a token, or an address that is a secret, must not travel to
another host. Headers are bounded by Python: 100 of them, of 64 KiB each.
"""

import functools
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, NamedTuple

from lumos_snap.net.body import body
from lumos_snap.net.deadline import Deadline


class Limits(NamedTuple):
    """How long a request may take, and how large its answer may be."""

    silence: float = 20
    """Seconds without a byte."""
    seconds: float = 60
    """Seconds for the whole request."""
    most: int = 20_000_000
    """Bytes of the answer, decompressed."""


class Received(NamedTuple):
    """An answer, whatever its status; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing by itself."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Nowhere."""


def send(request: urllib.request.Request, limits: Limits) -> Received:
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
            return Received(response.status, headers, content)


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
            _connected, connection.connect, connection, self._deadline
        )
        return connection


def _connected(
    connect: Callable[[], None], connection: http.client.HTTPConnection, deadline: Deadline
) -> None:
    connect()
    if connection.sock is not None:
        deadline.watch(connection.sock)


class _Http(_Watched, urllib.request.HTTPHandler):
    """Of addresses that begin with http."""


class _Https(_Watched, urllib.request.HTTPSHandler):
    """Of addresses that begin with https."""
