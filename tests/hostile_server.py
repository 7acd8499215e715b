"""A server over a real socket that never ends, and answers more than a client may hold."""

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
"""The server closes after each answer and says so: else a client may send into a closed line."""


def endless_body(line: socket.socket) -> None:
    """A body without an end, as fast as it is read."""
    line.sendall(OK + b"\r\n[")
    while True:
        line.sendall(b"[]," * 20_000)


def endless_chunks(line: socket.socket) -> None:
    """The same in chunks."""
    line.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        line.sendall(b"ffff\r\n" + b" " * 0xFFFF + b"\r\n")


def gzip_bomb(line: socket.socket) -> None:
    """A megabyte that decompresses to a gigabyte."""
    packed = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    body = b"".join(packed.compress(b" " * 1_000_000) for _ in range(1_000)) + packed.flush()
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    line.sendall(OK + head + body)


def bomb_in_a_bomb(line: socket.socket) -> None:
    """The same, compressed twice."""
    body = gzip.compress(gzip.compress(b" " * 50_000_000))
    head = b"Content-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    line.sendall(OK + head + body)


def dense_json(line: socket.socket) -> None:
    """Fewer bytes than are too many, and millions of values."""
    body = b"[" + b"[]," * 5_000_000 + b"[]]"
    line.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def slow_body(line: socket.socket) -> None:
    """A byte now and then: never silent, and never over."""
    line.sendall(OK + b"Content-Length: 1000000\r\n\r\n")
    _drip(line, b" ")


def slow_headers(line: socket.socket) -> None:
    """The same, before the body."""
    line.sendall(OK + b"X-Slow: ")
    _drip(line, b"x")


def slow_status(line: socket.socket) -> None:
    """The same, before the headers."""
    _drip(line, b"HTTP/1.1 200 " + b"O" * 1_000)


def endless_continue(line: socket.socket) -> None:
    """One preliminary answer after the other."""
    while True:
        line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def silence(line: socket.socket) -> None:
    """Nothing at all."""
    time.sleep(600)
    line.close()


def many_headers(line: socket.socket) -> None:
    """Headers without an end."""
    line.sendall(OK)
    while True:
        line.sendall(b"X-A: b\r\n" * 1_000)


def long_header(line: socket.socket) -> None:
    """One header without an end."""
    line.sendall(OK + b"X-A: ")
    while True:
        line.sendall(b"x" * 60_000)


def short_body(line: socket.socket) -> None:
    """Less than was announced."""
    line.sendall(OK + b"Content-Length: 100\r\n\r\n[]")


def endless_trailer(line: socket.socket) -> None:
    """What follows the last chunk has no end."""
    line.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
    while True:
        line.sendall(b"X-A: b\r\n" * 1_000)


def _drip(line: socket.socket, some: bytes) -> None:
    while True:
        for one in some:
            line.sendall(bytes((one,)))
            time.sleep(0.05)


ENDLESS: tuple[Answer, ...] = (
    endless_body, endless_chunks, gzip_bomb, bomb_in_a_bomb, slow_body, slow_headers, slow_status,
    endless_continue, many_headers, long_header, short_body, endless_trailer,
)  # fmt: skip


@dataclass
class HostileServer:
    """What is answered, and what was asked."""

    url: str
    asked: list[bytes] = field(default_factory=list)


@contextmanager
def hostile(answer: Answer) -> Iterator[HostileServer]:
    """A server that answers every request in one way."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        found = HostileServer(f"http://{host}:{port}")
        threading.Thread(target=_accept, args=(listener, answer, found), daemon=True).start()
        yield found
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, answer: Answer, found: HostileServer) -> None:
    with suppress(OSError):
        while True:
            line, _ = listener.accept()
            threading.Thread(target=_answered, args=(line, answer, found), daemon=True).start()


def _answered(line: socket.socket, answer: Answer, found: HostileServer) -> None:
    with suppress(OSError), line:
        asked = b""
        while b"\r\n\r\n" not in asked:
            some = line.recv(65_536)
            if not some:
                return
            asked += some
        found.asked.append(asked)
        answer(line)


def redirect(target: str, status: int = 302) -> Answer:
    """An answer that sends elsewhere."""

    def answered(line: socket.socket) -> None:
        line.sendall(
            f"HTTP/1.1 {status} Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n"
            "Connection: close\r\n\r\n".encode()
        )

    return answered


def refusal(status: int, body: bytes) -> Answer:
    """An answer that says no, in these words."""

    def answered(line: socket.socket) -> None:
        head = f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nConnection: close\r\n"
        line.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    return answered
