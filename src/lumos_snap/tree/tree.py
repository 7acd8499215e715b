"""A tree of documents: a read-only mapping from urns to snapshots, wherever the bytes are."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind, kind_of
from lumos_snap.canonical.place import urn_of
from lumos_snap.canonical.reading import read
from lumos_snap.config import CONFIG_NAME, Config, load_config
from lumos_snap.documents import Problem, RefusedError, jsontext
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import find_repository, open_repository, resolve
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.urn import Urn
from lumos_snap.shape import Value
from lumos_snap.tree.files import CommitFiles, Files, FolderFiles
from lumos_snap.tree.writing import writing

V = TypeVar("V", bound=Value)


@dataclass(frozen=True)
class Tree(Mapping[str, Snapshot]):
    """The snapshots of a tree by urn, as they are in its folder or were at a commit."""

    root: Path
    files: Files

    def __getitem__(self, urn: str) -> Snapshot:
        snapshot = self._stored(SNAPSHOT, urn, Snapshot)
        if snapshot is None:
            raise KeyError(urn)
        return snapshot

    def __iter__(self) -> Iterator[str]:
        for path in self.paths(SNAPSHOT):
            urn = _urn_at(path)
            if urn is not None:
                yield str(urn)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, urn: object) -> bool:
        return isinstance(urn, str) and self.files.read(SNAPSHOT.path(urn)) is not None

    @property
    def label(self) -> str:
        """What this tree is called in messages: the working tree, or a ref."""
        return self.files.label

    @functools.cached_property
    def config(self) -> Config:
        """The settings in the tree's `lumos.yaml`, as they are in the folder now."""
        return load_config(self.root)

    def at(self, ref: str) -> "Tree":
        """The same tree as it was at a branch, tag or commit, without a checkout."""
        repository = open_repository(self.root)
        commit = resolve(repository, ref)
        return Tree(self.root, CommitFiles(repository, commit.id, ref))

    def snapshot_at(self, path: str) -> Snapshot:
        """The snapshot in the file at a path of the tree."""
        content = self.files.read(path)
        if content is None:
            raise LumosError(f"{path}: is not in {self.label}")
        return _sound(path, content, Snapshot)

    def observation(self, urn: str) -> Observation | None:
        """The latest reading of a dataset, if there is one."""
        return self._stored(OBSERVATION, urn, Observation)

    def entity(self, cls: type[V], identity: str) -> V | None:
        """The user, group, term, domain or job of this id, if there is one."""
        kind = next(kind for kind in KINDS if kind.cls is cls)
        return self._stored(kind, identity, cls)

    def entities(self, cls: type[V]) -> Iterator[V]:
        """Every user, group, term, domain or job."""
        kind = next(kind for kind in KINDS if kind.cls is cls)
        for path, content in self.files.read_all(self.paths(kind)):
            yield _sound(path, content, cls)

    def write(self, *values: Value) -> tuple[str, ...]:
        """Write documents; returns the paths that changed. Nothing invalid is ever written."""
        return self.write_bytes({_path(value): _checked(value) for value in values})

    def write_bytes(self, contents: Mapping[str, bytes]) -> tuple[str, ...]:
        """Write canonical bytes by path; returns the paths that changed."""
        if not isinstance(self.files, FolderFiles):
            raise LumosError(f"{self.label} cannot be written to", hint="write to the working tree")
        with writing(self.root) as writer:
            changed = [path for path in contents if self.files.read(path) != contents[path]]
            for path in changed:
                writer.put(path, contents[path])
        return tuple(changed)

    def remove(self, urn: str) -> None:
        """Remove a dataset's snapshot and observation."""
        with writing(self.root) as writer:
            writer.remove(SNAPSHOT.path(urn))
            writer.remove(OBSERVATION.path(urn))

    def paths(self, kind: DocumentKind) -> tuple[str, ...]:
        """The paths of all documents of a kind, sorted."""
        return self.files.found((kind.folder,)).documents

    def documents(self, kind: DocumentKind) -> Iterator[tuple[str, Any]]:
        """Path and parsed content of all documents of a kind that can be parsed, unjudged."""
        for path, content in self.files.read_all(self.paths(kind)):
            document = parsed(content)
            if isinstance(document, dict):
                yield path, document

    def _stored(self, kind: DocumentKind, identity: str, cls: type[V]) -> V | None:
        path = kind.path(identity)
        content = self.files.read(path)
        return None if content is None else _sound(path, content, cls)


def find_root(start: Path) -> Path:
    """The folder that holds `lumos.yaml`: `start`, or the nearest one around it."""
    at = start.resolve()
    for folder in (at, *at.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder
    raise LumosError(
        f"no {CONFIG_NAME} in {at} or above", hint="run `lumos snap init` where the tree should be"
    )


def open_tree(path: str | Path = ".") -> Tree:
    """The tree that a folder belongs to; in a bare repository, use `at` to read it."""
    folder = Path(path)
    repository = None if (folder / CONFIG_NAME).is_file() else find_repository(folder)
    is_bare = repository is not None and repository.work_tree is None
    root = folder.resolve() if is_bare else find_root(folder)
    return Tree(root, FolderFiles(root))


def _urn_at(path: str) -> Urn | None:
    try:
        return urn_of(path.removeprefix(SNAPSHOT.folder + "/"))
    except LumosError:
        return None


def parsed(content: bytes | OSError) -> Any:
    """The value that a file's bytes stand for; nothing where they stand for none."""
    if isinstance(content, OSError):
        return None
    try:
        return jsontext.parse(content)
    except RefusedError:
        return None


def _sound(path: str, content: bytes | OSError, cls: type[V]) -> V:
    if isinstance(content, OSError):
        raise OutsideError(f"{path}: cannot be read: {content.strerror}")
    reading = read(content, cls)
    value = reading.value
    if value is None:
        raise LumosError(_line(path, reading.problems[0]), hint="run `lumos snap validate`")
    return value


def _line(path: str, problem: Problem) -> str:
    return f"{path}:{problem.place.line}:{problem.place.column}: {problem.message}"


def _path(value: Value) -> str:
    kind = kind_of(value)
    return kind.path(getattr(value, kind.identity))


def _checked(value: Value) -> bytes:
    content = encode(value)
    problems: Iterable[Problem] = read(content, type(value)).problems
    for problem in problems:
        raise LumosError(_line(_path(value), problem), hint=problem.hint)
    return content
