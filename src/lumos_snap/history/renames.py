"""What a commit itself changed: of a merge, only what none of its parents said.

A merge that brings two branches together repeats nothing: each of its facts about one parent is
what the other branch did. What somebody decided in the merge differs from every parent.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lumos_snap.diff import Action, Comparison, Fact, compare
from lumos_snap.diff.renames import find_dataset_renames
from lumos_snap.git import GitEntry
from lumos_snap.history.dataset_log import DatasetStep
from lumos_snap.history.versions import Document, Documents
from lumos_snap.model.field_path import parse_path


class ParentDifference(NamedTuple):
    """What differs from one parent, and what of that is of this commit."""

    comparison: Comparison
    own: tuple[Fact, ...]


def differences(
    urn: str, olds: Sequence[Document | None], new: Document | None
) -> tuple[ParentDifference, ...]:
    """What differs from each parent, in their order."""
    found = [compare(urn, old, new) for old in olds]
    if len(found) == 1:
        return (ParentDifference(found[0], found[0].facts),)
    told: list[Fact] = []
    return tuple(
        ParentDifference(one, tuple(_own(one, [*found[:index], *found[index + 1 :]], told)))
        for index, one in enumerate(found)
    )


def _own(one: Comparison, others: Sequence[Comparison], told: list[Fact]) -> Iterator[Fact]:
    """What differs from every parent, where no comparison with another parent has told it."""
    for fact in one.facts:
        is_own = all(any(_covers(each, fact) for each in other.facts) for other in others)
        if is_own and not any(_covers(each, fact) and _covers(fact, each) for each in told):
            told.append(fact)
            yield fact


def _covers(outer: Fact, inner: Fact) -> bool:
    """Whether a fact is about the same thing as another one, or about all that is around it."""
    is_same = (outer.subject, outer.path, outer.item) == (inner.subject, inner.path, inner.item)
    if is_same or outer.subject == "dataset":
        return True
    is_whole = outer.old is None or outer.new is None
    if not is_whole or outer.at[:2] != inner.at[:2] or outer.item not in ("", inner.item):
        return False
    is_part = outer.subject == "field" or inner.subject.startswith(outer.subject + ".")
    return is_part and is_inside(inner.path, outer.path)


def is_inside(path: str, around: str) -> bool:
    """Whether a field path is another one, or of something inside it."""
    if path == around:
        return True
    if not path or not around or path[0] != around[0]:
        return False
    try:
        outer = parse_path(around)
        return parse_path(path)[: len(outer)] == outer
    except ValueError:  # a law of its own names it
        return False


Lines = Mapping[str, Sequence[DatasetStep]]


def with_moves(documents: Documents, lines: Lines) -> Lines:
    """The steps of each path, where a removal and an addition of one commit may be one rename."""
    gone: dict[str, list[DatasetStep]] = defaultdict(list)
    come: dict[str, list[DatasetStep]] = defaultdict(list)
    for steps in lines.values():
        for step in steps:
            if step.after is None:
                gone[step.commit.id].append(step)
            elif not any(step.before):
                come[step.commit.id].append(step)
    both = gone.keys() & come.keys()
    documents.expect(_entry(step) for one in (gone, come) for key in both for step in one[key])
    moved = {
        (key, new): old
        for key in both
        for new, old in find_dataset_renames(
            _documents(documents, gone[key]), _documents(documents, come[key])
        ).items()
    }
    left = {(key, old) for (key, _), old in moved.items()}
    before = {(step.commit.id, step.path): step.before for key in both for step in gone[key]}
    found = {
        path: [
            _follow_move(step, moved, before)
            for step in steps
            if (step.commit.id, step.path) not in left
        ]
        for path, steps in lines.items()
    }
    return {path: steps for path, steps in found.items() if steps}


def _entry(step: DatasetStep) -> GitEntry | None:
    return step.after or next((one for one in step.before if one), None)


def _documents(
    documents: Documents, steps: Sequence[DatasetStep]
) -> dict[str, Mapping[str, object]]:
    found = {step.path: documents.of(_entry(step)) for step in steps}
    return {path: one for path, one in found.items() if isinstance(one, dict)}


def _follow_move(
    step: DatasetStep,
    moved: Mapping[tuple[str, str], str],
    before: Mapping[tuple[str, str], tuple[GitEntry | None, ...]],
) -> DatasetStep:
    former = moved.get((step.commit.id, step.path))
    if former is None:
        return step
    return replace(step, before=before[step.commit.id, former], former=former)


_FIELDS = ("schema", "fields")
_WHOLE = (Action.ADDED, Action.REMOVED, Action.RENAMED, Action.MOVED)


def path_before(facts: Iterable[Fact], path: str, root: tuple[str, str] = _FIELDS) -> str:
    """The path of a column before a change, from its path after it; empty where it was not there.

    Of all that happened to the column and to what is around it, the innermost counts.
    """
    best: Fact | None = None
    for fact in facts:
        if fact.at[:2] == root and fact.action in _WHOLE and _is_column(fact):
            is_about = fact.action is not Action.REMOVED and is_inside(path, fact.path)
            if is_about and (best is None or len(fact.path) > len(best.path)):
                best = fact
    if best is None:
        return path
    if best.action is Action.ADDED:
        return ""
    return best.was + path[len(best.path) :]


def _is_column(fact: Fact) -> bool:
    return "." not in fact.subject


def touches(fact: Fact, path: str, was: str) -> bool:
    """Whether a fact is about a column, something inside it, or all of what holds it."""
    if not fact.path:
        return fact.subject == "dataset" and fact.action is not Action.RENAMED
    named = [one for one in (fact.path, fact.was) if one]
    if any(is_inside(one, known) for one in named for known in (path, was) if known):
        return True
    is_around = fact.action in _WHOLE and _is_column(fact)
    is_around = is_around or (fact.subject.endswith(".type") and fact.at[:1] == ("schema",))
    return is_around and any(
        is_inside(known, one) for one in named for known in (path, was) if known
    )


def is_renamed(fact: Fact, root: tuple[str, str]) -> bool:
    """Whether a fact gives a column of a list another path."""
    return fact.at[:2] == root and fact.action in (Action.RENAMED, Action.MOVED)
