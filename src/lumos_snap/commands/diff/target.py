"""The merge target of a change: the tip of the target branch, or the old folder.

Its `lumos.yaml` and its waivers are reviewed; a change cannot edit them.
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
