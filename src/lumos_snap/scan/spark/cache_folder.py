"""Folders in the user's cache that only this user may write or read."""

import os
import stat
import sys
from pathlib import Path

_PRIVATE = 0o700


def cache_folder(name: str) -> Path:
    """A folder of ours in the cache of this user; it need not be there."""
    if sys.platform == "darwin":
        cache = Path.home() / "Library/Caches"
    else:
        said = os.environ.get("XDG_CACHE_HOME", "")
        cache = Path(said) if Path(said).is_absolute() else Path.home() / ".cache"
    return cache / "lumos-snap" / name


def make_private(folder: Path) -> Path:
    """Make the folder where it is missing, and close it to other users."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    folder.chmod(_PRIVATE)
    return folder


def is_ours(path: Path) -> bool:
    """Whether no other user can have written it."""
    found = path.stat()
    may_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == os.getuid() and not may_others
