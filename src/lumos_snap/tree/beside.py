"""Files of no weight beside a tree: there to be faster, never to be right, safe to delete.

Where they cannot be read or written, work goes on without them: nothing here raises.
"""

import mmap
import os
from contextlib import suppress
from pathlib import Path

from lumos_snap.errors import LumosError
from lumos_snap.tree.forms import STATE


def held(root: Path, name: str) -> mmap.mmap | None:
    """What lies beside a tree, without reading it whole; nothing where nothing can be had."""
    with suppress(OSError, ValueError):  # an empty file cannot be mapped
        if (root / STATE).is_symlink():
            return None
        descriptor = os.open(root / STATE / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    return None


def hold(root: Path, name: str, content: bytes) -> bool:
    """Put a file beside a tree, whole or not at all; says whether that was possible.

    No lock is taken: of two that are written at once, either one is right, and a command that only
    looks must not stand in the way of one that writes.
    """
    from lumos_snap.tree import writing  # noqa: PLC0415 - most commands find what they need

    with suppress(OSError, LumosError):
        writing.refuse_repository(root)
        writing.make_state_folder(root, STATE)
        writing.ignore_state(root)
        writing.make_state_folder(root, writing.TEMPORARY)
        temporary = root / writing.TEMPORARY / f"{os.getpid()}-0{os.getpid()}"
        try:
            with temporary.open("xb") as file:
                file.write(content)
            temporary.replace(root / STATE / name)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return True
    return False
