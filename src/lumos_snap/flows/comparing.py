"""Two sides of a tree, compared: which datasets differ, and what cannot be read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.quick import proven
from lumos_snap.diff import Action, Comparison, Fact, compare
from lumos_snap.diff.renaming import renamed_datasets, suspected
from lumos_snap.report.base import Finding
from lumos_snap.tree.changing import Changed
from lumos_snap.tree.forms import Form, Remark, why_stray

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A dataset that differs: its file, its raw bytes on the new side, and what differs."""

    path: str
    comparison: Comparison
    after: bytes | None


@dataclass(slots=True)
class Sides:
    """Everything that differs between two sides."""

    pairs: list[Pair] = field(default_factory=list)
    entities: list[tuple[str, Fact]] = field(default_factory=list)
    damaged: list[Finding] = field(default_factory=list)
    undecided: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Side:
    document: dict[str, Any] | None
    problems: tuple[Finding, ...] = ()


def compare_sides(
    changes: Iterable[Changed],
    wanted: Callable[[str], bool] = lambda _path: True,
    progress: Callable[[int], object] = lambda _done: None,
) -> Sides:
    """Compare what differs, file by file; one that cannot be read does not stop the rest."""
    sides = Sides()
    found: list[tuple[Changed, _Side, _Side]] = []
    for done, change in enumerate(changes, 1):
        progress(done)
        kind = kind_at(change.path)
        if kind is OBSERVATION or not wanted(change.path):
            continue
        before = _side(change.path, change.before, change.form_before)
        after = _side(change.path, change.after, change.form_after, before.document)
        sides.undecided += before.problems
        sides.damaged += after.problems
        if before.problems or after.problems:
            continue
        if kind is SNAPSHOT:
            found.append((change, before, after))
        elif kind is not None:
            sides.entities += _entity(change.path, before.document, after.document)
    sides.pairs = list(_pairs(found))
    return sides


def _side(path: str, raw: bytes | None, form: Form | None, like: Document | None = None) -> _Side:
    if form is None:
        return _Side(None)
    kind = kind_at(path)
    stray = why_stray(path, form)
    if stray or kind is None or raw is None:
        return _Side(None, _not_a_document(path, stray or "it is gone"))
    document = proven(raw, kind.cls, like)
    return _read(path, raw, kind) if document is None else _Side(document)


# Judging a file takes its time to load, and most diffs meet none that is not canonical.


def _read(path: str, raw: bytes, kind: DocumentKind) -> _Side:
    from lumos_snap.canonical.reading import read  # noqa: PLC0415
    from lumos_snap.flows.judging import finding  # noqa: PLC0415

    reading = read(raw, kind.cls)
    if reading.document is None or reading.canonical is None:
        return _Side(None, tuple(finding(path, problem) for problem in reading.problems))
    return _Side(orjson.loads(reading.canonical))


def _not_a_document(path: str, why: str) -> tuple[Finding, ...]:
    from lumos_snap.flows.judging import stray  # noqa: PLC0415

    return (stray(Remark(path, why)),)


def _pairs(found: list[tuple[Changed, _Side, _Side]]) -> Iterator[Pair]:
    """The datasets that differ; one that moved to another path is one pair."""
    gone = {c.path: b.document for c, b, a in found if b.document and not a.document}
    come = {c.path: a.document for c, b, a in found if a.document and not b.document}
    former = renamed_datasets(gone, come)
    left = {path: one for path, one in gone.items() if path not in former.values()}
    likenesses = suspected(left, {path: one for path, one in come.items() if path not in former})
    for change, before, after in found:
        if change.path in gone and change.path not in left:
            continue  # told where it is now
        old = gone[former[change.path]] if change.path in former else before.document
        document = after.document or old
        if document is None:
            continue
        comparison = compare(str(document["urn"]), old, after.document)
        if change.path in likenesses:
            (fact,) = comparison.facts
            told = replace(fact, like=likenesses[change.path])
            comparison = replace(comparison, facts=(told,))
        if comparison.facts:
            yield Pair(change.path, comparison, change.after)


def _entity(path: str, old: Document | None, new: Document | None) -> Iterator[tuple[str, Fact]]:
    if old != new:
        action = Action.ADDED if old is None else Action.REMOVED if new is None else Action.CHANGED
        yield path, Fact("entity", action, (), item=path, old=old, new=new)
