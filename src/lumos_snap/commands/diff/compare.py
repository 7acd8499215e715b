"""Comparison of two sides of a tree: datasets that differ, and invalid documents.

A document on the new side that the change touches must pass `lumos snap validate`. An invalid one
on the old side is reported and does not block, so that a change that repairs it passes.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, kind_at
from lumos_snap.canonical.read import is_doubtful, read_fast, read_valid
from lumos_snap.commands.diff.sides import DiffSides
from lumos_snap.config import CONFIG_NAME
from lumos_snap.diff import Action, Comparison, Fact, Likeness, compare
from lumos_snap.diff.renames import find_dataset_renames, find_suspected_renames
from lumos_snap.errors import LumosError
from lumos_snap.report.envelope import FileFinding
from lumos_snap.schema import Document
from lumos_snap.tree.changes import TreeChange
from lumos_snap.tree.files import PathRemark, why_stray


@dataclass(frozen=True, slots=True)
class Pair:
    """A dataset that differs: its path, the comparison, and the raw bytes on the new side."""

    path: str
    comparison: Comparison
    after: bytes | None


@dataclass(slots=True)
class CompareResult:
    """Everything that differs between two sides."""

    pairs: list[Pair] = field(default_factory=list)
    entities: list[tuple[str, Fact]] = field(default_factory=list)
    damaged: list[FileFinding] = field(default_factory=list)
    """Problems of documents on the new side that the change touches."""
    undecided: list[FileFinding] = field(default_factory=list)
    unreadable_before: list[FileFinding] = field(default_factory=list)
    """Documents on the old side that are unreadable and cannot be compared."""
    invalid_before: list[FileFinding] = field(default_factory=list)
    """Problems of other documents on the old side."""
    is_new: bool = False
    """Whether the old side has no lumos.yaml, and therefore no tree."""


class _OneSided(NamedTuple):
    """A dataset that exists on one side only."""

    change: TreeChange
    before: Document | None
    after: Document | None


class _Side(NamedTuple):
    """A document on one side, as far as it can be read, and its problems."""

    document: Document | None
    problems: tuple[FileFinding, ...] = ()


def compare_sides(chosen: DiffSides) -> CompareResult:
    """Compare the differing files; an unreadable one does not stop the others."""
    sides = CompareResult()
    sides.pairs = list(iter_pairs(chosen, sides))
    return sides


def iter_pairs(
    chosen: DiffSides,
    sides: CompareResult,
    wanted: Callable[[str], bool] = lambda _path: True,
    progress: Callable[[int], object] = lambda _done: None,
) -> Iterator[Pair]:
    """Iterate over the datasets that differ; other findings are added to `sides`."""
    environment = chosen.environment
    alone: list[_OneSided] = []
    touched: set[str] = set()
    former_settings: bytes | None = None
    for done, change in enumerate(chosen.changes, 1):
        progress(done)
        touched.add(change.path)
        if change.path == CONFIG_NAME:
            former_settings = change.before
            sides.is_new = change.form_before is None
            continue
        if not wanted(change.path):
            continue
        kind = kind_at(change.path)
        before = _Side(None) if kind is OBSERVATION else _before(change)
        after = _after(change, environment, before)
        sides.damaged += after.problems
        if kind is OBSERVATION or (after.problems and after.document is None):
            continue
        before = _record_old_problems(sides, change, before, after)
        if kind is not SNAPSHOT:
            sides.entities += _entity(change, before.document, after.document)
        elif before.document and after.document:
            yield from _pair(change, before.document, after.document)
        else:
            alone.append(
                _OneSided(change, before.document or _identify_removed(change), after.document)
            )
    yield from _pair_one_sided(alone)
    if former_settings is not None:
        untouched = (path for path in chosen.head_tree.paths(SNAPSHOT) if path not in touched)
        sides.damaged += find_environment_conflicts(
            chosen, former_settings, filter(wanted, untouched)
        )


def find_environment_conflicts(
    chosen: DiffSides, former_settings: bytes, paths: Iterable[str]
) -> tuple[FileFinding, ...]:
    """Untouched snapshots that become invalid because the environment of the tree changed."""
    from lumos_snap.canonical.rules import ENVIRONMENT  # noqa: PLC0415 - only for new settings
    from lumos_snap.config import parse_config  # noqa: PLC0415 - likewise
    from lumos_snap.tree.file_check import check_file  # noqa: PLC0415 - likewise

    environment = chosen.environment
    with contextlib.suppress(LumosError):  # invalid old settings have no environment
        if parse_config(former_settings, CONFIG_NAME).environment == environment:
            return ()
    contents = chosen.head_tree.files.read_all(paths)
    found = (one for path, raw in contents for one in check_file(path, raw, environment).findings)
    return tuple(one for one in found if one.rule == ENVIRONMENT)


def _before(change: TreeChange) -> _Side:
    """Read the old side: any document with a valid structure can be compared."""
    path, raw = change.path, change.before
    if change.form_before is None:
        return _Side(None)
    stray, kind = why_stray(path, change.form_before), kind_at(path)
    if stray or kind is None or raw is None:
        return _Side(None, _not_a_document(path, stray or "it is gone"))
    document = read_fast(raw, kind.cls)
    if document is not None and not is_doubtful(path, raw, document, kind):
        return _Side(document)
    return _validate_side(path, raw, None)


def _after(change: TreeChange, environment: str | None, before: _Side) -> _Side:
    """Read the new side with full validation."""
    path, raw = change.path, change.after
    if change.form_after is None:
        return _Side(None)
    stray, kind = why_stray(path, change.form_after), kind_at(path)
    if stray or kind is None or raw is None:
        return _Side(None, _not_a_document(path, stray or "it is gone"))
    like = None if before.problems else before.document
    document = read_valid(path, raw, kind, environment, like)
    return _validate_side(path, raw, environment) if document is None else _Side(document)


# Lazy import: validation takes time to load, and most diffs contain only canonical files.


def _validate_side(path: str, raw: bytes, environment: str | None) -> _Side:
    from lumos_snap.tree.file_check import check_file  # noqa: PLC0415

    judged = check_file(path, raw, environment)
    document = None if judged.canonical is None else orjson.loads(judged.canonical)
    return _Side(document, judged.findings)


def _not_a_document(path: str, why: str) -> tuple[FileFinding, ...]:
    from lumos_snap.tree.file_check import stray_finding  # noqa: PLC0415

    return (stray_finding(PathRemark(path, why)),)


def _record_old_problems(
    sides: CompareResult, change: TreeChange, before: _Side, after: _Side
) -> _Side:
    """Record the problems of the old side, and return its comparable part."""
    if before.document is None:
        sides.unreadable_before += before.problems
        return before
    if not before.problems and before.document == after.document and change.before is not None:
        # Equal content in other bytes, and those of the new side are valid.
        before = before._replace(problems=_validate_side(change.path, change.before, None).problems)
    sides.invalid_before += before.problems
    if not before.problems or before.document is None or kind_at(change.path) is not SNAPSHOT:
        return before
    from lumos_snap.canonical.invalid_parts import drop_invalid_parts  # noqa: PLC0415 - few need it

    return _Side(drop_invalid_parts(change.path, before.document, after.document), before.problems)


def _identify_removed(change: TreeChange) -> Document | None:
    """Identity of a removed dataset whose document is unreadable."""
    if change.form_before is None or change.form_after is not None or change.urn is None:
        return None
    return {"urn": str(change.urn), "name": change.urn.name, "platform": change.urn.platform}


def _pair(change: TreeChange, old: Document | None, new: Document | None) -> Iterator[Pair]:
    document = new or old
    if document is not None:
        comparison = compare(str(document["urn"]), old, new)
        if comparison.facts:
            yield Pair(change.path, comparison, change.after)


def _pair_one_sided(alone: list[_OneSided]) -> Iterator[Pair]:
    """Pairs of datasets that exist on one side only; a moved dataset is one pair."""
    gone = {one.change.path: one.before for one in alone if one.before}
    come = {one.change.path: one.after for one in alone if one.after}
    former = {**find_dataset_renames(gone, come), **_find_moves(gone, come)}
    left = {path: one for path, one in gone.items() if path not in former.values()}
    likenesses = find_suspected_renames(
        left, {path: one for path, one in come.items() if path not in former}
    )
    for change, before, after in alone:
        if change.path in gone and change.path not in left:
            continue  # reported at its new path
        old = gone[former[change.path]] if change.path in former else before
        for pair in _pair(change, old, after):
            yield _with_likeness(pair, likenesses.get(change.path))


def _find_moves(gone: Mapping[str, Document], come: Mapping[str, Document]) -> dict[str, str]:
    """Former paths of datasets whose file was not at the path of their urn."""
    places = {str(one["urn"]): path for path, one in gone.items()}
    return {path: places[one["urn"]] for path, one in come.items() if one["urn"] in places}


def _with_likeness(pair: Pair, like: Likeness | None) -> Pair:
    if like is None:
        return pair
    (fact,) = pair.comparison.facts
    return replace(pair, comparison=replace(pair.comparison, facts=(replace(fact, like=like),)))


def _entity(
    change: TreeChange, old: Document | None, new: Document | None
) -> Iterator[tuple[str, Fact]]:
    if old != new:
        action = Action.ADDED if old is None else Action.REMOVED if new is None else Action.CHANGED
        yield change.path, Fact("entity", action, (), item=change.path, old=old, new=new)
