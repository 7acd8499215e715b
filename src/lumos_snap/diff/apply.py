"""Apply facts: turn the old snapshot into the new one."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any

import orjson

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.diff.columns import REUSED, TYPE
from lumos_snap.diff.fact import Action, At, Fact, Step
from lumos_snap.diff.match_columns import label_columns, name_of
from lumos_snap.diff.walk import identity
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, format_path
from lumos_snap.model.field_path import Step as PathStep
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Holds, Key, keys_of


class _Turn(IntEnum):
    """The order of changes: names and lists stay unchanged until all content is applied."""

    CONTENT = 0
    NAMES = 1
    LEAVING = 2
    ORDER = 3
    JOINING = 4


Planned = tuple[_Turn, int, Callable[[], object]]


def apply(facts: Iterable[Fact], old: JsonObject | None) -> JsonObject | None:
    """Build the new snapshot from the old one and all facts about the two.

    All positions are resolved before anything changes, because they refer to the old snapshot.
    """
    listed = tuple(facts)
    for fact in listed:
        if fact.subject == "dataset" and fact.action is not Action.RENAMED:
            return fact.new  # type: ignore[no-any-return]
    if old is None:
        return None
    document: dict[str, Any] = orjson.loads(orjson.dumps(old))
    planned = [change for fact in listed for change in _plan_changes(fact, document)]
    for _, _, change in sorted(planned, key=lambda one: one[:2]):
        change()
    return canonical_document(document, Snapshot)


def _plan_changes(fact: Fact, document: dict[str, Any]) -> Iterator[Planned]:
    if fact.subject == "dataset":
        yield _Turn.NAMES, 0, lambda: document.update(fact.new)
        return
    if fact.subject == REUSED:  # the facts about both columns say it all
        return
    held, key = _container_at(document, fact.at)
    last = fact.at[-1]
    if isinstance(last, tuple):
        yield from _in_list(fact, document, held, key)
    elif fact.action is Action.REORDERED:
        yield _Turn.ORDER, 0, lambda: _reorder(held[last], fact.new)
    elif last == "type" and isinstance(fact.new, dict):
        yield _Turn.CONTENT, 0, lambda: _retype(held, fact)
    else:
        yield _Turn.CONTENT, 0, lambda: _put(held, last, fact)


def _in_list(fact: Fact, document: JsonObject, held: Any, key: Key) -> Iterator[Planned]:
    """Changes to the items of a list or a map."""
    last = fact.at[-1]
    if key.holds is Holds.FREE:
        yield _Turn.CONTENT, 0, lambda: _put(held, last[0], fact)
        return
    target = held
    if fact.action is not Action.ADDED:
        item = _find(held, key, last)
        if fact.action is Action.RENAMED:
            yield _Turn.NAMES, 0, lambda: item.update(name=fact.new)
            return
        yield _Turn.LEAVING, 0, lambda: _leave(held, item)
        if fact.action is Action.REMOVED:
            return
        target, _ = _container_at(document, fact.to)
    yield _Turn.JOINING, fact.index, lambda: _join(target, fact)


def _container_at(document: Any, at: At) -> tuple[Any, Key]:
    """Find the container of a position's last step, and its key."""
    held: Any = document
    key = _KEYS[str(at[0])]
    for step, following in itertools.pairwise(at):
        if isinstance(step, tuple):
            held = _find(held, key, step)
        else:
            held = held.setdefault(step, {} if key.holds in (Holds.OBJECT, Holds.FREE) else [])
        if isinstance(following, str):
            assert key.item is not None  # noqa: S101 - only objects have keys
            key = keys_of(key.item)[following]
    return held, key


_KEYS = keys_of(Snapshot)


def _find(held: list[Any], key: Key, step: Step) -> Any:
    """Find the item of a list that a step identifies."""
    if key.set_by is None:
        return next(item.held for item in label_columns(held, name_of) if item.label == step)
    if not key.set_by:
        return step[0]
    read = identity(key, str)
    return next(item for item in held if read(item) == step)


def _reorder(held: list[Any], wanted: Sequence[str]) -> None:
    """Sort a list by the given labels."""
    step = PathStep.BRANCH if wanted[0].startswith("<") else PathStep.MEMBER
    places = {label: index for index, label in enumerate(wanted)}
    items = label_columns(held, name_of)
    items.sort(key=lambda item: places[format_path((Part(step, *item.label),))])
    held[:] = [item.held for item in items]


def _leave(held: list[object], item: object) -> None:
    """Remove an item; of equal symbols the last, so that the first ones keep their numbers."""
    index = max(n for n, one in enumerate(held) if one is item or one == item == str(item))
    del held[index]


def _join(held: list[object], fact: Fact) -> None:
    held.insert(len(held) if fact.index < 0 else fact.index, fact.new)


def _put(held: dict[str, Any], name: str, fact: Fact) -> None:
    if fact.action is Action.REMOVED:
        del held[name]
    else:
        held[name] = fact.new


def _retype(held: dict[str, Any], fact: Fact) -> None:
    """Replace one type by another; nested types stay unless they are part of the fact."""
    for name in TYPE:
        if name in fact.old:
            del held[name]
    held.update(fact.new)
