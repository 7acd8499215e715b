"""Search in all files of a tree object, without a checkout."""

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
"""Exit code of git grep without a match."""


class Matches(NamedTuple):
    """Matching lines of one file, and their numbers."""

    path: str
    numbers: Sequence[int]
    lines: Sequence[bytes]


def folder_id(repository: Repository, commit: str, folder: str) -> str | None:
    """The tree id of a folder at a commit; None where the folder does not exist."""
    path = repository.top_path(folder)
    listing = process.run(repository, "ls-tree", "-z", "--full-tree", commit, "--", path)
    for row in records(listing):
        about, _, found = row.partition("\t")
        _, kind, oid = about.split(" ")
        if kind == "tree" and found == path:
            return oid
    return None


def tree_changes(repository: Repository, old: str, new: str) -> tuple[GitChange, ...]:
    """Differences between two tree objects, by paths below them."""
    return changes(without_prefix(repository), old, head=new)


def without_prefix(repository: Repository) -> Repository:
    """The repository without a prefix, because paths in a tree object have none."""
    return replace(repository, prefix="")


def fetch_all(repository: Repository, oids: Sequence[str], *, fetch: bool) -> None:
    """Fetch missing objects of a tree at once, before git requests them one by one."""
    fetch_missing(repository, oids, fetch=fetch)


def matches(repository: Repository, tree: str, texts: Sequence[str]) -> Iterator[Matches]:
    """Find files of a tree that contain one of the texts, with the matching lines."""
    wanted = (argument for text in texts for argument in ("-e", text))
    with process.start_git(repository, *_OPTIONS, *wanted, tree, "--") as running:
        with suppress(BrokenPipeError):
            cast("IO[bytes]", running.stdin).close()
        yield from _files(cast("IO[bytes]", running.stdout), f"{tree}:".encode())
        said = process.complaint(cast("IO[bytes]", running.stderr).read())
        if running.wait() > _NONE:
            raise process.failure("grep", said)


def _files(lines: IO[bytes], opening: bytes) -> Iterator[Matches]:
    """Parse the output: a path, which contains no zero byte, precedes the lines of its file."""
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
