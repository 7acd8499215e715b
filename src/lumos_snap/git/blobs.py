"""Contents of files in commits, and of changed files: the bytes before and after."""

import errno
import os
import stat
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from threading import Thread
from types import MappingProxyType
from typing import IO, NamedTuple, cast

from lumos_snap.documents.limits import DOCUMENT, TooLarge, read_file
from lumos_snap.errors import OutsideError
from lumos_snap.git import process
from lumos_snap.git.diff import EntryKind, GitChange, GitEntry, WorkFile
from lumos_snap.git.refs import fetch_missing
from lumos_snap.git.repository import Repository

# Contents of many git objects, read through one process.


_NO_PATHS: Mapping[str, str] = MappingProxyType({})


def blobs(
    repository: Repository,
    oids: Iterable[str],
    *,
    paths: Mapping[str, str] = _NO_PATHS,
    fetch: bool = True,
) -> Generator[tuple[str, bytes], None, None]:
    """Read the contents of objects, in order, one at a time.

    Objects that a partial clone lacks are first fetched, all at once. `paths` names objects in
    errors.
    """
    wanted = tuple(oids)
    if not wanted:
        return
    fetch_missing(repository, wanted, fetch=fetch)
    with _reader(repository, wanted) as reader:
        for oid in wanted:
            yield oid, reader.content(oid, paths.get(oid, ""))


@contextmanager
def _reader(repository: Repository, oids: tuple[str, ...]) -> Iterator["_Reader"]:
    with process.start_git(repository, "cat-file", "--batch", "--buffer") as running:
        reader = _Reader(running, oids)
        try:
            yield reader
        finally:
            running.kill()
            reader.join()


class _Reader:
    """A running `cat-file --batch`.

    Requests are written and errors are read in separate threads: git stops reading requests while
    its output is not read, so a single thread could deadlock.
    """

    def __init__(self, running: process.Process, oids: tuple[str, ...]) -> None:
        self._running = running
        self._answers = cast("IO[bytes]", running.stdout)
        self._complaints: list[bytes] = []
        self._threads = (
            Thread(target=_ask, args=(running.stdin, oids), daemon=True),
            Thread(target=_listen, args=(running.stderr, self._complaints), daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def content(self, oid: str, path: str) -> bytes:
        """Read the content of the next object."""
        header = self._answers.readline().split()
        match header:
            case [_, b"blob", size]:
                return self._body(int(size), oid, path)
            case [_, b"missing"]:
                raise _unreadable(oid, path, "it is missing")
            case [_, kind, _]:
                raise _unreadable(oid, path, f"it is a {kind.decode()}, not a file")
            case _:
                raise _unreadable(oid, path, self._last_words())

    def join(self) -> None:
        """Wait for the threads, which end with the process."""
        for thread in self._threads:
            thread.join()

    def _body(self, size: int, oid: str, path: str) -> bytes:
        if size > DOCUMENT.bytes:
            self._skip(size + 1)
            return TooLarge()
        body = self._answers.read(size + 1)
        if len(body) <= size:
            raise _unreadable(oid, path, self._last_words())
        return body[:size]

    def _skip(self, size: int) -> None:
        while size > 0 and (some := self._answers.read(min(size, 1 << 20))):
            size -= len(some)

    def _last_words(self) -> str:
        self._running.wait()
        self.join()
        return process.complaint(b"".join(self._complaints)) or "git ended early"


def _ask(pipe: IO[bytes], oids: tuple[str, ...]) -> None:
    with suppress(BrokenPipeError):  # git has ended; the reader of its output notices
        pipe.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
        pipe.close()


def _listen(pipe: IO[bytes], heard: list[bytes]) -> None:
    heard.append(pipe.read())


def _unreadable(oid: str, path: str, why: str) -> OutsideError:
    subject = f"{path} (object {oid})" if path else f"object {oid}"
    return OutsideError(
        f"{subject} cannot be read from git: {why}",
        hint="`git fsck` tells what is damaged; a fresh clone repairs it",
    )


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
