"""Files of a tree: their paths and kinds, and their bytes in a folder or a commit."""

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from lumos_snap.canonical.document_kinds import FOLDERS, KINDS
from lumos_snap.canonical.paths import SUFFIX
from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError
from lumos_snap.git import EntryKind, GitEntry, Repository, blobs, names

# Forms of paths in a tree, and the rule that decides which paths are documents.


class Form(Enum):
    """The form of a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    REPOSITORY = "repository"
    OTHER = "other"


FORMS = {
    EntryKind.FILE: Form.FILE,
    EntryKind.SYMLINK: Form.LINK,
    EntryKind.SUBMODULE: Form.REPOSITORY,
}
"""Forms of git entries."""

_OF_KINDS = tuple(f"{kind.folder}/" for kind in KINDS)

STATE = ".lumos"

NO_KIND = "it is in no folder of documents, such as `snapshots/` or `entities/users/`"


@dataclass(frozen=True, slots=True, order=True)
class PathRemark:
    """A path with a remark."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class TreePaths:
    """The sorted paths of a tree: documents, strays, and paths that cannot be listed."""

    documents: tuple[str, ...] = ()
    strays: tuple[PathRemark, ...] = ()
    unreadable: tuple[PathRemark, ...] = ()


def why_stray(path: str, form: Form) -> str:
    """Why a path is not a document; empty where it is one."""
    if form is Form.LINK:
        return "it is a link"
    if form is Form.REPOSITORY:
        return "it is a repository of its own"
    if "/" not in path:
        return "it is a file where a folder should be"
    if form is not Form.FILE:
        return "it is not a regular file"
    if not path.endswith(SUFFIX):
        return f"its name does not end in {SUFFIX}"
    return "" if path.startswith(_OF_KINDS) else NO_KIND


def sort_paths(met: Iterable[tuple[str, Form]], unreadable: Iterable[PathRemark] = ()) -> TreePaths:
    """Sort paths into documents and strays, without duplicates."""
    documents: set[str] = set()
    strays: set[PathRemark] = set()
    for path, form in met:
        why = why_stray(path, form)
        if why:
            strays.add(PathRemark(path, why))
        else:
            documents.add(path)
    return TreePaths(
        tuple(sorted(documents)), tuple(sorted(strays)), tuple(sorted(set(unreadable)))
    )


def merge_paths(found: Iterable[TreePaths]) -> TreePaths:
    """Merge several results, without duplicates."""
    every = tuple(found)
    return TreePaths(
        tuple(sorted({path for one in every for path in one.documents})),
        tuple(sorted({stray for one in every for stray in one.strays})),
        tuple(sorted({remark for one in every for remark in one.unreadable})),
    )


def is_hidden(path: str) -> bool:
    """Whether a path is ignored: editors, file managers and git keep such files."""
    return path.startswith(".") or "/." in path


def folders_above(path: str) -> tuple[str, ...]:
    """The folders above a path, outermost first."""
    steps = path.split("/")
    return tuple("/".join(steps[:end]) for end in range(1, len(steps)))


T = TypeVar("T")

Content = tuple[str, bytes | OSError]
"""A path, and its bytes or the error of reading it."""

PORTION = 200


class Files(Protocol):
    """Access to the bytes of a tree. Links are never followed."""

    @property
    def label(self) -> str:
        """Name of the source in messages."""

    def name(self, path: str) -> str:
        """Name of a file in messages."""

    def folder(self) -> Path:
        """The folder to write to; raises `LumosError` where nothing can be written."""

    def form(self, path: str) -> Form | None:
        """Form of a path, or of a link in one of its folders; None where it does not exist."""

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Every path at or below the given ones."""

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Regular files directly in a folder with one of the suffixes, sorted."""

    def read(self, path: str) -> bytes | None:
        """The bytes of the regular file at a path; None for anything else."""

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in order; read errors are returned, not raised."""

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The same in portions that can be sent to other processes."""


