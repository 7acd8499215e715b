"""Files of no weight in git's own folder: there to be faster, never to be right, safe to delete.

No commit can bring them along, so what a clone finds there is its own. Where they cannot be read or
written, work goes on without them: nothing here raises.
"""

import hashlib
import mmap
import os
from contextlib import suppress
from pathlib import Path

from lumos_snap.git import Repository

_FOLDER = "lumos"


def place(repository: Repository, name: str) -> Path:
    """Where a file lies; each folder that a repository is seen from has its own."""
    mark = hashlib.sha256(os.fsencode(repository.prefix)).hexdigest()[:12]
    return repository.common / _FOLDER / (f"{name}-{mark}" if repository.prefix else name)


def held(repository: Repository, name: str) -> mmap.mmap | None:
    """What lies there, without reading it whole; nothing where nothing can be had."""
    with suppress(OSError, ValueError):  # an empty file cannot be mapped
        file = place(repository, name)
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
    return None


def hold(repository: Repository, name: str, content: bytes) -> bool:
    """Put a file there, whole or not at all; says whether that was possible.

    No lock is taken: of two that are written at once, either one is right, and a command that only
    looks must not stand in the way of one that writes.
    """
    if repository.work_tree is None:  # where others fetch from, nobody expects a file of ours
        return False
    file = place(repository, name)
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        try:
            with temporary.open("xb") as opened:
                opened.write(content)
            temporary.replace(file)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return True
    return False
