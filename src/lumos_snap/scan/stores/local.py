"""The local file system: listing of a folder, and ranged reads of its files.

Paths are relative to the root, with `/`; bytes that are not UTF-8 are Python's surrogate escapes. A
link is followed unless its target is listed already, so that loops end and no file is counted
twice.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import (
    BadFileError,
    FileEntry,
    OnAnswer,
    RangedFile,
    Trouble,
    Wants,
    ignore_answer,
)

_PORTION = 5_000  # entries, of about 1.2 KB each


class LocalStore(NamedTuple):
    """A folder of this machine, or one that every executor mounts under the same path."""

    root: str

    @property
    def at_once(self) -> int:
        """Number of files to read at once: local reads do not wait."""
        return 1

    def reader(self) -> "LocalStore":
        """Return the store itself: there is no connection to open."""
        return self

    def has(self, path: str) -> bool:
        """Whether a file or folder exists at a path."""
        return os.path.exists(os.path.join(self.root, path))  # noqa: PTH110, PTH118 - names that are no text

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        descriptor = self._open(path)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise BadFileError(error_codes.UNREADABLE, "is not a regular file")
            yield RangedFile(
                status.st_size, lambda offset, length: os.pread(descriptor, length, offset)
            )
        except OSError as exc:
            raise BadFileError(*_describe_error(exc)) from exc
        finally:
            os.close(descriptor)

    def _open(self, path: str) -> int:
        try:
            # A pipe that has replaced a file must not block a task.
            return os.open(os.path.join(self.root, path), os.O_RDONLY | os.O_NONBLOCK)  # noqa: PTH118 - names that are no text
        except OSError as exc:
            raise BadFileError(*_describe_error(exc)) from exc

    def entries(
        self, start: str, may_hold: Wants, answered: OnAnswer = ignore_answer
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below `start`, folder by folder, in folders that `may_hold` selects."""
        seen: set[tuple[int, int]] = set()
        links: list[str] = []
        yield from self._below(start, may_hold, answered, seen, links)
        while links:
            again = sorted(links)
            links.clear()
            for path in again:
                yield from self._below(path, may_hold, answered, seen, links)

    def _below(
        self,
        start: str,
        may_hold: Wants,
        answered: OnAnswer,
        seen: set[tuple[int, int]],
        links: list[str],
    ) -> Iterator[FileEntry | Trouble]:
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            folders: list[str] = []
            for entry in self._listed(folder, seen, answered):
                if isinstance(entry, Trouble):
                    yield entry
                    continue
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_symlink() and _leads_to_folder(entry):
                    links += [path] if may_hold(path) else []
                elif entry.is_dir(follow_symlinks=False):
                    folders += [path] if may_hold(path) else []
                elif not (entry.is_symlink() and self._is_listed_itself(entry)):
                    yield from _entry(path, entry)
            waiting += sorted(folders, reverse=True)

    def _is_listed_itself(self, link: "os.DirEntry[str]") -> bool:
        """Whether the target of a link is below the root as well."""
        root, target = os.path.realpath(self.root), os.path.realpath(link.path)
        return target.startswith(f"{root}/") and os.path.exists(target)  # noqa: PTH110 - names that are no text

    def _listed(
        self, folder: str, seen: set[tuple[int, int]], answered: OnAnswer
    ) -> Iterator["os.DirEntry[str] | Trouble"]:
        """List the entries of a folder; none if it was listed before.

        Entries come in portions, as an entry caches its status, and a folder may have millions.
        Each portion is sorted, so small folders need not be sorted again later.
        """
        absolute = os.path.join(self.root, folder)  # noqa: PTH118 - names that are no text
        try:
            status = os.stat(absolute)  # noqa: PTH116 - likewise
            if (status.st_dev, status.st_ino) in seen:
                return
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(absolute) as entries:
                answered()
                while portion := sorted(islice(entries, _PORTION), key=lambda entry: entry.name):
                    yield from portion
        except OSError as exc:
            yield Trouble(folder, *_describe_error(exc), hides=True)


def _leads_to_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _entry(path: str, entry: "os.DirEntry[str]") -> Iterator[FileEntry | Trouble]:
    try:
        status = entry.stat()
    except OSError as exc:
        yield Trouble(path, *_describe_error(exc, is_link=entry.is_symlink()))
        return
    if stat.S_ISREG(status.st_mode):  # sockets, pipes and devices have no data
        yield FileEntry(path, status.st_size, status.st_mtime_ns, _tag(status.st_ctime_ns))


def _tag(changed: int) -> str:
    """Build a tag from the status change time, which users cannot set, unlike the modified time.

    A file may change again within one clock tick and look unchanged: while it is that recent, its
    tag is unique.
    """
    now = time.time_ns()
    return f"{changed}" if now - changed > _TICK else f"{changed} at {now}"


_TICK = 20_000_000


def _describe_error(exc: OSError, *, is_link: bool = False) -> tuple[str, str]:
    """Translate an operating system error to a code and a message."""
    if is_link and exc.errno in (errno.ENOENT, errno.ELOOP):
        return error_codes.UNREADABLE, "is a link that leads nowhere"
    if exc.errno in (errno.ENOENT, errno.ENOTDIR):
        return error_codes.VANISHED, "was there when the folder was listed, and is gone"
    return error_codes.UNREADABLE, (exc.strerror or "cannot be read").lower()
