"""What stands at a path: in a commit, or on disk."""

from collections.abc import Sequence
from enum import Enum
from pathlib import PurePosixPath
from typing import NamedTuple

from lumos_snap.errors import LumosError
from lumos_snap.git import process
from lumos_snap.git.repository import Repository

NO_MODE = "000000"


class EntryKind(Enum):
    """What a path is; only a file has content of its own."""

    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"


class GitEntry(NamedTuple):
    """A path in a commit, or in the index where the file on disk is the same."""

    mode: str
    oid: str

    @property
    def kind(self) -> EntryKind:
        """What the path is."""
        return _kind(self.mode)


class WorkFile(NamedTuple):
    """A path in the work tree that differs from what git has recorded."""

    mode: str

    @property
    def kind(self) -> EntryKind:
        """What the path is."""
        return _kind(self.mode)


def names(repository: Repository, commit: str, under: Sequence[str] = ()) -> dict[str, GitEntry]:
    """Everything that a commit holds below the folder, by path, in order.

    Symlinks and submodules are among it; `Entry.kind` tells.
    """
    arguments = ("ls-tree", "-r", "-z", "--full-tree", commit, "--", *pathspecs(repository, under))
    listing = process.run(repository, *arguments)
    return dict(sorted(_row(repository, line) for line in records(listing)))


def list_tracked(repository: Repository) -> tuple[str, ...]:
    """Every path of the index below the folder, checked out or not."""
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
    """The parts of an output that `-z` separated; bytes that are no text survive a round trip."""
    return listing.decode("utf-8", "surrogateescape").split("\0")[:-1]


def pathspecs(repository: Repository, under: Sequence[str]) -> tuple[str, ...]:
    """What limits a git command to some paths below the folder; nothing means all of it."""
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
