"""`lumos snap predict`: what a proposed schema would mean, before anything is written."""

import datetime

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.diff import compare
from lumos_snap.flows.choosing import find_dataset
from lumos_snap.flows.history.told import bump, changes, versions
from lumos_snap.flows.incoming import Incoming
from lumos_snap.flows.proposing import proposed
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.log import Prediction
from lumos_snap.rules.finding import FailOn, bump_of, fails
from lumos_snap.rules.judge import judge
from lumos_snap.rules.policy import check
from lumos_snap.rules.severity import Bump
from lumos_snap.schema import document_of
from lumos_snap.tree import Tree
from lumos_snap.versioning.semantic import FIRST, parse, step


def predict(
    tree: Tree, wanted: str, proposal: Incoming, *, fail_on: FailOn | None, today: datetime.date
) -> Prediction:
    """Judge a proposal against the present snapshot of a dataset; nothing is written."""
    path = find_dataset(tree, wanted)
    present = canonical_document(document_of(tree.snapshot_at(path)), Snapshot)
    policy = tree.config.policy
    check(policy)
    comparison = compare(present["urn"], present, proposed(proposal, present))
    findings = judge(comparison, policy, today)
    least = fail_on or policy.fail_on
    version, _ = versions(present)
    return Prediction(
        source=tree.label,
        urn=present["urn"],
        path=path,
        proposal=proposal.name,
        verdict="fail" if any(fails(one, least) for one in findings) else "pass",
        fail_on=least,
        bump=bump(findings),
        schema_version=version,
        next_version=next_version(version, bump_of(findings)),
        changes=changes(findings),
    )


def next_version(version: str | None, bump: Bump) -> str | None:
    """The version after a change; the first one where there is none yet, none where none is due."""
    if bump is Bump.NONE:
        return None
    return str(FIRST if version is None else step(parse(version), bump))
