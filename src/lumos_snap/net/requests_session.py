"""Limits for the `requests` library, for third-party clients that use it."""

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urljoin

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from lumos_snap.net.http import Deadline, Limits, TooLargeError, body

_ENCODINGS = "gzip, deflate"
_current = threading.local()


class RedirectedError(requests.RequestException):
    """The server redirects; neither tokens nor data follow."""

    def __init__(self, address: str) -> None:
        super().__init__("the server redirects to another address")
        self.address = address


class LargeError(requests.RequestException):
    """The response is larger than its limit."""


def limit_session(session: requests.Session, limits: Limits) -> None:
    """Apply limits to all requests of a session; its other settings are kept."""
    for scheme in ("http://", "https://"):
        adapter = session.get_adapter(scheme)
        assert isinstance(adapter, HTTPAdapter)  # noqa: S101 - as `requests` mounts it
        session.mount(scheme, _Bounded(adapter, limits))
    session.headers["Accept-Encoding"] = _ENCODINGS  # supported by `body`


class _Bounded(BaseAdapter):
    """Adapter that reads each response within the limits."""

    def __init__(self, inner: HTTPAdapter, limits: Limits) -> None:
        super().__init__()
        self._inner, self._limits = inner, limits
        inner.poolmanager.pool_classes_by_scheme = _POOLS
        inner.proxy_manager_for = _watch_proxies(inner.proxy_manager_for)  # type: ignore[method-assign]

    def send(self, request: requests.PreparedRequest, *_args: Any, **named: Any) -> Any:
        """Send a request and read the whole response."""
        named["stream"] = True
        try:
            with Deadline(self._limits.seconds) as deadline:
                _current.deadline = deadline
                response = self._inner.send(request, **named)
                with closing(response):  # a connection that was read to the end stays open
                    _read(response, self._limits.most)
        except TooLargeError as exc:
            raise LargeError(exc, request=request) from exc
        except requests.RequestException:
            raise
        except (OSError, HTTPError) as exc:
            raise requests.ConnectionError(exc, request=request) from exc
        return response

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


def _watch_proxies(proxies: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **named: Any) -> Any:
        found = proxies(*args, **named)
        found.pool_classes_by_scheme = _POOLS
        return found

    return watched


def _read(response: requests.Response, most: int) -> None:
    if response.is_redirect:
        raise RedirectedError(urljoin(response.url, response.headers["Location"]))
    read, encoding = response.raw.read, response.headers.get("Content-Encoding", "")
    # As `requests` does after reading a response, so that it is not decompressed again.
    response._content = body(lambda size: read(size, decode_content=False), most, encoding)  # noqa: SLF001
    response._content_consumed = True  # noqa: SLF001


class _Watched(HTTPConnection):
    """A connection whose socket the deadline of the current request can shut down."""

    def connect(self) -> None:
        """Connect, and register the socket."""
        super().connect()
        _watch(self)

    def putrequest(self, *args: Any, **named: Any) -> None:
        """Start a request, possibly on a reused socket."""
        _watch(self)
        super().putrequest(*args, **named)


def _watch(connection: HTTPConnection) -> None:
    if connection.sock is not None:
        _current.deadline.watch(connection.sock)


class _WatchedTls(_Watched, HTTPSConnection):
    """The same with TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTls


_POOLS = {"http": _Pool, "https": _TlsPool}
