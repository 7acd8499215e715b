"""Starting a server, and ending it."""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from tests.gms.dispatch import answer
from tests.gms.gms import Gms
from tests.gms.http_server import Server
from tests.gms.state import Wire

ACTOR = "urn:li:corpuser:lumos"


@contextmanager
def running(
    *,
    token: str | None = None,
    tokens: Mapping[str, str] | None = None,
    wire: Wire | None = None,
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    **options: Any,
) -> Iterator[Gms]:
    """A server on a free port of this machine, until the block ends.

    `token` is one that stands for the user `lumos`; with `tls`, the address begins with https;
    `options` are fields of `Wire`.
    """
    known = dict(tokens or {}) | ({token: ACTOR} if token else {})
    gms = Gms(wire=wire or Wire(**options), tokens=known)
    server = Server(port, partial(answer, gms), gms.wire.largest_body)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    gms.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield gms
    finally:
        server.shutdown()
        thread.join()
        server.end()
