"""Writing to a tree: one writer at a time, each file replaced atomically.

A file is written under `.lumos/tmp`, forced to disk and renamed into place. A writer that is
killed leaves only a temporary file, which the next one removes; its lock ends with it.

A repository may contain links anywhere, also at `.lumos`: none is followed, so that nothing outside
the tree is ever written or removed.
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import refuse_committed
from lumos_snap.tree.files import STATE, folders_above

_LOCK = f"{STATE}/lock"
_IGNORE = f"{STATE}/.gitignore"
TEMPORARY = f"{STATE}/tmp"  # noqa: S108 - below the tree
_AT_ONCE = 8
_A_BATCH = 256
_OURS = re.compile(r"[0-9]+-[0-9]+")  # names of temporary files: process and number


Put = Callable[[int, int], None]
"""Callback with the number of files written, and the total."""


class Writer:
    """Writes and removes files of one tree while it holds the tree's lock."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._touched: set[Path] = set()
        self._checked: set[str] = set()

    def put(self, path: str, content: bytes) -> None:
        """Replace the content of the file at `path`."""
        self.put_all({path: content})

    def put_all(self, contents: Mapping[str, bytes], put: Put | None = None) -> None:
        """Replace the content of files by path.

        Several files are synced to disk in parallel, which takes disks no longer than one.
        """
        done = 0
        waiting = iter(contents.items())
        with ThreadPoolExecutor(min(_AT_ONCE, len(contents)) or 1) as pool:
            while batch := list(islice(waiting, _A_BATCH)):
                for path, _ in batch:
                    self._make_room(path)
                written = pool.map(self._written, batch, range(_A_BATCH))
                for (path, _), temporary in zip(batch, written, strict=False):
                    with _explain_errors(path):
                        self._rename(temporary, self._root / path)
                done += len(batch)
                if put is not None:
                    put(done, len(contents))

    def copy(self, path: str, source: Path) -> None:
        """Copy the content of `source` to the file at `path`, in pieces."""
        self._make_room(path)
        with source.open("rb") as content:
            temporary = self._temporary(path, 0, lambda file: shutil.copyfileobj(content, file))
        with _explain_errors(path):
            self._rename(temporary, self._root / path)

    def _make_room(self, path: str) -> None:
        with _explain_errors(path):
            folder = self._inside(path)
            refuse_link(self._root, path)
            folder.mkdir(parents=True, exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove the file at `path`, and its folders where they become empty."""
        with _explain_errors(path):
            folder = self._inside(path)
            with contextlib.suppress(FileNotFoundError):
                (self._root / path).unlink()
                self._touched.add(folder)
            self._remove_empty(folder)

    def settle(self) -> None:
        """Sync the folders of written files to disk: renames must be durable, too."""
        for folder in sorted(self._touched):
            with contextlib.suppress(FileNotFoundError):
                _sync_folder(folder)
        self._touched.clear()

    def clean(self) -> None:
        """Remove temporary files of a killed writer, and nothing else."""
        with _explain_errors(TEMPORARY):
            make_state_folder(self._root, TEMPORARY)
            with os.scandir(self._root / TEMPORARY) as entries:
                for entry in entries:
                    if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                        Path(entry.path).unlink(missing_ok=True)

    def _inside(self, path: str) -> Path:
        """The folder of a path; raises where a link is on the way to it."""
        *folders, name = path.split("/")
        if not {"", ".", ".."}.isdisjoint((*folders, name)):
            raise OutsideError(f"{path}: leads out of the tree", hint="name a path below its root")
        for end in range(1, len(folders) + 1):
            step = "/".join(folders[:end])
            if step not in self._checked:
                refuse_link(self._root, step)
                self._checked.add(step)
        return self._root.joinpath(*folders)

    def _written(self, item: tuple[str, bytes], number: int) -> Path:
        path, content = item
        return self._temporary(path, number, lambda file: file.write(content))

    def _temporary(self, path: str, number: int, fill: Callable[[BinaryIO], object]) -> Path:
        temporary = self._root / TEMPORARY / f"{os.getpid()}-{number}"
        with _explain_errors(path), temporary.open("xb") as file:
            fill(file)
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
        """Remove empty folders, except those of document kinds."""
        while self._root not in (folder, folder.parent):
            try:
                folder.rmdir()
            except OSError:
                return  # not empty, or it does not exist
            folder = folder.parent


def refuse_link(root: Path, path: str) -> None:
    """Raise where a path of the tree is a link."""
    try:
        is_link = stat.S_ISLNK(os.lstat(root / path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return
    if is_link:
        raise OutsideError(
            f"{path}: is a link, and nothing is read or written through links",
            hint="remove the link, or put what it leads to in its place",
        )


@contextlib.contextmanager
def open_writer(root: Path) -> Iterator[Writer]:
    """Hold the lock of a tree while writing to it."""
    real = Path(os.path.realpath(root))
    refuse_repository(real)
    with _hold_lock(real):
        writer = Writer(real)
        writer.clean()
        try:
            yield writer
        finally:
            writer.settle()


def refuse_repository(root: Path) -> None:
    """Refuse git's own folder, such as a bare repository, as the root of a tree."""
    if (root / "HEAD").is_file() and (root / "objects").is_dir() and (root / "refs").is_dir():
        raise LumosError(
            f"{root}: is a folder of git's own, without a working tree",
            hint="name a folder in a working tree",
        )


@contextlib.contextmanager
def _hold_lock(root: Path) -> Iterator[None]:
    with _explain_errors(_LOCK):
        make_state_folder(root, STATE)
        ignore_state(root)
        descriptor = _open_file(root, _LOCK, os.O_RDWR)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            if exc.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise OutsideError(
                f"another lumos is writing here{_holder(descriptor)}",
                hint="wait for it to end, then try again",
            ) from exc
        holder = {"host": socket.gethostname(), "pid": os.getpid()}
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)  # noqa: TID251 - no document of ours
        yield
    finally:
        os.close(descriptor)


def make_state_folder(root: Path, path: str) -> None:
    """Create a folder for state where it is missing; never through a link."""
    refuse_link(root, path)
    (root / path).mkdir(exist_ok=True)


def state_file(root: Path, name: str) -> Path:
    """Path of a state file beside a tree; raises where a commit could have placed it."""
    path = f"{STATE}/{name}"
    for step in (*folders_above(path), path):
        refuse_link(root, step)
    refuse_committed(root / path)
    return root / path


def ignore_state(root: Path) -> None:
    """Make git ignore the folder; an empty file is left over from a killed writer."""
    descriptor = _open_file(root, _IGNORE, os.O_WRONLY)
    try:
        if os.fstat(descriptor).st_size == 0:
            os.write(descriptor, b"*\n")
    finally:
        os.close(descriptor)


def _open_file(root: Path, path: str, flags: int) -> int:
    """Open or create a state file; the system itself refuses a link."""
    refuse_link(root, path)
    return os.open(root / path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def _holder(descriptor: int) -> str:
    """Holder of the lock and its start; a holder writes its name into the file at once."""
    started = datetime.fromtimestamp(int(os.fstat(descriptor).st_mtime), UTC)
    since = f"since {started:%Y-%m-%dT%H:%M:%SZ}"
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        return f" (process {holder['pid']} on {holder['host']}, {since})"
    except (ValueError, KeyError, TypeError):
        return f" ({since})"


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _explain_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        hint = {errno.ENOSPC: "free some space", errno.EROFS: "the disk is read-only"}.get(
            exc.errno or 0, "check its permissions"
        )
        raise OutsideError(f"{path}: cannot be written: {exc.strerror}", hint=hint) from exc
