"""Atomic replacement of a single file outside a tree."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import refuse_committed_links


def replace_file(target: Path, content: bytes) -> None:
    """Replace the content of a file; the old content stays until the new one is on disk."""
    replace_file_with(target, (content,))


def replace_file_with(target: Path, pieces: Iterable[bytes]) -> None:
    """Replace the content of a file by pieces that are never in memory together."""
    refuse_committed_links(target)
    if target.is_dir():
        raise LumosError(f"{target}: is a folder", hint="name a file in it")
    if not target.parent.is_dir():
        raise LumosError(f"{target.parent}: there is no such folder", hint="create it first")
    if target.exists() and not target.is_file():
        with target.open("wb") as file:  # a pipe or a device cannot be replaced
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
    """The permissions of an existing file, or the default ones of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
