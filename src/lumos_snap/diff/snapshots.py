"""The differences between two snapshots: typed, complete and sorted, without judgement."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lumos_snap.diff.columns import ColumnSpot, ColumnWalk
from lumos_snap.diff.fact import Action, Comparison, Fact, Spot, current_path, order
from lumos_snap.diff.walk import Renames, objects, values
from lumos_snap.model.field_path import Part, Step
from lumos_snap.model.snapshot import Partition, Schema, Snapshot, Storage
from lumos_snap.model.types import Definition
from lumos_snap.schema import Document, keys_of

DATASET = "dataset"
IDENTITY = ("urn", "name", "platform")
"""The identity of a dataset: a change of these keys is one fact, a rename."""


def compare(urn: str, old: Document | None, new: Document | None) -> Comparison:
    """Compare two sides of one dataset, in canonical form; a missing side is None."""
    return Comparison(urn, old, new, diff(old, new))


def diff(old: Document | None, new: Document | None) -> tuple[Fact, ...]:
    """Every difference between two snapshots in canonical form, sorted."""
    if old == new:
        return ()
    if old is None or new is None:
        action = Action.ADDED if old is None else Action.REMOVED
        return (Fact(DATASET, action, (), old=old, new=new),)
    columns = ColumnWalk(_read_renames(new))
    facts = list(_columns(columns, old, new))
    facts = _with_moves(facts, _read_renames(new))
    renamed = any(fact.action in (Action.RENAMED, Action.MOVED) for fact in facts)
    now: Renames = functools.partial(current_path, facts) if renamed else str
    facts += _rest(old, new, now)
    return tuple(sorted(facts, key=order))


def current_path_lookup(old: Document, new: Document) -> Callable[[str], str]:
    """A lookup of current field paths by old ones, using ids, names and declared renames."""
    declared = _read_renames(new)
    facts = _with_moves(list(_columns(ColumnWalk(declared), old, new)), declared)
    return functools.partial(current_path, facts)


def renames_by_former_path(new: Document) -> Mapping[str, str]:
    """Current field paths by their former ones, as declared in the contract."""
    return {was: now for now, was in _read_renames(new).items()}


def _read_renames(new: Document) -> Mapping[str, str]:
    """Former field paths by current ones, as declared in the contract."""
    promised = new.get("contract", {}).get("fields", ())
    return {one["path"]: one["renamed_from"] for one in promised if "renamed_from" in one}


def _columns(columns: ColumnWalk, old: Document, new: Document) -> Iterator[Fact]:
    """Facts about everything that has a type."""
    before, after = old.get("schema", {}), new.get("schema", {})
    for name in ("fields", "key_fields"):
        one, other = before.get(name) or (), after.get(name) or ()
        if one != other:
            yield from columns.fields(
                one, other, ColumnSpot(Spot("field", ("schema", name)), (), ())
            )
    yield from _definitions(
        columns, before.get("definitions") or (), after.get("definitions") or ()
    )
    one, other = (doc.get("storage", {}).get("partitioning") or () for doc in (old, new))
    if one != other:
        where = ColumnSpot(Spot("partition", ("storage", "partitioning")), (), ())
        yield from columns.partitions(one, other, where, Partition)


def _definitions(columns: ColumnWalk, old: Any, new: Any) -> Iterator[Fact]:
    before, after = ({one["name"]: one for one in held} for held in (old, new))
    spot = Spot("definition", ("schema", "definitions"))
    for name in {**before, **after}:
        here = spot.inside((name,), path=name)
        if name not in after:
            yield here.fact(Action.REMOVED, before[name], None)
        elif name not in before:
            yield here.fact(Action.ADDED, None, after[name])
        elif before[name] != after[name]:
            path = (Part(Step.MEMBER, name),)
            yield from columns.node(
                before[name], after[name], Definition, ColumnSpot(here, path, path)
            )


def _with_moves(facts: list[Fact], declared: Mapping[str, str]) -> list[Fact]:
    """Combine the removal and addition of a column under another parent into one move."""
    gone = {_list(fact): fact for fact in facts if _is(fact, Action.REMOVED)}
    moves: dict[int, Fact] = {}
    taken: set[int] = set()
    ids = _by_id(gone.values())
    for fact in facts:
        if not _is(fact, Action.ADDED):
            continue
        declared_from = gone.get((fact.at[:2], declared.get(fact.path, "")))
        old = declared_from or ids.get((fact.at[:2], fact.new.get("id")))
        if old is not None and id(old) not in taken:
            taken.add(id(old))
            moves[id(fact)] = replace(
                fact,
                action=Action.MOVED,
                at=old.at,
                to=fact.at,
                was=old.path,
                old=old.old,
                like=None,
            )
    return [moves.get(id(fact), fact) for fact in facts if id(fact) not in taken]


def _list(fact: Fact) -> tuple[object, str]:
    return fact.at[:2], fact.path


def _is(fact: Fact, action: Action) -> bool:
    return fact.subject == "field" and fact.action is action


def _by_id(facts: Iterable[Fact]) -> dict[tuple[object, object], Fact]:
    found: dict[tuple[object, object], Fact] = {}
    repeated = set()
    for fact in facts:
        mark = (fact.at[:2], fact.old.get("id"))
        if mark in found:
            repeated.add(mark)
        found[mark] = fact
    return {
        mark: fact for mark, fact in found.items() if mark[1] is not None and mark not in repeated
    }


_WITH_COLUMNS = {
    "schema": (Schema, ("fields", "key_fields", "definitions")),
    "storage": (Storage, ("partitioning",)),
}


def _rest(old: Document, new: Document, now: Renames) -> Iterator[Fact]:
    """Facts about everything but columns."""
    if any(old.get(name) != new.get(name) for name in IDENTITY):
        before, after = ({n: doc.get(n) for n in IDENTITY} for doc in (old, new))
        yield Fact(DATASET, Action.RENAMED, ("urn",), old=before, new=after)
    for name, key in keys_of(Snapshot).items():
        is_same = old.get(name) == new.get(name)
        if name in IDENTITY or (is_same and (now is str or name not in old)):
            continue
        if name in _WITH_COLUMNS:
            cls, columns = _WITH_COLUMNS[name]
            one, other = (_without(doc.get(name, {}), columns) for doc in (old, new))
            yield from objects(one, other, cls, Spot(name, (name,)), now)
        else:
            yield from values(key, old.get(name), new.get(name), Spot(name, (name,)), now)


def _without(held: Document, names: tuple[str, ...]) -> Document:
    return {name: value for name, value in held.items() if name not in names}
