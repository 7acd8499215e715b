"""One file that is no part of a tree, replaced whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import refuse_committed_links


def replace_file(target: Path, content: bytes) -> None:
    """Make `content` the content of a file; what was there stays until all of it is on disk."""
    replace_file_with(target, (content,))


def replace_file_with(target: Path, pieces: Iterable[bytes]) -> None:
    """The same, for a content that comes in pieces and is never held as a whole."""
    refuse_committed_links(target)
    if target.is_dir():
        raise LumosError(f"{target}: is a folder", hint="name a file in it")
    if not target.parent.is_dir():
        raise LumosError(f"{target.parent}: there is no such folder", hint="create it first")
    if target.exists() and not target.is_file():
        with target.open("wb") as file:  # a pipe or a device: there is nothing to replace
            file.writelines(pieces)
        return
    try:
        _replace(target, pieces)
    except OSError as exc:
        hint = "check its permissions and the free space"
        raise OutsideError(f"{target}: cannot be written: {exc.strerror}", hint=hint) from exc


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    real = Path(os.path.realpath(target))
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(real))
        Path(name).replace(real)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _mode(target: Path) -> int:
    """The permissions that a file has, or that a new one gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
