"""Where a tree's bytes are: a folder, or a commit."""

import functools
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lumos_snap.canonical.kinds import FOLDERS
from lumos_snap.canonical.place import SUFFIX
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Entry, Repository, blobs, names
from lumos_snap.git import Kind as EntryKind

T = TypeVar("T")

Content = tuple[str, bytes | OSError]
"""A path, and its bytes or why they cannot be had."""

PORTION = 200


@dataclass(frozen=True, slots=True)
class Found:
    """The paths of a tree: its documents, and what has no business there."""

    documents: tuple[str, ...]
    strays: tuple[str, ...]


class Files(Protocol):
    """What a tree needs of the place where its bytes are."""

    @property
    def label(self) -> str:
        """What to call the place in a message."""

    def found(self, under: Iterable[str] = FOLDERS) -> Found:
        """Every path below the given folders, sorted."""

    def read(self, path: str) -> bytes | None:
        """The bytes at a path, or nothing."""

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in their order; what cannot be read is told, not raised."""

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The same, in portions that can be sent to other processes."""


@dataclass(frozen=True, slots=True)
class FolderPortion:
    """Paths whose bytes are read where the portion arrives."""

    files: "FolderFiles"
    paths: tuple[str, ...]

    def __iter__(self) -> Iterator[Content]:
        return self.files.read_all(self.paths)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The tree as it lies in a folder."""

    root: Path

    @property
    def label(self) -> str:
        """What to call the place in a message."""
        return "the working tree"

    def found(self, under: Iterable[str] = FOLDERS) -> Found:
        """Every path below the given folders, sorted."""
        documents: list[str] = []
        strays: list[str] = []
        for folder in under:
            self._walk(folder, documents, strays)
        return Found(tuple(sorted(documents)), tuple(sorted(strays)))

    def _walk(self, folder: str, documents: list[str], strays: list[str]) -> None:
        """Descend without following links, so that a loop of links cannot trap us."""
        pending = [folder]
        while pending:
            current = pending.pop()
            for entry in self._entries(current):
                path = f"{current}/{entry.name}"
                if entry.name.startswith("."):
                    continue  # editors, file managers and git keep such files
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False):
                    documents.append(path)
                else:
                    strays.append(path)

    def _entries(self, folder: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(self.root / folder) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError as exc:
            raise OutsideError(
                f"{folder}: cannot be listed: {exc.strerror}", hint="check its permissions"
            ) from exc

    def read(self, path: str) -> bytes | None:
        """The bytes at a path, or nothing."""
        try:
            return (self.root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as exc:
            raise OutsideError(f"{path}: cannot be read: {exc.strerror}") from exc

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The bytes at many paths, in portions that can be sent to other processes."""
        return (FolderPortion(self, portion) for portion in _batches(paths))

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in their order; what cannot be read is told, not raised."""
        root = str(self.root) + os.sep
        for path in paths:
            try:
                with open(root + path, "rb", buffering=0) as file:  # noqa: PTH123 - half the cost of Path.read_bytes
                    yield path, file.read()
            except OSError as exc:
                yield path, exc


@dataclass(frozen=True)
class CommitFiles:
    """The tree as a commit holds it; nothing is checked out."""

    repository: Repository
    commit: str
    label: str

    @functools.cached_property
    def _names(self) -> dict[str, Entry]:
        return names(self.repository, self.commit, FOLDERS)

    def found(self, under: Iterable[str] = FOLDERS) -> Found:
        """Every path below the given folders, sorted."""
        prefixes = tuple(folder + "/" for folder in under)
        paths = [path for path in self._names if path.startswith(prefixes) and not _hidden(path)]
        documents = [path for path in paths if self._is_document(path)]
        return Found(tuple(sorted(documents)), tuple(sorted(set(paths) - set(documents))))

    def _is_document(self, path: str) -> bool:
        return path.endswith(SUFFIX) and self._names[path].kind is EntryKind.FILE

    def read(self, path: str) -> bytes | None:
        """The bytes at a path, or nothing."""
        if path not in self._names or not self._is_document(path):
            return None
        return next(blobs(self.repository, [self._names[path].oid]))[1]

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The bytes at many paths, in portions that can be sent to other processes."""
        return _batches(self.read_all(paths))

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in their order."""
        listed = list(paths)
        missing = [path for path in listed if path not in self._names]
        if missing:
            raise LumosError(f"{missing[0]}: is not in {self.label}")
        contents = blobs(self.repository, [self._names[path].oid for path in listed])
        for path, (_, content) in zip(listed, contents, strict=True):
            yield path, content


def _batches(items: Iterable[T]) -> Iterator[tuple[T, ...]]:
    iterator = iter(items)
    while batch := tuple(itertools.islice(iterator, PORTION)):
        yield batch


def _hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path
