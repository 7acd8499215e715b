"""Folders in the user's cache that no other user can read or write."""

import os
import stat
import sys
from pathlib import Path

_PRIVATE = 0o700


def cache_folder(name: str) -> Path:
    """Return the path of a folder in this user's cache; it may not exist."""
    if sys.platform == "darwin":
        cache = Path.home() / "Library/Caches"
    else:
        said = os.environ.get("XDG_CACHE_HOME", "")
        cache = Path(said) if Path(said).is_absolute() else Path.home() / ".cache"
    return cache / "lumos-snap" / name


def make_private(folder: Path) -> Path:
    """Create the folder if needed, and deny other users access."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    folder.chmod(_PRIVATE)
    return folder


def is_ours(path: Path) -> bool:
    """Whether no other user can have written the file."""
    found = path.stat()
    may_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == os.getuid() and not may_others
