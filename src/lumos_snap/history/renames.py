"""Changes of a commit itself: for a merge, only those that differ from all parents.

A merge does not repeat the changes of its branches: each difference from one parent was made on
the other branch. Decisions made in the merge itself differ from every parent.
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
    """The differences from one parent, and those among them that this commit made."""

    comparison: Comparison
    own: tuple[Fact, ...]


def differences(
    urn: str, olds: Sequence[Document | None], new: Document | None
) -> tuple[ParentDifference, ...]:
    """The differences from each parent, in order."""
    found = [compare(urn, old, new) for old in olds]
    if len(found) == 1:
        return (ParentDifference(found[0], found[0].facts),)
    told: list[Fact] = []
    return tuple(
        ParentDifference(one, tuple(_own(one, [*found[:index], *found[index + 1 :]], told)))
        for index, one in enumerate(found)
    )


def _own(one: Comparison, others: Sequence[Comparison], told: list[Fact]) -> Iterator[Fact]:
    """Differences from every parent that no earlier comparison has reported."""
    for fact in one.facts:
        is_own = all(any(_covers(each, fact) for each in other.facts) for other in others)
        if is_own and not any(_covers(each, fact) and _covers(fact, each) for each in told):
            told.append(fact)
            yield fact


def _covers(outer: Fact, inner: Fact) -> bool:
    """Whether a fact is about the same object as another one, or about a parent of it."""
    is_same = (outer.subject, outer.path, outer.item) == (inner.subject, inner.path, inner.item)
    if is_same or outer.subject == "dataset":
        return True
    is_whole = outer.old is None or outer.new is None
    if not is_whole or outer.at[:2] != inner.at[:2] or outer.item not in ("", inner.item):
        return False
    is_part = outer.subject == "field" or inner.subject.startswith(outer.subject + ".")
    return is_part and is_inside(inner.path, outer.path)


def is_inside(path: str, around: str) -> bool:
    """Whether a field path equals another one, or is nested in it."""
    if path == around:
        return True
    if not path or not around or path[0] != around[0]:
        return False
    try:
        outer = parse_path(around)
        return parse_path(path)[: len(outer)] == outer
    except ValueError:  # another validation rule reports it
        return False


Lines = Mapping[str, Sequence[DatasetStep]]


def with_moves(documents: Documents, lines: Lines) -> Lines:
    """The steps of each path, with removal and addition in one commit joined to a rename."""
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
    """The former path of a column; empty where the change added it.

    Of all changes to the column and its parents, the innermost one counts.
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
    """Whether a fact is about a column, something inside it, or a parent of it."""
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
    """Whether a fact changes the path of a column in a list."""
    return fact.at[:2] == root and fact.action in (Action.RENAMED, Action.MOVED)
