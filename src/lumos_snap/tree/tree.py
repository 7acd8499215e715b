"""The `Tree` class, and functions that open trees. Rarely needed modules are imported on use."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

from lumos_snap.canonical.document_kinds import (
    FOLDERS,
    OBSERVATION,
    SNAPSHOT,
    DocumentKind,
    kind_at,
    kind_for,
)
from lumos_snap.canonical.paths import urn_of
from lumos_snap.config import CONFIG_NAME
from lumos_snap.documents import Position, Problem
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import (
    Location,
    MergeBase,
    Repository,
    find_repository,
    hint_for_bare,
    locate,
    open_repository,
    resolve,
    steps_below,
)
from lumos_snap.model.urn import Urn
from lumos_snap.schema import Value
from lumos_snap.tree.changes import Announce, TreeChange, base_commit, find_changes_since
from lumos_snap.tree.files import STATE, CommitFiles, Files, Form, NoFiles, TreePaths
from lumos_snap.tree.folder import FolderFiles

if TYPE_CHECKING:
    from lumos_snap.config import Config
    from lumos_snap.model.observation import Observation
    from lumos_snap.model.snapshot import Snapshot
    from lumos_snap.tree.writer import Writer


V = TypeVar("V", bound=Value)
D = TypeVar("D")


def snapshot_class() -> "type[Snapshot]":
    """The class of snapshots, imported on use."""
    from lumos_snap.model.snapshot import Snapshot  # noqa: PLC0415

    return Snapshot


def read_value(path: str, content: bytes | OSError, cls: type[V], kind: DocumentKind) -> V:
    """Read the value in a file of a tree; raises its first problem."""
    from lumos_snap.tree import file_check  # noqa: PLC0415

    return file_check.read_value(path, content, cls, kind)


def encode_checked(value: Value, environment: str | None) -> tuple[str, bytes]:
    """Path and bytes of a value; raises the first problem that the file would have."""
    from lumos_snap.tree import file_check  # noqa: PLC0415

    return file_check.encode_checked(value, environment)


def open_writer(root: Path) -> "AbstractContextManager[Writer]":
    """Lock a tree and open it for writing."""
    from lumos_snap.tree import writer as lock  # noqa: PLC0415

    return lock.open_writer(root)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of a write, by path."""

    changed: tuple[str, ...]
    left: tuple[str, ...]
    """Files that were changed by others since they were read; they are unchanged."""


