"""Commit of a scan's changes, on the requested branch."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.commands.scan.missing_datasets import MissingDatasets
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.config.settings import Observations
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository, commits, open_repository
from lumos_snap.report.scan import ScanOutcome
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.tree import Tree


class ScanCommit(NamedTuple):
    """A commit and its branch."""

    id: str
    branch: str


@dataclass(slots=True)
class CommitPlan:
    """The planned commit, if one is wanted."""

    repository: Repository | None = None
    tree: Tree | None = None
    message: str | None = None
    tracks_observations: bool = False
    staged: bool = False
    """Whether changes are staged or committed; the branch then stays checked out."""

    def done(
        self, changed: Sequence[str], decided: Sequence[DatasetUpdate], left: MissingDatasets
    ) -> ScanCommit | None:
        """Commit the files that scans have written and removed; None without changes.

        Uncommitted files of earlier scans are included.
        """
        if self.repository is None or self.tree is None:
            return None
        kinds = (SNAPSHOT, OBSERVATION) if self.tracks_observations else (SNAPSHOT,)
        folders = tuple(f"{kind.folder}/" for kind in kinds)
        wanted = {path for path in changed if path.startswith(folders)}
        sound = (one.path for one in decided if not one.broken)
        wanted |= _find_never_committed(self.tree, sound)
        self.staged = bool(wanted)
        paths = commits.add(self.repository, sorted(wanted))
        self.staged = bool(paths)
        if not paths:
            return None
        message = self.message or build_message(frozenset(paths), decided, left)
        commit = commits.commit(
            self.repository,
            paths,
            message,
            what="the scan",
            again="its files are written: mend this, then `git commit`: all is staged",
        )
        return ScanCommit(commit, commits.require_branch(self.repository))


def _find_never_committed(tree: Tree, paths: Iterable[str]) -> set[str]:
    """Snapshots that are not in the last commit, whatever their content."""
    try:
        committed = set(tree.at("HEAD").paths(SNAPSHOT))
    except LumosError:
        committed = set()  # the repository has no commit yet
    return {path for path in paths if path not in committed}


@contextmanager
def prepare_commit(tree: Tree, asked: ScanOptions) -> Iterator[CommitPlan]:
    """Check that a commit is possible before anything is read or written, and switch to its branch.

    The scan decides against the target branch. Where nothing was committed, the previous branch is
    checked out again.
    """
    if not (asked.commit and asked.write):
        yield CommitPlan()
        return
    repository = open_repository(tree.root)
    commits.require_identity(repository)
    tracked = tree.config.observations is Observations.TRACKED
    made = CommitPlan(repository, tree, asked.message, tracked)
    if asked.branch is None:
        commits.require_branch(repository)
        yield made
        return
    with commits.on_branch(repository, asked.branch, stays=lambda: made.staged):
        yield made


def build_message(
    paths: Container[str], decided: Sequence[DatasetUpdate], left: MissingDatasets
) -> str:
    """Build the commit message: counts in the subject, and a list of datasets."""
    about = [(one.outcome, one.urn) for one in decided if one.path in paths]
    about += [(ScanOutcome.REMOVED, urn) for urn in left.removed if SNAPSHOT.path(urn) in paths]
    counts = Counter(outcome for outcome, _ in about)
    told = [f"{counts[one]} {one}" for one in _REPORTED_OUTCOMES if counts[one]]
    told += [f"{counts[ScanOutcome.UNCHANGED]} of an earlier scan"] * bool(
        counts[ScanOutcome.UNCHANGED]
    )
    lines = [f"{outcome}: {urn.removeprefix('lumos://')}" for outcome, urn in about]
    listed = [*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])]
    body = "\n".join(listed)
    return f"Scan storage: {', '.join(told) or 'observations'}\n\n{body}\n"


_REPORTED_OUTCOMES = (
    ScanOutcome.ADDED,
    ScanOutcome.CHANGED,
    ScanOutcome.MOVED,
    ScanOutcome.REMOVED,
)
_MOST_LINES = 100
