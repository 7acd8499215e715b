"""The sides of a diff: a base and the working tree, two commits or folders; the target branch."""

import contextlib
import datetime
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lumos_snap.canonical.document_kinds import FOLDERS, SNAPSHOT
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.config import CONFIG_NAME, WAIVERS
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import (
    EntryKind,
    MergeBase,
    Repository,
    blobs,
    find_repository,
    list_tracked,
    names,
)
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce, TreeChange
from lumos_snap.tree.files import CommitFiles, Files, Form
from lumos_snap.tree.folder import FolderFiles

if TYPE_CHECKING:
    from lumos_snap.config.settings import FailOn, Policy

# The merge target of a change: the tip of the target branch, or the old folder.
#
# Its `lumos.yaml` and its waivers are reviewed; a change cannot edit them.


SUFFIXES = (".yaml", ".yml")
"""File name suffixes of waiver files."""


@dataclass(frozen=True, slots=True)
class PolicyFiles:
    """The files of one side that decide a verdict: its settings, and its waiver files by path."""

    settings: bytes | None
    waivers: Mapping[str, bytes]


NO_POLICY_FILES = PolicyFiles(None, {})


@dataclass(frozen=True, slots=True)
class Target:
    """The merge target of a change, now and where the change branched off."""

    name: str
    tip: str | None
    """The commit at the tip; None for a folder."""
    base: str | None
    """The commit that the change started from; None for a folder."""
    read: Callable[[str], PolicyFiles]
    """Reads the policy files at a commit."""
    _now: BackgroundCall[PolicyFiles]

    @property
    def now(self) -> PolicyFiles:
        """The policy files at the tip."""
        return self._now.result()

    @property
    def before(self) -> PolicyFiles:
        """The policy files where the change branched off."""
        return self.now if self.base is None or self.base == self.tip else self.read(self.base)


class Approvals(Protocol):
    """Finds waiver files without a valid approval, and the reason for each."""

    def __call__(self, tree: Tree, paths: Set[str], target: Target | None) -> Mapping[str, str]:
        """Query the forge that hosts the pull request."""


def target_at(repository: Repository, base: MergeBase, *, fetch: bool) -> Target:
    """The target at the tip of a base; it is read while git lists the changes."""

    def read(commit: str) -> PolicyFiles:
        return _read_at_commit(repository, commit, fetch=fetch)

    return Target(
        base.target_ref, base.target, base.commit, read, BackgroundCall(lambda: read(base.target))
    )


def target_in(files: Files, name: str) -> Target:
    """The target for a comparison of two folders: the old folder."""

    def read(_commit: str) -> PolicyFiles:
        return read_policy_files(files)

    return Target(name, None, None, read, BackgroundCall(lambda: read_policy_files(files)))


def read_policy_files(files: Files) -> PolicyFiles:
    """Read the policy files of a side."""
    paths = files.listed(WAIVERS, SUFFIXES)
    return PolicyFiles(files.read(CONFIG_NAME), {path: files.read(path) or b"" for path in paths})


def _read_at_commit(repository: Repository, commit: str, *, fetch: bool) -> PolicyFiles:
    held = names(repository, commit, (CONFIG_NAME, WAIVERS))
    wanted = {
        path: entry.oid
        for path, entry in held.items()
        if entry.kind is EntryKind.FILE and (path == CONFIG_NAME or _is_waivers(path))
    }
    paths = {oid: repository.top_path(path) for path, oid in wanted.items()}
    read = dict(blobs(repository, dict.fromkeys(wanted.values()), paths=paths, fetch=fetch))
    contents = {path: read[oid] for path, oid in wanted.items()}
    return PolicyFiles(contents.pop(CONFIG_NAME, None), contents)


def _is_waivers(path: str) -> bool:
    return path.rpartition("/")[0] == WAIVERS and path.endswith(SUFFIXES)