@dataclass(frozen=True)
class Tree(Mapping[str, "Snapshot"]):
    """The snapshots of a tree, in its folder or at a commit.

    A read-only mapping: `tree[urn]`, `urn in tree`, `tree.items()`, `len(tree)`.
    """

    root: Path
    files: Files
    passed: tuple[Path, ...] = ()  # folders from the given one up to the root, exclusive

    def __getitem__(self, urn: str | Urn) -> "Snapshot":
        """The snapshot of a dataset; raises `LumosError` where its file is invalid."""
        snapshot = self._stored(SNAPSHOT, urn, snapshot_class())
        if snapshot is None:
            raise KeyError(urn)
        return snapshot

    @overload
    def get(self, urn: str | Urn, /) -> "Snapshot | None": ...
    @overload
    def get(self, urn: str | Urn, /, default: "Snapshot | D") -> "Snapshot | D": ...
    def get(self, urn: str | Urn, /, default: object = None) -> object:
        """The snapshot of a dataset, or the default."""
        snapshot = self._stored(SNAPSHOT, urn, snapshot_class())
        return default if snapshot is None else snapshot

    def __iter__(self) -> Iterator[str]:
        yield from map(str, filter(None, map(_urn_at, self.paths(SNAPSHOT))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, urn: object) -> bool:
        path = _path(SNAPSHOT, urn)
        return path is not None and self.files.form(path) is Form.FILE

    @property
    def label(self) -> str:
        """Name of this tree in messages: the working tree, or a ref."""
        return self.files.label

    @functools.cached_property
    def _settings(self) -> bytes | None:
        return self.files.read(CONFIG_NAME)

    @functools.cached_property
    def config(self) -> "Config":
        """The settings in `lumos.yaml` of the tree's folder or commit."""
        if self._settings is None:
            problem = self._no_settings()
            raise LumosError(f"{CONFIG_NAME}: {problem.message}", hint=problem.hint)
        from lumos_snap.config import parse_config  # noqa: PLC0415 - takes its time to load

        return parse_config(self._settings, self.files.name(CONFIG_NAME))

    def config_problems(self) -> tuple[Problem, ...]:
        """Problems of the tree's settings."""
        try:
            raw = self._settings
        except OutsideError as exc:
            return (Problem(Position(), UNREADABLE, exc.message.partition(": ")[2], exc.hint),)
        from lumos_snap.config import problems_of_config  # noqa: PLC0415 - takes its time to load

        return (self._no_settings(),) if raw is None else problems_of_config(raw)

    def _no_settings(self) -> Problem:
        message = f"is not in {self.label} as a plain file"
        return Problem(Position(), UNREADABLE, message, "`lumos snap init` writes one")

    def at(self, ref: str) -> "Tree":
        """The tree at a branch, tag or commit, without a checkout."""
        repository = open_repository(self.root)
        commit = resolve(repository, ref)
        return Tree(self.root, CommitFiles(repository, commit.id, ref))

    def changes(
        self,
        base: str = "HEAD",
        *,
        merge_base: bool = True,
        fetch: bool = True,
        announce: Announce | None = None,
    ) -> Iterator[TreeChange]:
        """Differences between a branch, tag or commit and this tree, sorted by path.

        The comparison is with the merge base of `base` and this tree's commit (HEAD, for the
        working tree); without `merge_base`, with `base` itself. Ignored files are left out.

        A shallow clone that lacks the merge base fetches older history, each step announced,
        and a partial clone fetches missing contents; without `fetch` both are errors.
        """
        found = self.base(base, merge_base=merge_base, fetch=fetch, announce=announce)
        return self.changes_from(found.commit, fetch=fetch)

    def base(
        self, name: str, *, merge_base: bool, fetch: bool = True, announce: Announce | None = None
    ) -> MergeBase:
        """The commit to compare this tree with, and how it was found."""
        return base_commit(
            self.repository,
            name,
            head=self._commit or "HEAD",
            shared=merge_base,
            fetch=fetch,
            announce=announce,
        )

    def changes_from(self, commit: str, *, fetch: bool = True) -> Iterator[TreeChange]:
        """Differences between a commit and this tree, sorted by path."""
        return self.counted_changes(commit, fetch=fetch)[1]

    def counted_changes(
        self, commit: str, *, fetch: bool = True, settings: bool = False
    ) -> tuple[int, Iterator[TreeChange]]:
        """The same with the maximum number of files; with `settings`, `lumos.yaml` is included."""
        under = (*FOLDERS, CONFIG_NAME) if settings else FOLDERS
        return find_changes_since(
            self.repository, commit, head=self._commit, fetch=fetch, under=under
        )

    @property
    def _commit(self) -> str | None:
        return self.files.commit if isinstance(self.files, CommitFiles) else None

    @property
    def prefix(self) -> str:
        """Folder of the tree in its repository: empty at the top, otherwise ending in a slash."""
        return self.repository.prefix

    @functools.cached_property
    def repository(self) -> Repository:
        """The repository of the tree; git is called once."""
        if isinstance(self.files, CommitFiles):
            return self.files.repository
        self.files.folder()  # raises where there is no working tree
        return open_repository(self.root)

    def snapshot_at(self, path: str) -> "Snapshot":
        """Read the snapshot at a path of the tree."""
        content = self.files.read(path)
        if content is None:
            raise LumosError(f"{path}: is not in {self.label}")
        return read_value(path, content, snapshot_class(), SNAPSHOT)

    def observation(self, urn: str | Urn) -> "Observation | None":
        """The latest observation of a dataset, if any."""
        from lumos_snap.model.observation import Observation  # noqa: PLC0415 - few ask for it

        return self._stored(OBSERVATION, urn, Observation)

    def entity(self, cls: type[V], identity: str) -> V | None:
        """The user, group, term or other entity with this id, if any."""
        return self._stored(kind_for(cls), identity, cls)

    def entities(self, cls: type[V]) -> Iterator[V]:
        """All entities of a kind: users, groups, terms, domains, jobs, tags, properties."""
        kind = kind_for(cls)
        for path, content in self.files.read_all(self.paths(kind)):
            yield read_value(path, content, cls, kind)

    def write(self, *values: Value) -> tuple[str, ...]:
        """Write documents; returns the paths that changed.

        Documents that `lumos snap validate` would reject are never written.
        """
        self.files.folder()  # fail before settings are read where the tree cannot be written to
        environment = self.config.environment
        contents = dict(encode_checked(value, environment) for value in values)
        return self.write_bytes(contents).changed

    def write_bytes(
        self,
        contents: Mapping[str, bytes],
        expected: Mapping[str, bytes | None] | None = None,
        *,
        gone: Mapping[str, bytes] | None = None,
        progress: Callable[[int, int], None] | None = None,  # files written, total
    ) -> WriteResult:
        """Write canonical bytes by path, for commands that have validated them; others use `write`.

        `expected` is the content that was read (None for a new file), and `gone` the files to
        remove. A file that has changed in the meantime stays unchanged.
        """
        was_read = expected or {}
        for path in contents:
            if kind_at(path) is None:
                raise LumosError(f"{path}: is no place for a document")
        changed: list[str] = []
        left: list[str] = []
        with open_writer(self.files.folder()) as writer:
            for path, content in contents.items():
                present = self.files.read(path)
                if present == content:
                    continue
                is_theirs = path in was_read and present != was_read[path]
                (left if is_theirs else changed).append(path)
            writer.put_all({path: contents[path] for path in changed}, progress)
            for path, content in (gone or {}).items():
                if self.files.read(path) == content:
                    writer.remove(path)
                    changed.append(path)
                else:
                    left.append(path)
        return WriteResult(tuple(changed), tuple(left))

    def keep(self, name: str, content: Path) -> None:
        """Keep a cache file beside the tree: git ignores it, and it is safe to delete."""
        with open_writer(self.files.folder()) as writer:
            writer.copy(f"{STATE}/{name}", content)

    def remove(self, urn: str | Urn) -> None:
        """Remove a dataset's snapshot and observation, if they exist."""
        with open_writer(self.files.folder()) as writer:
            writer.remove(SNAPSHOT.path(str(urn)))
            writer.remove(OBSERVATION.path(str(urn)))

    def paths(self, kind: DocumentKind) -> tuple[str, ...]:
        """Sorted paths of all documents of a kind; raises where the list would be incomplete."""
        return self.listed((kind.folder,)).documents

    def listed(self, under: tuple[str, ...] = FOLDERS) -> TreePaths:
        """All paths in some folders of documents; raises where the list would be incomplete."""
        found = self.files.found(under)
        for remark in found.unreadable:
            why = f"{remark.path}: cannot be listed: {remark.why}"
            raise OutsideError(why, hint="check its permissions")
        for stray in found.strays:
            if stray.path in (*under, *FOLDERS):
                why = f"{stray.path}: is not a folder of documents: {stray.why}"
                raise OutsideError(why, hint="put a folder in its place")
        return found

    def _stored(self, kind: DocumentKind, identity: object, cls: type[V]) -> V | None:
        path = _path(kind, identity)
        content = None if path is None else self.files.read(path)
        return None if path is None or content is None else read_value(path, content, cls, kind)


def _path(kind: DocumentKind, identity: object) -> str | None:
    """The path of a document; None for an invalid identity."""
    if not isinstance(identity, str | Urn):
        return None
    try:
        return kind.path(str(identity))
    except LumosError:
        return None


def _urn_at(path: str) -> Urn | None:
    try:
        return urn_of(path.removeprefix(SNAPSHOT.folder + "/"))
    except LumosError:
        return None


def open_tree(path: str | Path = ".") -> Tree:
    """Open the tree that contains a folder.

    A bare repository is read with `at`, where the variable GIT_DIR names it.
    """
    place = _locate_folder(Path(path))
    root = _find_root_above(place)
    if root is not None:
        return Tree(root, FolderFiles(root), tuple(steps_below(root, place.folder)))
    if _is_bare(place.folder):
        return Tree(place.folder, NoFiles())
    raise _no_tree(place.folder)


def find_root(start: Path) -> Path:
    """Find the folder with `lumos.yaml`: `start`, or the nearest one above it.

    The search ends at the top of the repository that contains `start`.
    """
    place = _locate_folder(start)
    root = _find_root_above(place)
    if root is None:
        raise _no_tree(place.folder)
    return root


def _locate_folder(path: Path) -> Location:
    try:
        if path.is_dir():
            return locate(path)
        what = "is not a folder" if path.exists() else "there is no such folder"
    except OSError as exc:
        raise OutsideError(f"{path}: {exc.strerror}", hint="check who may enter it") from exc
    raise LumosError(f"{path}: {what}", hint="name a folder of the tree")


def _find_root_above(place: Location) -> Path | None:
    """The nearest folder with settings; found without git, which need not be installed."""
    for folder in (place.folder, *place.folder.parents):
        with contextlib.suppress(PermissionError):  # an inaccessible folder is not our tree
            if (folder / CONFIG_NAME).is_file():
                return folder
        if folder in place.tops[:1]:
            break
    return None


def _is_bare(folder: Path) -> bool:
    """Whether the folder belongs to a repository without a work tree."""
    import shutil  # noqa: PLC0415 - only where no tree is found at once

    if not shutil.which("git"):
        return False
    repository = find_repository(folder)
    return repository is not None and repository.work_tree is None


def _no_tree(folder: Path) -> LumosError:
    return LumosError(
        f"no {CONFIG_NAME} in {folder} or above it",
        hint=hint_for_bare(folder) or "run `lumos snap init` where the tree should be",
    )
