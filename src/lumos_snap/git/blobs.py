"""Contents of changed files: the bytes before and after, from git and from disk."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from lumos_snap.documents.limits import read_file
from lumos_snap.errors import OutsideError
from lumos_snap.git.cat_file import blobs
from lumos_snap.git.diff import GitChange
from lumos_snap.git.entries import EntryKind, GitEntry, WorkFile
from lumos_snap.git.repository import Repository

_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO)


class Contents(NamedTuple):
    """The bytes of a changed path; None where it is not a regular file.

    `change` tells whether it is a symlink or a submodule.
    """

    change: GitChange
    before: bytes | None
    after: bytes | None

    @property
    def path(self) -> str:
        """The path, relative to the repository's folder."""
        return self.change.path


def read_changes(
    repository: Repository, found: Iterable[GitChange], *, fetch: bool = True
) -> Iterator[Contents]:
    """Read the contents of changes, in order, one at a time, from a single git process.

    Files on disk are read in their current state. Changes of the mode only are left out, and so are
    new files that were deleted in the meantime.
    """
    readable = tuple(change for change in found if not _only_mode(change))
    wanted = [
        (entry.oid, repository.top_path(change.path))
        for change in readable
        for entry in _in_git(change)
    ]
    oids = (oid for oid, _ in wanted)
    with closing(blobs(repository, oids, paths=dict(wanted), fetch=fetch)) as stream:
        for change in readable:
            before = _content(repository, change.path, change.before, stream)
            after = _content(repository, change.path, change.after, stream)
            contents = Contents(change, before, after)
            if _tells(contents):
                yield contents


def _only_mode(change: GitChange) -> bool:
    match change:
        case GitChange(before=GitEntry() as before, after=GitEntry() as after):
            return (before.kind, before.oid) == (after.kind, after.oid)
        case _:
            return False


def _in_git(change: GitChange) -> Iterator[GitEntry]:
    for side in (change.before, change.after):
        if isinstance(side, GitEntry) and side.kind is EntryKind.FILE:
            yield side


def _content(
    repository: Repository,
    path: str,
    side: GitEntry | WorkFile | None,
    stream: Iterator[tuple[str, bytes]],
) -> bytes | None:
    if side is None or side.kind is not EntryKind.FILE:
        return None
    if isinstance(side, WorkFile):
        return _on_disk(repository.file(path))
    return next(stream)[1]


def _on_disk(file: str) -> bytes | None:
    """The bytes of a regular file; None where it was removed or replaced by something else."""
    try:
        # A file may be replaced by a link or a pipe at any time: neither follow nor wait.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return read_file(opened) if regular else None
    except OSError as exc:
        if exc.errno in _ABSENT:
            return None
        raise OutsideError(f"{file}: cannot be read: {exc.strerror}") from exc


def _tells(contents: Contents) -> bool:
    if contents.before is None and contents.after is None:
        return any(side.kind is not EntryKind.FILE for side in _sides(contents.change))
    return contents.before != contents.after


def _sides(change: GitChange) -> Iterator[GitEntry | WorkFile]:
    for side in (change.before, change.after):
        if side is not None:
            yield side