def require_visible(tree: Tree, snapshots: Collection[str], base: str | None = None) -> None:
    """Raise where no snapshot is visible although git has some here or at a base."""
    if snapshots:
        return
    require_spelling(tree)
    repository = find_repository(tree.root)
    paths = _list_git_snapshots(tree, repository, base) if repository else ()
    if paths:
        raise OutsideError(
            f"cannot decide: {tree.label} shows no snapshots, and git has {len(paths):,}",
            hint="`git sparse-checkout list` shows what is left out; `git restore snapshots` brings"
            " back what was deleted",
        )


def require_spelling(tree: Tree) -> None:
    """Refuse a tree whose snapshot folder is spelled in another case: no reader would find it."""
    if tree.files.form(SNAPSHOT.folder) is not None:
        return
    for name in _folders(tree):
        if name.casefold() == SNAPSHOT.folder:
            raise OutsideError(
                f"cannot decide: {tree.label} has `{name}/` where `{SNAPSHOT.folder}/` is expected",
                hint=f"rename it: `git mv {name} tmp && git mv tmp {SNAPSHOT.folder}`",
            )


def _folders(tree: Tree) -> Collection[str]:
    """The folders beside lumos.yaml."""
    if isinstance(tree.files, CommitFiles):
        return {path.partition("/")[0] for path in names(tree.files.repository, tree.files.commit)}
    try:
        with os.scandir(tree.root) as entries:
            return [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return ()  # the listing of documents reports the error


def _list_git_snapshots(tree: Tree, repository: Repository, base: str | None) -> list[str]:
    """The snapshots that git has in the index or at the base."""
    folder = SNAPSHOT.folder
    is_commit = isinstance(tree.files, CommitFiles)  # a commit is always complete
    found = [] if is_commit else list(list_tracked(repository))
    if base is not None:
        found += names(repository, base, (folder,))
    return [path for path in found if path.startswith(f"{folder}/") and path.endswith(".json")]


NOTHING = "none"
"""Name of the base of a first release: an empty tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """What to compare, as requested by the user."""

    base: str = "HEAD"
    head: str | None = None
    merge_base: bool = True
    fetch: bool = True
    folders: tuple[Path, Path] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Options of a diff: what to compare, and how strictly to judge."""

    sought: SideOptions
    datasets: tuple[str, ...] = ()
    """Paths, urns or patterns; empty for all."""
    fail_on: "FailOn | None" = None
    impact: bool = False
    """Whether findings include their affected consumers."""
    config: Path | None = None
    """Settings file to judge by, instead of that of the tree."""
    approvals: Approvals | None = None
    """Looks up approvals of the pull request; None where no forge is available."""
    today: datetime.date


class Side(NamedTuple):
    """One side: its name, its commit, and how the commit was found."""

    name: str
    commit: str | None = None
    how: str | None = None


@dataclass(frozen=True, slots=True)
class DiffSides:
    """Two resolved sides."""

    base: Side
    head: Side
    head_tree: Tree
    total: int
    """Maximum number of files that differ."""
    changes: Iterator[TreeChange]
    target: Target | None = None
    """The merge target of the new side; None without a base."""

    @property
    def prefix(self) -> str | None:
        """Folder of the new side in its repository; None at the top or without a repository."""
        with contextlib.suppress(LumosError):  # two folders can be compared without git
            return self.head_tree.prefix.rstrip("/") or None
        return None

    @property
    def policy(self) -> "Policy":
        """The policy of the new side; the default policy for a folder without settings."""
        from lumos_snap.config.settings import Policy  # noqa: PLC0415 - loads while git looks

        return Policy() if self._is_bare_folder else self.head_tree.config.policy

    @property
    def environment(self) -> str | None:
        """The environment of the new side; None for a folder without settings."""
        return None if self._is_bare_folder else self.head_tree.config.environment

    @property
    def _is_bare_folder(self) -> bool:
        files = self.head_tree.files
        return isinstance(files, FolderFiles) and files.form(CONFIG_NAME) is None


def resolve_sides(
    open_here: Callable[[], Tree], sought: SideOptions, announce: Announce
) -> DiffSides:
    """Resolve both sides."""
    if sought.folders is not None:
        return _resolve_folders(*sought.folders)
    tree = open_here()
    head = tree if sought.head is None else tree.at(sought.head)
    named = Side(
        name=head.label, commit=head.files.commit if isinstance(head.files, CommitFiles) else None
    )
    if sought.base == NOTHING:
        return DiffSides(Side(name=NOTHING), named, head, *_list_added(head.files))
    is_own = sought.base == "HEAD" and sought.head is None  # the merge base of HEAD is HEAD
    base = head.base(
        sought.base,
        merge_base=sought.merge_base and not is_own,
        fetch=sought.fetch,
        announce=announce,
    )
    _refuse_lost_tree(tree, base.commit)
    how = base.how if sought.merge_base and not is_own else None
    compared = Side(name=base.ref, commit=base.commit, how=how)
    target = target_at(head.repository, base, fetch=sought.fetch)
    changes = head.counted_changes(base.commit, fetch=sought.fetch, settings=True)
    return DiffSides(compared, named, head, *changes, target)


def _refuse_lost_tree(tree: Tree, commit: str) -> None:
    """Refuse where a nested tree was deleted: the tree around it does not show what was lost."""
    lost = [(step / CONFIG_NAME).relative_to(tree.root).as_posix() for step in tree.passed]
    for path in names(tree.repository, commit, lost) if lost else ():
        raise OutsideError(
            f"cannot decide: the base has {tree.repository.top_path(path)}, and it is gone",
            hint="put it back; a tree that was moved is compared in the folder where it is now",
        )


def is_tree_folder(path: Path) -> bool:
    """Whether a folder is itself a tree."""
    return (path / CONFIG_NAME).is_file() or (path / FOLDERS[0]).is_dir()


def _resolve_folders(old: Path, new: Path) -> DiffSides:
    for folder in (old, new):
        if not folder.is_dir():
            raise OutsideError(f"{folder}: there is no such folder", hint="name two folders")
        if not is_tree_folder(folder):
            raise LumosError(
                f"{folder}: is no tree", hint=f"a tree has a {CONFIG_NAME} or a {FOLDERS[0]}/"
            )
    before, after = FolderFiles(old.resolve()), FolderFiles(new.resolve())
    head = Tree(new.resolve(), after)
    target = target_in(before, str(old))
    return DiffSides(
        Side(name=str(old)), Side(name=str(new)), head, *_list_differences(before, after), target
    )


def _list_added(files: Files) -> tuple[int, Iterator[TreeChange]]:
    """List all files of a side as added."""
    paths = files.found().documents
    found = files.read_all(paths)
    return len(paths), (TreeChange(p, None, _bytes(p, raw), None, Form.FILE) for p, raw in found)


def _list_differences(before: Files, after: Files) -> tuple[int, Iterator[TreeChange]]:
    """List the differences of two sides without git."""
    olds, news = frozenset(before.found().documents), frozenset(after.found().documents)
    return len(olds | news), _iter_differences(before, after, olds, news)


def _iter_differences(
    before: Files, after: Files, olds: frozenset[str], news: frozenset[str]
) -> Iterator[TreeChange]:
    for path in sorted(olds | news):
        old = before.read(path) if path in olds else None
        new = after.read(path) if path in news else None
        if old != new:
            yield TreeChange(path, old, new, _form(old), _form(new))


def _form(content: bytes | None) -> Form | None:
    return None if content is None else Form.FILE


def _bytes(path: str, content: bytes | OSError) -> bytes:
    if isinstance(content, OSError):
        raise OutsideError(f"{path}: cannot be read: {content.strerror}")
    return content
