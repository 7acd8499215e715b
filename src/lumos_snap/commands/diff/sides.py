"""Which two sides a diff compares: a base and the working tree, two commits, or two folders."""

import contextlib
import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.commands.diff.target import Approvals, Target, target_at, target_in
from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import names
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce, TreeChange
from lumos_snap.tree.files import CommitFiles, Files
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.path_kinds import Form

if TYPE_CHECKING:
    from lumos_snap.config.settings import FailOn, Policy

NOTHING = "none"
"""The base of a first release: a tree without anything in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """What a user asks to compare."""

    base: str = "HEAD"
    head: str | None = None
    merge_base: bool = True
    fetch: bool = True
    folders: tuple[Path, Path] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """What is compared, and how strictly."""

    sought: SideOptions
    datasets: tuple[str, ...] = ()
    """Paths, urns or patterns; empty for all."""
    fail_on: "FailOn | None" = None
    impact: bool = False
    """Whether findings say who feels them."""
    config: Path | None = None
    """Settings to judge by, instead of those of the tree."""
    approvals: Approvals | None = None
    """Who approved the pull request; none where no forge can be asked."""
    today: datetime.date


class Side(NamedTuple):
    """One side, as it is called, and the commit that was found for it."""

    name: str
    commit: str | None = None
    how: str | None = None


@dataclass(frozen=True, slots=True)
class DiffSides:
    """Two sides, found."""

    base: Side
    head: Side
    head_tree: Tree
    total: int
    """How many files differ, at most."""
    changes: Iterator[TreeChange]
    target: Target | None = None
    """What the new side is merged into; none where there is nothing before it."""

    @property
    def prefix(self) -> str | None:
        """Where the new side lies in its repository; nothing at the top, and without one."""
        with contextlib.suppress(LumosError):  # two folders can be compared without git
            return self.head_tree.prefix.rstrip("/") or None
        return None

    @property
    def policy(self) -> "Policy":
        """The policy of the new side; that of a folder without settings is the default."""
        from lumos_snap.config.settings import Policy  # noqa: PLC0415 - loads while git looks

        return Policy() if self._is_bare_folder else self.head_tree.config.policy

    @property
    def environment(self) -> str | None:
        """The environment of the new side; nothing for a folder without settings."""
        return None if self._is_bare_folder else self.head_tree.config.environment

    @property
    def _is_bare_folder(self) -> bool:
        files = self.head_tree.files
        return isinstance(files, FolderFiles) and files.form(CONFIG_NAME) is None


def resolve_sides(
    open_here: Callable[[], Tree], sought: SideOptions, announce: Announce
) -> DiffSides:
    """Find both sides."""
    if sought.folders is not None:
        return _resolve_folders(*sought.folders)
    tree = open_here()
    head = tree if sought.head is None else tree.at(sought.head)
    named = Side(
        name=head.label, commit=head.files.commit if isinstance(head.files, CommitFiles) else None
    )
    if sought.base == NOTHING:
        return DiffSides(Side(name=NOTHING), named, head, *_list_added(head.files))
    is_own = sought.base == "HEAD" and sought.head is None  # what HEAD shares with itself is HEAD
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
    """Another tree around the one that was asked for says nothing of what that one has lost."""
    lost = [(step / CONFIG_NAME).relative_to(tree.root).as_posix() for step in tree.passed]
    for path in names(tree.repository, commit, lost) if lost else ():
        raise OutsideError(
            f"cannot decide: the base has {tree.repository.top_path(path)}, and it is gone",
            hint="put it back; a tree that was moved is compared in the folder where it is now",
        )


def is_tree_folder(path: Path) -> bool:
    """Whether a folder holds a tree by itself."""
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
    """Everything on a side, as added."""
    paths = files.found().documents
    found = files.read_all(paths)
    return len(paths), (TreeChange(p, None, _bytes(p, raw), None, Form.FILE) for p, raw in found)


def _list_differences(before: Files, after: Files) -> tuple[int, Iterator[TreeChange]]:
    """What differs between two sides that git does not compare."""
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
