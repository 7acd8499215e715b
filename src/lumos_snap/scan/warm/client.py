"""A scan that uses the Spark server of this user, where one runs and fits."""

import contextlib
import os
from collections.abc import Iterator

from lumos_snap.scan.warm import state
from lumos_snap.scan.warm.state import TOKEN, Server


@contextlib.contextmanager
def borrowed() -> Iterator[Server | None]:
    """The server, which does not end while it is in use; nothing where none runs or fits."""
    if not state.folder().exists():
        yield None
        return
    with contextlib.ExitStack() as stack:
        server = state.running()
        if server is not None and server.why_not() is None:
            is_open = stack.enter_context(state.lock("use", shared=True))
            if is_open and state.running() == server:
                state.note_use()
                stack.callback(state.note_use)
                stack.enter_context(_token(server.token))
                yield server
                return
        yield None


@contextlib.contextmanager
def _token(token: str) -> Iterator[None]:
    """The token in the environment, where Spark's client looks for it: never in an address."""
    before = os.environ.get(TOKEN)
    os.environ[TOKEN] = token
    try:
        yield
    finally:
        os.environ.pop(TOKEN)
        if before is not None:
            os.environ[TOKEN] = before
