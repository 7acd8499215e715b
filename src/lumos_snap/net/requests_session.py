"""Requests of the `requests` library within limits, for clients of others that are built on it."""

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
    """A server that sends elsewhere: neither a token nor what is written follows it."""

    def __init__(self, address: str) -> None:
        super().__init__("the server redirects to another address")
        self.address = address


class LargeError(requests.RequestException):
    """An answer that is larger than any that is expected."""


def limit_session(session: requests.Session, limits: Limits) -> None:
    """Put limits on all that is asked through a session; else its settings stay as they are."""
    for scheme in ("http://", "https://"):
        adapter = session.get_adapter(scheme)
        assert isinstance(adapter, HTTPAdapter)  # noqa: S101 - as `requests` mounts it
        session.mount(scheme, _Bounded(adapter, limits))
    session.headers["Accept-Encoding"] = _ENCODINGS  # what `body` decompresses


class _Bounded(BaseAdapter):
    """Reads each answer before it is handed on."""

    def __init__(self, inner: HTTPAdapter, limits: Limits) -> None:
        super().__init__()
        self._inner, self._limits = inner, limits
        inner.poolmanager.pool_classes_by_scheme = _POOLS
        inner.proxy_manager_for = _watch_proxies(inner.proxy_manager_for)  # type: ignore[method-assign]

    def send(self, request: requests.PreparedRequest, *_args: Any, **named: Any) -> Any:
        """The answer, read whole."""
        named["stream"] = True
        try:
            with Deadline(self._limits.seconds) as deadline:
                _current.deadline = deadline
                response = self._inner.send(request, **named)
                with closing(response):  # keeps a connection that was read to its end
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
    # What `requests` itself sets once it has read an answer: nothing decompresses it again.
    response._content = body(lambda size: read(size, decode_content=False), most, encoding)  # noqa: SLF001
    response._content_consumed = True  # noqa: SLF001


class _Watched(HTTPConnection):
    """A connection whose socket the deadline of the present request may shut down."""

    def connect(self) -> None:
        """Connect, and name the socket."""
        super().connect()
        _watch(self)

    def putrequest(self, *args: Any, **named: Any) -> None:
        """Begin a request, maybe through a socket that served another one before."""
        _watch(self)
        super().putrequest(*args, **named)


def _watch(connection: HTTPConnection) -> None:
    if connection.sock is not None:
        _current.deadline.watch(connection.sock)


class _WatchedTls(_Watched, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTls


_POOLS = {"http": _Pool, "https": _TlsPool}
