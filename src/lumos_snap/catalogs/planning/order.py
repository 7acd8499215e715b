"""In what order a plan is carried out: what is referred to comes before what refers to it."""

from collections.abc import Iterator, Mapping
from enum import IntEnum

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.catalogs.planning.decision import Decision
from lumos_snap.catalogs.seam import Action
from lumos_snap.shape import Document


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


def stages(decision: Decision) -> Iterator[Stage]:
    """The stages in which a document is written, one after the other."""
    if decision.action is None:
        return
    if decision.action is Action.DELETE:
        yield Stage.DELETES
        return
    before: Document = dict(decision.sides.held.document) if decision.sides.held else {}
    first = _STAGES[decision.identity.kind]
    for stage in Stage:
        after = target(before, decision.wanted, decision.identity.kind, stage)
        is_first = stage is first and decision.action is not Action.UPDATE
        if is_first or (stage >= first and after != before):
            yield stage
        before = after


def target(held: Document, wanted: Document, kind: str, stage: Stage) -> Document:
    """What the catalog is to hold after a stage: what it has, and the sections of that stage."""
    if stage is Stage.DELETES:
        return held
    names = {name for name in {**held, **wanted} if _LATER.get(name, Stage.DATASETS) is stage}
    if kind != SNAPSHOT.name:
        names = {*held, *wanted} if _STAGES[kind] is stage else set()
    kept = {name: one for name, one in held.items() if name not in names}
    taken = {name: one for name, one in wanted.items() if name in names}
    return {**kept, **taken}
