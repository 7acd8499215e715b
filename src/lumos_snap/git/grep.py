"""Finds lines in all files of a tree object at once; nothing is checked out."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, NamedTuple, cast

from lumos_snap.git import process
from lumos_snap.git.diff import GitChange, changes
from lumos_snap.git.entries import records
from lumos_snap.git.fetch import fetch_missing
from lumos_snap.git.repository import Repository

_OPTIONS = (
    *("grep", "--heading", "--no-break", "-n", "-z", "-a", "-F"),
    *("--no-column", "--no-color", "--full-name", "--no-textconv", "--no-recurse-submodules"),
)
_NONE = 1
"""How git ends where nothing matches."""


class Matches(NamedTuple):
    """The lines of one file in which something was found, and their numbers."""

    path: str
    numbers: Sequence[int]
    lines: Sequence[bytes]


def folder_id(repository: Repository, commit: str, folder: str) -> str | None:
    """The id of a folder's tree at a commit; nothing where there is no such folder."""
    path = repository.top_path(folder)
    listing = process.run(repository, "ls-tree", "-z", "--full-tree", commit, "--", path)
    for row in records(listing):
        about, _, found = row.partition("\t")
        _, kind, oid = about.split(" ")
        if kind == "tree" and found == path:
            return oid
    return None


def tree_changes(repository: Repository, old: str, new: str) -> tuple[GitChange, ...]:
    """What differs between two trees, by paths below them."""
    return changes(without_prefix(repository), old, head=new)


def without_prefix(repository: Repository) -> Repository:
    """The repository as it is seen from a tree object: paths have nothing in front."""
    return replace(repository, prefix="")


def fetch_all(repository: Repository, oids: Sequence[str], *, fetch: bool) -> None:
    """Have what a partial clone left out of a tree, before git asks for it file by file."""
    fetch_missing(repository, oids, fetch=fetch)


def matches(repository: Repository, tree: str, texts: Sequence[str]) -> Iterator[Matches]:
    """The files of a tree in which one of some texts stands, with the lines that it stands on."""
    wanted = (argument for text in texts for argument in ("-e", text))
    with process.start_git(repository, *_OPTIONS, *wanted, tree, "--") as running:
        with suppress(BrokenPipeError):
            cast("IO[bytes]", running.stdin).close()
        yield from _files(cast("IO[bytes]", running.stdout), f"{tree}:".encode())
        said = process.complaint(cast("IO[bytes]", running.stderr).read())
        if running.wait() > _NONE:
            raise process.failure("grep", said)


def _files(lines: IO[bytes], opening: bytes) -> Iterator[Matches]:
    """A path stands before the lines of its file: whatever is in it, no zero is."""
    path = b""
    numbers: list[int] = []
    texts: list[bytes] = []
    for line in lines:
        number, is_line, text = line.partition(b"\0")
        if is_line:
            numbers.append(int(number))
            texts.append(text)
            continue
        if numbers:
            yield _file(path, opening, numbers, texts)
            path, numbers, texts = b"", [], []
        path += line
    if numbers:
        yield _file(path, opening, numbers, texts)


def _file(path: bytes, opening: bytes, numbers: list[int], lines: list[bytes]) -> Matches:
    name = path.removeprefix(opening).removesuffix(b"\n")
    return Matches(name.decode("utf-8", "surrogateescape"), numbers, lines)
