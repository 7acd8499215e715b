"""Writing to a tree: one writer at a time, every file whole whatever happens.

A file is written under `.lumos/tmp`, forced to disk and renamed into place. A writer that is
killed leaves nothing but a temporary file, which the next one removes; its lock ends with it.
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from lumos_snap.errors import OutsideError

STATE = ".lumos"
_LOCK = "lock"
_TEMPORARY = "tmp"


class Writer:
    """Puts and removes files of one tree, while it holds the tree's lock."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._temporary = self._root / STATE / _TEMPORARY
        self._touched: set[Path] = set()
        self._inside: set[Path] = set()
        self._count = 0

    def put(self, path: str, content: bytes) -> None:
        """Make `content` the content of the file at `path`."""
        target = self._root / path
        with _explained(path):
            self._make_folder(target.parent)
            temporary = self._written(content)
            self._rename(temporary, target)

    def remove(self, path: str) -> None:
        """Remove the file at `path`, and folders that it leaves empty."""
        target = self._root / path
        with _explained(path):
            self._check_inside(target.parent)
            target.unlink(missing_ok=True)
            self._touched.add(target.parent)
            self._remove_empty(target.parent)

    def settle(self) -> None:
        """Force the names of what was written to disk, not only the contents."""
        for folder in sorted(self._touched):
            with contextlib.suppress(FileNotFoundError):
                _sync_folder(folder)
        self._touched.clear()

    def clean(self) -> None:
        """Remove what a killed writer left behind."""
        if self._temporary.is_dir():
            for left in self._temporary.iterdir():
                left.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        if folder not in self._inside:
            self._check_inside(folder)
            folder.mkdir(parents=True, exist_ok=True)
            self._inside.add(folder)

    def _check_inside(self, folder: Path) -> None:
        """A link among the folders must not lead a write out of the tree."""
        real = Path(os.path.realpath(folder))
        if real != self._root and self._root not in real.parents:
            raise OutsideError(
                f"{folder.relative_to(self._root)}: leads out of the tree, to {real}",
                hint="replace the link by a folder",
            )

    def _written(self, content: bytes) -> Path:
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._count += 1
        temporary = self._temporary / f"{os.getpid()}-{self._count}"
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return temporary

    def _rename(self, temporary: Path, target: Path) -> None:
        try:
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        self._touched.add(target.parent)

    def _remove_empty(self, folder: Path) -> None:
        while folder.parent != self._root and not any(folder.iterdir()):
            folder.rmdir()
            self._inside.discard(folder)
            folder = folder.parent


@contextlib.contextmanager
def writing(root: Path, *, since: str = "") -> Iterator[Writer]:
    """Hold the lock of a tree and write to it; `since` tells others when the writer started."""
    with _locked(root, since):
        writer = Writer(root)
        writer.clean()
        try:
            yield writer
        finally:
            writer.settle()


@contextlib.contextmanager
def _locked(root: Path, since: str) -> Iterator[None]:
    path = root / STATE / _LOCK
    with _explained(f"{STATE}/{_LOCK}"):
        path.parent.mkdir(exist_ok=True)
        (path.parent / ".gitignore").write_text("*\n")  # git leaves the folder alone everywhere
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            if exc.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise OutsideError(
                f"another lumos is writing here{_holder(path)}",
                hint="wait for it to end, then try again",
            ) from exc
        holder = {"host": socket.gethostname(), "pid": os.getpid(), "since": since}
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)  # noqa: TID251 - no document of ours
        yield
    finally:
        os.close(descriptor)


def _holder(path: Path) -> str:
    """Who holds the lock, as far as the file tells."""
    try:
        holder = json.loads(path.read_bytes())
        since = f" since {holder['since']}" if holder["since"] else ""
        return f" (process {holder['pid']} on {holder['host']}{since})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        hint = {errno.ENOSPC: "free some space", errno.EROFS: "the disk is read-only"}.get(
            exc.errno or 0, "check its permissions"
        )
        raise OutsideError(f"{path}: cannot be written: {exc.strerror}", hint=hint) from exc
