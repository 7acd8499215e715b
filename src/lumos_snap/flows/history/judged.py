"""What each commit changed of one dataset, judged as of the day of that commit."""

from collections.abc import Iterator
from dataclasses import dataclass

from lumos_snap.config import CONFIG_NAME, load_config
from lumos_snap.config.settings import Policy
from lumos_snap.flows.history.documents import Document, Unread
from lumos_snap.flows.history.merged import Differing, differences
from lumos_snap.flows.history.past import Past, Step
from lumos_snap.flows.history.times import moment, urn_at
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judge import judge
from lumos_snap.rules.policy import check
from lumos_snap.tree import Tree
from lumos_snap.tree.path_kinds import Form


@dataclass(frozen=True, slots=True)
class Judged:
    """One step: what differs from each side before it, or why this version cannot be read."""

    step: Step
    urn: str
    differences: tuple[Differing, ...] = ()
    document: Document | None = None
    unread: str = ""

    @property
    def says_something(self) -> bool:
        """Whether there is anything to tell of it."""
        return bool(self.unread) or any(one.own for one in self.differences)

    def findings(self, policy: Policy) -> tuple[Finding, ...]:
        """What the step means, the gravest first."""
        today = moment(self.step.commit.time).date()
        found = []
        for one in self.differences:
            own = {id(fact) for fact in one.own}
            judgements = judge(one.comparison, policy, today) if own else ()
            found += [finding for finding in judgements if id(finding.fact) in own]
        return tuple(sorted(found, key=lambda one: -one.level))


def judged(past: Past) -> Iterator[Judged]:
    """Every step of a past; a version that cannot be read is compared across."""
    for index, step in past:
        urn = urn_at(step.path)
        side = past.documents.of(step.after)
        if isinstance(side, Unread):
            yield Judged(step, urn, unread=side.why)
        elif step.commit.is_end:
            yield Judged(step, urn, document=side)
        else:
            olds = [past.readable(entry, index) for entry in step.before]
            yield Judged(step, urn, differences(urn, olds, side), side)


def policy_of(tree: Tree) -> Policy:
    """What a team has decided as of now: the past is judged by that too."""
    if (tree.root / CONFIG_NAME).is_file():
        policy = load_config(tree.root).policy
    elif tree.files.form(CONFIG_NAME) is Form.FILE:
        policy = tree.config.policy
    else:
        policy = Policy()  # a bare repository, as of a commit without settings
    check(policy)
    return policy
