"""Where a tree's bytes are: in a folder, at a commit, or nowhere yet."""

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError
from lumos_snap.git import GitEntry, Repository, blobs, names
from lumos_snap.tree.path_kinds import FORMS, Form, TreePaths, folders_above, is_hidden, sort_paths

T = TypeVar("T")

Content = tuple[str, bytes | OSError]
"""A path, and its bytes or why they cannot be had."""

PORTION = 200


class Files(Protocol):
    """What a tree needs of the place where its bytes are. Links are never followed."""

    @property
    def label(self) -> str:
        """What to call the place in a message."""

    def name(self, path: str) -> str:
        """What to call a file in a message."""

    def folder(self) -> Path:
        """The folder to write to; raises `LumosError` where nothing can be written."""

    def form(self, path: str) -> Form | None:
        """What lies at a path, or the link that stands in the way to it; or nothing."""

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Every path at or below the given ones."""

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """The plain files right in a folder whose names end so, sorted."""

    def read(self, path: str) -> bytes | None:
        """The bytes of the plain file at a path, or nothing."""

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in their order; what cannot be read is told, not raised."""

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The same, in portions that can be sent to other processes."""


@dataclass(frozen=True)
class CommitFiles:
    """The tree as a commit holds it; nothing is checked out."""

    repository: Repository
    commit: str
    label: str

    def name(self, path: str) -> str:
        """What to call a file in a message: as git does."""
        return f"{self.label}:{path}"

    def folder(self) -> Path:
        """Nothing can be written to the past."""
        raise LumosError(f"{self.label} cannot be written to", hint="write to the working tree")

    @functools.cached_property
    def _names(self) -> dict[str, GitEntry]:
        return names(self.repository, self.commit, (*FOLDERS, CONFIG_NAME))

    def form(self, path: str) -> Form | None:
        """What the commit holds at a path, or the link that stands in the way to it; or nothing."""
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
        """Whether a path is no folder though others should lie below it."""
        entry = self._names.get(path)
        return entry is not None and (FORMS[entry.kind] is not Form.FILE or "/" not in path)

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """The plain files right in a folder whose names end so, sorted."""
        return tuple(path for path in self._in(folder) if path.endswith(suffixes))

    def _in(self, folder: str) -> dict[str, GitEntry]:
        found = names(self.repository, self.commit, (folder,))
        return {
            path: entry
            for path, entry in found.items()
            if FORMS[entry.kind] is Form.FILE and path.rpartition("/")[0] == folder
        }

    def read(self, path: str) -> bytes | None:
        """The bytes of the plain file at a path, or nothing."""
        entry = self._names.get(path) or self._in(path.rpartition("/")[0]).get(path)
        if entry is None or FORMS[entry.kind] is not Form.FILE:
            return None
        return next(blobs(self.repository, [entry.oid]))[1]

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The bytes at many paths, in portions that can be sent to other processes."""
        return batches(self.read_all(paths))

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in their order."""
        listed = list(paths)
        missing = [path for path in listed if path not in self._names]
        if missing:
            raise LumosError(f"{missing[0]}: is not in {self.label}")
        contents = blobs(self.repository, [self._names[path].oid for path in listed])
        for path, (_, content) in zip(listed, contents, strict=True):
            yield path, content


@dataclass(frozen=True, slots=True)
class NoFiles:
    """A bare repository: nothing is there until a commit is named."""

    label: str = "the bare repository"

    def name(self, path: str) -> str:
        """What to call a file in a message."""
        return path

    def folder(self) -> Path:
        """Nothing is ever written into a bare repository."""
        self._refuse()

    def form(self, path: str) -> Form | None:
        """Nothing can be known."""
        self._refuse(path)

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Nothing can be listed."""
        self._refuse(under)

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Nothing can be listed."""
        self._refuse(folder, suffixes)

    def read(self, path: str) -> bytes | None:
        """Nothing can be read."""
        self._refuse(path)

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """Nothing can be read."""
        self._refuse(paths)

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """Nothing can be read."""
        self._refuse(paths)

    def _refuse(self, *_: object) -> NoReturn:
        raise LumosError(
            "a bare repository has no working tree", hint="name a commit to read: --head or --at"
        )


def batches(items: Iterable[T]) -> Iterator[tuple[T, ...]]:
    """Portions of many things."""
    iterator = iter(items)
    while batch := tuple(itertools.islice(iterator, PORTION)):
        yield batch
