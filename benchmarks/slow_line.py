"""A line to a server on which every request takes longer, and which counts them."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_END_OF_HEAD = b"\r\n\r\n"  # requests that only read have no body


@dataclass
class Line:
    """What went over the line."""

    server: tuple[str, int]
    delay: float
    """Seconds that every request waits before it is passed on."""
    address: str = ""
    requests: int = 0
    open: int = 0
    """Requests that wait for their answer."""
    most: int = 0
    """How many of them there were at once."""


@contextmanager
def slow(server: str, delay: float) -> Iterator[Line]:
    """The line, while the context lasts; it runs in a thread of its own."""
    host, _, port = server.rpartition(":")
    line = Line((host, int(port)), delay)
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(
        loop.create_server(lambda: _Client(line, loop), "127.0.0.1", 0, backlog=1_000)
    )
    line.address = f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()


class _Client(asyncio.Protocol):
    """Somebody who asks."""

    def __init__(self, line: Line, loop: asyncio.AbstractEventLoop) -> None:
        self._line = line
        self._loop = loop
        self._asked = b""
        self._server = asyncio.Future[asyncio.Transport](loop=loop)
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._client = transport
        self._connecting = self._loop.create_task(self._connect())

    async def _connect(self) -> None:
        server, _ = await self._loop.create_connection(lambda: _Server(self), *self._line.server)
        self._server.set_result(server)

    def data_received(self, data: bytes) -> None:
        self._asked += data
        if self._asked.endswith(_END_OF_HEAD):
            request, self._asked = self._asked, b""
            self._line.requests += 1
            self._line.open += 1
            self._line.most = max(self._line.most, self._line.open)
            self._loop.call_later(self._line.delay, self._pass_on, request)

    def _pass_on(self, request: bytes) -> None:
        self._server.add_done_callback(lambda found: found.result().write(request))
        self._is_answered = False

    def answered(self, data: bytes) -> None:
        """Give back what the server says; its first bytes answer the request."""
        if not self._is_answered:
            self._is_answered = True
            self._line.open -= 1
        self._client.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._server.add_done_callback(lambda found: found.result().close())

    def left(self) -> None:
        """The server has hung up."""
        self._client.close()


class _Server(asyncio.Protocol):
    """Who answers."""

    def __init__(self, client: _Client) -> None:
        self._client = client

    def data_received(self, data: bytes) -> None:
        self._client.answered(data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._client.left()
