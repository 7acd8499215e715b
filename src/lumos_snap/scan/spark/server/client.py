"""Connects a scan to this user's Spark server, if one runs and fits."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator

from lumos_snap.scan.spark.server import state
from lumos_snap.scan.spark.server.state import TOKEN, WarmServer

_PATIENCE = 2  # seconds
_ATTEMPTS, _PAUSE = 10, 0.02  # seconds
_changing = threading.Lock()
_users: list[str | None] = []
"""The previous token for each session that uses the server; threads share the environment."""


@contextlib.contextmanager
def warm_server() -> Iterator[WarmServer | None]:
    """Yield the server, which does not end while in use; None if none runs or fits."""
    with contextlib.ExitStack() as stack:
        server = state.find_running_server()
        fits = server is not None and server.why_not() is None and _hold_server(stack)
        if (
            server is None
            or not fits
            or state.find_running_server() != server
            or not _is_listening(server)
        ):
            yield None
            return
        state.note_use()
        stack.callback(state.note_use)
        stack.enter_context(_set_token(server.token))
        yield server


def _hold_server(stack: contextlib.ExitStack) -> bool:
    """Whether the server was kept from ending; `lumos spark status` locks it for an instant."""
    with contextlib.suppress(OSError):
        for _ in range(_ATTEMPTS):
            with contextlib.ExitStack() as attempt:
                if attempt.enter_context(state.lock("use", shared=True)):
                    stack.push(attempt.pop_all())
                    return True
            time.sleep(_PAUSE)
    return False


def _is_listening(server: WarmServer) -> bool:
    """Whether its Java answers: Spark's client would wait much longer to find out."""
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=_PATIENCE):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def _set_token(token: str) -> Iterator[None]:
    """Put the token into the environment, where Spark's client looks for it; never into a URL."""
    with _changing:
        _users.append(os.environ.get(TOKEN) if not _users else _users[0])
        os.environ[TOKEN] = token
    try:
        yield
    finally:
        with _changing:
            before = _users.pop()
            if not _users:
                os.environ.pop(TOKEN, None)
                if before is not None:
                    os.environ[TOKEN] = before
