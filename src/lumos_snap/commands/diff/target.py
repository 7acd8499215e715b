"""The target of a change: the tip of the branch that it is merged into, or the old folder.

Its `lumos.yaml` and its waivers are what a team has reviewed; a change cannot edit them.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Protocol

from lumos_snap.concurrency import BackgroundCall
from lumos_snap.config import CONFIG_NAME, WAIVERS
from lumos_snap.git import EntryKind, MergeBase, Repository, blobs, names
from lumos_snap.tree import Tree
from lumos_snap.tree.files import Files

SUFFIXES = (".yaml", ".yml")
"""How the names of waiver files end."""


@dataclass(frozen=True, slots=True)
class PolicyFiles:
    """What one side has decided: its settings, and its files of waivers by path."""

    settings: bytes | None
    waivers: Mapping[str, bytes]


NO_POLICY_FILES = PolicyFiles(None, {})


@dataclass(frozen=True, slots=True)
class Target:
    """What a change is merged into, and what it was before the change left it."""

    name: str
    tip: str | None
    """The commit; none for a folder."""
    base: str | None
    """The commit that the change started from; none for a folder."""
    read: Callable[[str], PolicyFiles]
    """What a commit has decided."""
    _now: BackgroundCall[PolicyFiles]

    @property
    def now(self) -> PolicyFiles:
        """What is decided at the tip."""
        return self._now.result()

    @property
    def before(self) -> PolicyFiles:
        """What was decided where the change started."""
        return self.now if self.base is None or self.base == self.tip else self.read(self.base)


class Approvals(Protocol):
    """Which files of waivers have no approval that counts, and why."""

    def __call__(self, tree: Tree, paths: Set[str], target: Target | None) -> Mapping[str, str]:
        """Ask the forge that the pull request is on."""


def target_at(repository: Repository, base: MergeBase, *, fetch: bool) -> Target:
    """The tip of a base; it is read while git lists what changed."""

    def read(commit: str) -> PolicyFiles:
        return _read_at_commit(repository, commit, fetch=fetch)

    return Target(
        base.target_ref, base.target, base.commit, read, BackgroundCall(lambda: read(base.target))
    )


def target_in(files: Files, name: str) -> Target:
    """The old one of two folders."""

    def read(_commit: str) -> PolicyFiles:
        return read_policy_files(files)

    return Target(name, None, None, read, BackgroundCall(lambda: read_policy_files(files)))


def read_policy_files(files: Files) -> PolicyFiles:
    """What the files of a side decide."""
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
