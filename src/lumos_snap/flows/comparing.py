"""Two sides of a tree, compared: which datasets differ, and what cannot be read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import orjson

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.quick import proven
from lumos_snap.config import CONFIG_NAME
from lumos_snap.diff import Action, Comparison, Fact, Likeness, compare
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
    is_new: bool = False
    """Whether the old side has no settings: then it has no tree here."""


class _Met(NamedTuple):
    """A dataset that is on one side only."""

    change: Changed
    before: Document | None
    after: Document | None


@dataclass(frozen=True, slots=True)
class _Side:
    document: dict[str, Any] | None
    problems: tuple[Finding, ...] = ()


def compare_sides(changes: Iterable[Changed]) -> Sides:
    """Compare what differs, file by file; one that cannot be read does not stop the rest."""
    sides = Sides()
    sides.pairs = list(pairs(changes, sides))
    return sides


def pairs(
    changes: Iterable[Changed],
    sides: Sides,
    wanted: Callable[[str], bool] = lambda _path: True,
    progress: Callable[[int], object] = lambda _done: None,
) -> Iterator[Pair]:
    """The datasets that differ, one at a time; what else there is to say goes to `sides`."""
    alone: list[_Met] = []
    for done, change in enumerate(changes, 1):
        progress(done)
        if change.path == CONFIG_NAME:
            sides.is_new = change.form_before is None
            continue
        kind = kind_at(change.path)
        if kind is OBSERVATION or not wanted(change.path):
            continue
        before = _side(change.path, change.before, change.form_before)
        after = _side(change.path, change.after, change.form_after, before.document)
        sides.undecided += before.problems
        sides.damaged += after.problems
        if before.problems or after.problems:
            continue
        if kind is not SNAPSHOT:
            sides.entities += _entity(change.path, before.document, after.document)
        elif before.document and after.document:
            yield from _pair(change, before.document, after.document)
        else:
            alone.append(_Met(change, before.document, after.document))
    yield from _came_and_went(alone)


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


def _pair(change: Changed, old: Document | None, new: Document | None) -> Iterator[Pair]:
    document = new or old
    if document is not None:
        comparison = compare(str(document["urn"]), old, new)
        if comparison.facts:
            yield Pair(change.path, comparison, change.after)


def _came_and_went(alone: list[_Met]) -> Iterator[Pair]:
    """Datasets that are on one side only; one that moved to another path is one pair."""
    gone = {one.change.path: one.before for one in alone if one.before}
    come = {one.change.path: one.after for one in alone if one.after}
    former = renamed_datasets(gone, come)
    left = {path: one for path, one in gone.items() if path not in former.values()}
    likenesses = suspected(left, {path: one for path, one in come.items() if path not in former})
    for change, before, after in alone:
        if change.path in gone and change.path not in left:
            continue  # told where it is now
        old = gone[former[change.path]] if change.path in former else before
        for pair in _pair(change, old, after):
            yield _with_likeness(pair, likenesses.get(change.path))


def _with_likeness(pair: Pair, like: Likeness | None) -> Pair:
    if like is None:
        return pair
    (fact,) = pair.comparison.facts
    return replace(pair, comparison=replace(pair.comparison, facts=(replace(fact, like=like),)))


def _entity(path: str, old: Document | None, new: Document | None) -> Iterator[tuple[str, Fact]]:
    if old != new:
        action = Action.ADDED if old is None else Action.REMOVED if new is None else Action.CHANGED
        yield path, Fact("entity", action, (), item=path, old=old, new=new)
