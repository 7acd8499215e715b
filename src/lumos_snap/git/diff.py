"""Entries of commits and of the work tree, and changes between two of them.

The cost depends on the change, not on the tree: unchanged files are neither listed nor read.
"""

import functools
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lumos_snap.concurrency import BackgroundCall
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.repository import Repository, no_work_tree

# Entries of paths: in a commit, or on disk.


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


_ENCODING = "working-tree-encoding"
_RAW = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=dirty")


class GitChange(NamedTuple):
    """A changed path; None on a side where it does not exist."""

    path: str
    before: GitEntry | None
    after: GitEntry | WorkFile | None


def changes(
    repository: Repository,
    base: str,
    *,
    head: str | None = None,
    under: Sequence[str] = (),
) -> tuple[GitChange, ...]:
    """Differences between two commits, sorted by path; without a head, up to the work tree.

    The work tree includes staged and unstaged changes, and untracked files that are not ignored. A
    file with only a new timestamp is not a change.
    """
    limits = ("--", *pathspecs(repository, under))
    if head is not None:
        listing = process.run(repository, "diff-tree", *_RAW, base, head, *limits)
        found = _parse_listing(repository, listing)
    else:
        found = _up_to_work_tree(repository, base, limits)
    return tuple(found[path] for path in sorted(found))


def _up_to_work_tree(
    repository: Repository, base: str, limits: tuple[str, ...]
) -> dict[str, GitChange]:
    if repository.work_tree is None:
        raise no_work_tree(repository)
    tracked = ("diff-index", *_RAW, base, *limits)
    untracked = ("ls-files", "-z", "--others", "--exclude-standard", *limits)
    with process.start_git(repository, *untracked) as second:
        plain = without_filters(repository)  # while the first command runs
        with process.start_git(repository, *plain, *tracked) as first:
            found = _parse_listing(repository, process.output(process.answer(first), tracked))
        encoding = BackgroundCall(functools.partial(_refuse_encoded, repository, dict(found)))
        listing = process.output(process.answer(second), untracked)
    found.update(_find_untracked(repository, records(listing), found))
    left = _without_touched(repository, found, plain)
    encoding.result()
    return left


def _refuse_encoded(repository: Repository, found: Mapping[str, GitChange]) -> None:
    """Raise where git checks a file out in another encoding.

    Such a conversion can turn other characters into quotes and commas, so that a document committed
    without a column could contain it on disk.
    """
    on_disk = [path for path, change in found.items() if isinstance(change.after, WorkFile)]
    if not on_disk:
        return
    stdin = b"".join(os.fsencode(f"{repository.top_path(path)}\0") for path in on_disk)
    listing = process.ask(repository, "check-attr", "-z", "--stdin", _ENCODING, stdin=stdin).out
    cells = records(listing)
    for path, encoding in zip(cells[::3], cells[2::3], strict=True):
        if encoding not in ("unspecified", "unset"):
            raise OutsideError(
                f"cannot decide: git checks {path} out as {encoding}, not as it was committed",
                hint=f"remove {_ENCODING} from .gitattributes: documents are UTF-8",
            )


def without_filters(repository: Repository) -> tuple[str, ...]:
    """Options that disable all filters: attributes in the tree could make git run programs."""
    asked = ("config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    found = {name.rpartition(".")[0] for name in records(process.ask(repository, *asked).out)}
    switches = ("clean=", "process=", "required=false")
    return tuple(part for one in sorted(found) for to in switches for part in ("-c", f"{one}.{to}"))


def _parse_listing(repository: Repository, listing: bytes) -> dict[str, GitChange]:
    """Parse `:MODE MODE OID OID STATUS` and the path that follows it."""
    parts = iter(records(listing))
    found = {}
    for about, top_path in zip(parts, parts, strict=True):
        path = top_path.removeprefix(repository.prefix)
        old_mode, mode, old_oid, oid, _ = about.removeprefix(":").split(" ")
        before = None if old_mode == NO_MODE else GitEntry(old_mode, old_oid)
        after = _after(mode, oid)
        if before or after:  # a conflict may list a file that neither side has
            found[path] = GitChange(path, before, after)
    return found


def _after(mode: str, oid: str) -> GitEntry | WorkFile | None:
    """The right side; an id of zeros means that the content is only on disk."""
    if mode == NO_MODE:
        return None
    return GitEntry(mode, oid) if oid.strip("0") else WorkFile(mode)


def _find_untracked(
    repository: Repository, top_paths: Iterable[str], tracked: Mapping[str, GitChange]
) -> Iterator[tuple[str, GitChange]]:
    """Untracked files; a file that the base commit has is compared with that version."""
    for top_path in top_paths:
        path = top_path.removeprefix(repository.prefix)
        mode = _mode_on_disk(repository, path)
        if mode is not None:
            before = tracked[path].before if path in tracked else None
            yield path, GitChange(path, before, WorkFile(mode))


def _mode_on_disk(repository: Repository, path: str) -> str | None:
    """The mode that git would record; None for missing files and those that git never records."""
    try:
        mode = os.lstat(repository.file(path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return "120000"
    if not stat.S_ISREG(mode):
        return None  # a nested repository, not yet a submodule
    return "100755" if mode & stat.S_IXUSR else "100644"


def _without_touched(
    repository: Repository, found: dict[str, GitChange], plain: tuple[str, ...]
) -> dict[str, GitChange]:
    """Drop files with a new timestamp but the content of the base.

    Git computes the hashes, so that line endings count as in a commit.
    """
    doubtful = {path: entry.oid for path, entry in _doubtful(found) if _is_file(repository, path)}
    hashed = dict(zip(doubtful, _hashes(repository, tuple(doubtful), plain), strict=False))
    touched = {path for path, oid in hashed.items() if oid == doubtful[path]}
    return {path: change for path, change in found.items() if path not in touched}


def _doubtful(found: Mapping[str, GitChange]) -> Iterator[tuple[str, GitEntry]]:
    """Files on disk with the same mode as in the base."""
    for path, change in found.items():
        match change:
            case GitChange(before=GitEntry() as before, after=WorkFile(mode=mode)):
                if before.kind is EntryKind.FILE and before.mode == mode:
                    yield path, before
            case _:
                continue


def _is_file(repository: Repository, path: str) -> bool:
    """Whether a path is a regular file: git may list a pipe, and hashing it would block."""
    return _mode_on_disk(repository, path) in ("100644", "100755")


def _hashes(repository: Repository, paths: Sequence[str], plain: tuple[str, ...]) -> list[str]:
    """The ids that the files would have in git, up to the first unreadable one."""
    if not paths:
        return []
    stdin = b"".join(_quote_path(repository.top_path(path)) for path in paths)
    given = process.ask(repository, *plain, "hash-object", "--stdin-paths", stdin=stdin)
    return given.out.decode("ascii").splitlines()


def _quote_path(path: str) -> bytes:
    """A path as a line of input, quoted in C style for git."""
    quoted = path.translate(_QUOTES)
    return os.fsencode(f'"{quoted}"\n')


_QUOTES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})


_MOST_CONFLICTS = 127  # git's maximum count; larger codes are failures


def merge_texts(base: Path, ours: Path, theirs: Path, *, marker_size: int) -> bytes | None:
    """Merge texts, with conflict markers; None where git cannot merge."""
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    files = [str(path.absolute()) for path in (ours, base, theirs)]
    size = f"--marker-size={marker_size}"
    place = process.DetachedFolder(ours.absolute().parent)
    given = process.ask(place, "merge-file", "-p", size, *labels, "--", *files)
    return given.out if 0 <= given.code <= _MOST_CONFLICTS else None
