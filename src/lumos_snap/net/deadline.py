"""A deadline for a whole request: a timeout of a socket starts anew with each byte that arrives."""

import socket
import threading
from contextlib import suppress
from types import TracebackType


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