@dataclass(frozen=True)
class CommitFiles:
    """The tree at a commit, without a checkout."""

    repository: Repository
    commit: str
    label: str

    def name(self, path: str) -> str:
        """Name of a file in messages, in git's notation."""
        return f"{self.label}:{path}"

    def folder(self) -> Path:
        """Raise: a commit cannot be written to."""
        raise LumosError(f"{self.label} cannot be written to", hint="write to the working tree")

    @functools.cached_property
    def _names(self) -> dict[str, GitEntry]:
        return names(self.repository, self.commit, (*FOLDERS, CONFIG_NAME))

    def form(self, path: str) -> Form | None:
        """Form of a path in the commit, or of a link in one of its folders; None if missing."""
        entry = self._names.get(path)
        if entry is not None:
            return FORMS[entry.kind]
        for step in filter(self._is_in_the_way, folders_above(path)):
            found = FORMS[self._names[step].kind]
            return Form.OTHER if found is Form.FILE else found
        return Form.FOLDER if any(name.startswith(path + "/") for name in self._names) else None

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Every path at or below the given ones."""
        asked = frozenset(under)
        below = tuple(path + "/" for path in asked)
        leading = {
            step for path in asked for step in folders_above(path) if self._is_in_the_way(step)
        }
        return sort_paths(
            (path, FORMS[entry.kind])
            for path, entry in self._names.items()
            if path.startswith(below) or path in asked or path in leading
            if not is_hidden(path)
        )

    def _is_in_the_way(self, path: str) -> bool:
        """Whether a path is not a folder although other paths should be below it."""
        entry = self._names.get(path)
        return entry is not None and (FORMS[entry.kind] is not Form.FILE or "/" not in path)

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Regular files directly in a folder with one of the suffixes, sorted."""
        return tuple(path for path in self._in(folder) if path.endswith(suffixes))

    def _in(self, folder: str) -> dict[str, GitEntry]:
        found = names(self.repository, self.commit, (folder,))
        return {
            path: entry
            for path, entry in found.items()
            if FORMS[entry.kind] is Form.FILE and path.rpartition("/")[0] == folder
        }

    def read(self, path: str) -> bytes | None:
        """The bytes of the regular file at a path; None for anything else."""
        entry = self._names.get(path) or self._in(path.rpartition("/")[0]).get(path)
        if entry is None or FORMS[entry.kind] is not Form.FILE:
            return None
        return next(blobs(self.repository, [entry.oid]))[1]

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The bytes at many paths, in portions that can be sent to other processes."""
        return batches(self.read_all(paths))

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in order."""
        listed = list(paths)
        missing = [path for path in listed if path not in self._names]
        if missing:
            raise LumosError(f"{missing[0]}: is not in {self.label}")
        contents = blobs(self.repository, [self._names[path].oid for path in listed])
        for path, (_, content) in zip(listed, contents, strict=True):
            yield path, content


@dataclass(frozen=True, slots=True)
class NoFiles:
    """A bare repository: it has no files until a commit is given."""

    label: str = "the bare repository"

    def name(self, path: str) -> str:
        """Name of a file in messages."""
        return path

    def folder(self) -> Path:
        """Raise: a bare repository cannot be written to."""
        self._refuse()

    def form(self, path: str) -> Form | None:
        """Raise: a bare repository has no files."""
        self._refuse(path)

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Raise: a bare repository has no files."""
        self._refuse(under)

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Raise: a bare repository has no files."""
        self._refuse(folder, suffixes)

    def read(self, path: str) -> bytes | None:
        """Raise: a bare repository has no files."""
        self._refuse(path)

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """Raise: a bare repository has no files."""
        self._refuse(paths)

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """Raise: a bare repository has no files."""
        self._refuse(paths)

    def _refuse(self, *_: object) -> NoReturn:
        raise LumosError(
            "a bare repository has no working tree", hint="name a commit to read: --head or --at"
        )


def batches(items: Iterable[T]) -> Iterator[tuple[T, ...]]:
    """Split items into portions."""
    iterator = iter(items)
    while batch := tuple(itertools.islice(iterator, PORTION)):
        yield batch
