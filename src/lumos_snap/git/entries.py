"""Entries of paths: in a commit, or on disk."""

from collections.abc import Sequence
from enum import Enum
from pathlib import PurePosixPath
from typing import NamedTuple

from lumos_snap.errors import LumosError
from lumos_snap.git import process
from lumos_snap.git.repository import Repository

NO_MODE = "000000"


class EntryKind(Enum):
    """The kind of an entry; only files have content."""

    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"


class GitEntry(NamedTuple):
    """A path in a commit, or in the index where the file on disk is equal."""

    mode: str
    oid: str

    @property
    def kind(self) -> EntryKind:
        """The kind of the entry."""
        return _kind(self.mode)


class WorkFile(NamedTuple):
    """A path in the work tree that differs from git's record."""

    mode: str

    @property
    def kind(self) -> EntryKind:
        """The kind of the entry."""
        return _kind(self.mode)


def names(repository: Repository, commit: str, under: Sequence[str] = ()) -> dict[str, GitEntry]:
    """All entries of a commit below the folder, by path, sorted.

    Symlinks and submodules are included; see `GitEntry.kind`.
    """
    arguments = ("ls-tree", "-r", "-z", "--full-tree", commit, "--", *pathspecs(repository, under))
    listing = process.run(repository, *arguments)
    return dict(sorted(_row(repository, line) for line in records(listing)))


def list_tracked(repository: Repository) -> tuple[str, ...]:
    """All paths of the index below the folder, checked out or not."""
    arguments = ("ls-files", "-z", "--cached", "--full-name", "--", *pathspecs(repository, ()))
    listing = process.run(repository, *arguments)
    return tuple(path.removeprefix(repository.prefix) for path in records(listing))


def _row(repository: Repository, line: str) -> tuple[str, GitEntry]:
    about, _, path = line.partition("\t")
    mode, _, oid = about.split(" ")
    return path.removeprefix(repository.prefix), GitEntry(mode, oid)


def _kind(mode: str) -> EntryKind:
    match mode[:3]:
        case "120":
            return EntryKind.SYMLINK
        case "160":
            return EntryKind.SUBMODULE
        case _:
            return EntryKind.FILE


def records(listing: bytes) -> list[str]:
    """Split output of `-z`; bytes that are not UTF-8 survive a round trip."""
    return listing.decode("utf-8", "surrogateescape").split("\0")[:-1]


def pathspecs(repository: Repository, under: Sequence[str]) -> tuple[str, ...]:
    """Pathspecs for paths below the folder; without paths, for all of it."""
    if under:
        return tuple(_pathspec(repository, path) for path in under)
    return (repository.prefix,) if repository.prefix else ()


def _pathspec(repository: Repository, path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise LumosError(f"{path!r} is not a path below {repository.prefix or 'the repository'}")
    below = pure.as_posix()
    if below != ".":
        return repository.top_path(below)
    return repository.prefix or "."
