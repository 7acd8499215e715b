"""The server on its socket: HTTP/1.1, connections that stay open, one packet for an answer."""

import contextlib
import socket
import socketserver
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from tests.gms.messages import Answer, Request

Ask = Callable[[Request], Answer | None]
_WITHOUT_BODY = (204, 304)


class Server(ThreadingHTTPServer):
    """Asks for an answer to each request; where there is none, the connection ends."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int, ask: Ask, largest: int) -> None:
        super().__init__(("127.0.0.1", port), _Connection)
        self.ask = ask
        self.largest = largest
        self.open: set[socket.socket] = set()

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer would look up a name
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def end(self) -> None:
        """Close the socket, and what is connected still."""
        self.server_close()
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave are no news; what else goes wrong is told by its answer."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        super().finish()

    def _answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if size > self.server.largest:
            self.close_connection = True
            self._send(Answer(413, b'{"error":"Payload Too Large"}'))
            return
        path, _, query = self.path.partition("?")
        answer = self.server.ask(
            Request(
                method=self.command,
                path=path.removeprefix("/api/gms"),
                query=_joined(query),
                headers={name.lower(): one for name, one in self.headers.items()},
                body=self.rfile.read(size),
                is_behind_front=path.startswith("/api/gms"),
            )
        )
        if answer is None:
            self._cut()
        else:
            self._send(answer)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815 - http.server calls them so

    def _send(self, answer: Answer) -> None:
        body = b"" if self.command == "HEAD" or answer.status in _WITHOUT_BODY else answer.body
        headers = {"Content-Type": answer.kind, "Content-Length": str(len(body)), **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} {self._phrase(answer.status)}"]
        lines += [f"{name}: {one}" for name, one in headers.items()]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        self.wfile.write(head + body[: answer.shown])
        if answer.shown is not None:
            self._cut()

    def _phrase(self, status: int) -> str:
        return self.responses[status][0] if status in self.responses else ""

    def _cut(self) -> None:
        """End the connection at once, with a reset."""
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is http.server's
        """Say nothing: what was asked is recorded."""


def _joined(query: str) -> dict[str, str]:
    """The parameters of a query; what stands there twice is joined by commas."""
    found: dict[str, str] = {}
    for name, one in parse_qsl(query, keep_blank_values=True):
        found[name] = f"{found[name]},{one}" if name in found else one
    return found
