"""What a scan has written becomes a commit, on the branch that was asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT
from lumos_snap.config.settings import Observations
from lumos_snap.flows.scanning.asked import Asked
from lumos_snap.flows.scanning.gone import Leaving
from lumos_snap.git import Repository, open_repository, staging, writing
from lumos_snap.report.scanning import Outcome
from lumos_snap.scan.deciding import Decided
from lumos_snap.tree import Tree


class Committed(NamedTuple):
    """A commit, and the branch that it stands on."""

    id: str
    branch: str


@dataclass(frozen=True, slots=True)
class Committing:
    """Where a commit will stand; everything that may be missing was looked for."""

    repository: Repository | None
    asked: Asked
    tracks_observations: bool

    @classmethod
    def ready(cls, tree: Tree, asked: Asked) -> "Committing":
        """Look, before anything is read or written, whether there can be a commit."""
        if not (asked.commit and asked.write):
            return cls(None, asked, tracks_observations=False)
        repository = open_repository(tree.root)
        if asked.branch is None:
            writing.require_branch(repository)
        else:
            staging.require_branch_name(repository, asked.branch)
        writing.require_identity(repository)
        tracked = tree.config.observations is Observations.TRACKED
        return cls(repository, asked, tracks_observations=tracked)

    def done(
        self, changed: Sequence[str], decided: Sequence[Decided], left: Leaving
    ) -> Committed | None:
        """Commit what was written and removed, and nothing else; nothing where that is nothing."""
        if self.repository is None:
            return None
        kinds = (SNAPSHOT, OBSERVATION) if self.tracks_observations else (SNAPSHOT,)
        folders = tuple(f"{kind.folder}/" for kind in kinds)
        paths = [path for path in changed if path.startswith(folders)]
        paths += [kind.path(urn) for urn in left.removed for kind in kinds]
        if not paths:
            return None
        if self.asked.branch is not None:
            staging.switch(self.repository, self.asked.branch)
        branch = writing.require_branch(self.repository)
        message = self.asked.message or message_for(decided, left)
        staging.add(self.repository, paths)
        return Committed(writing.commit(self.repository, paths, message, what="the scan"), branch)


def message_for(decided: Sequence[Decided], left: Leaving) -> str:
    """A commit's subject and the datasets that it is about."""
    counts = Counter(one.outcome for one in decided)
    counts[Outcome.REMOVED] = len(left.removed)
    told = [f"{counts[one]} {one}" for one in _TOLD if counts[one]]
    lines = [
        f"{one.outcome}: {one.urn.removeprefix('lumos://')}"
        for one in decided
        if one.outcome in _TOLD
    ]
    lines += [f"{Outcome.REMOVED}: {urn.removeprefix('lumos://')}" for urn in left.removed]
    listed = [*lines[:_MOST_LINES], *(["…"] if len(lines) > _MOST_LINES else [])]
    body = "\n".join(listed)
    return f"Scan storage: {', '.join(told) or 'observations'}\n\n{body}\n"


_TOLD = (Outcome.ADDED, Outcome.CHANGED, Outcome.MOVED, Outcome.REMOVED)
_MOST_LINES = 100
