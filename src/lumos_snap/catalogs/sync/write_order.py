"""In what order a plan is carried out: what is referred to comes before what refers to it."""

from collections.abc import Mapping
from enum import IntEnum

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import Action, Change, Held
from lumos_snap.catalogs.sync.decision import Decision
from lumos_snap.merging import same
from lumos_snap.schema import Document


class Stage(IntEnum):
    """What is written together, before all that follows."""

    WORDS = 0  # tags, terms, domains, users, groups
    PROPERTIES = 1
    DATASETS = 2
    LINEAGE = 3
    ASSERTIONS = 4
    DELETES = 5


_STAGES: Mapping[str, Stage] = {
    "tag": Stage.WORDS,
    "term": Stage.WORDS,
    "domain": Stage.WORDS,
    "user": Stage.WORDS,
    "group": Stage.WORDS,
    "property": Stage.PROPERTIES,
    SNAPSHOT.name: Stage.DATASETS,
    "job": Stage.LINEAGE,  # it names the datasets that it reads and writes
}
_LATER: Mapping[str, Stage] = {"lineage": Stage.LINEAGE, "quality": Stage.ASSERTIONS}
"""Sections of a snapshot that refer to other documents, or that others make."""


def change_at(
    decision: Decision, held: Held | None, stage: Stage, *, in_steps: bool = True
) -> Change | None:
    """What is to be written of a document when a stage begins, given what the catalog holds now.

    Where it is not done in steps, all of a document is written when its first stage begins.
    """
    identity = decision.identity
    if decision.action is Action.DELETE:
        return Change(identity, Action.DELETE, {}, held) if stage is Stage.DELETES else None
    first = _STAGES[identity.kind]
    if decision.action is None or stage < first or stage is Stage.DELETES:
        return None
    there = held.document if held else {}
    wanted = decision.wanted
    after = _up_to(stage, there, wanted, identity.kind) if in_steps else wanted
    if held is None or held.is_removed:
        return Change(identity, Action.REVIVE if held else Action.CREATE, after, held)
    if same(after, there):
        return None
    return Change(identity, Action.UPDATE, after, held, decision.moved)


def _up_to(stage: Stage, there: Document, wanted: Document, kind: str) -> Document:
    """What the catalog has, and what is wanted of all sections that come no later than a stage."""
    if kind != SNAPSHOT.name:
        return wanted
    names = {one for one in {**there, **wanted} if _LATER.get(one, Stage.DATASETS) <= stage}
    kept = {name: one for name, one in there.items() if name not in names}
    taken = {name: one for name, one in wanted.items() if name in names}
    return {**kept, **taken}
