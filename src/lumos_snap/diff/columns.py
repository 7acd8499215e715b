"""Facts about columns at any depth: structs, lists, maps, unions, partitions, named types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lumos_snap.diff.fact import Action, Fact, Spot
from lumos_snap.diff.match_columns import (
    LabelledColumn,
    Pairing,
    label_columns,
    name_of,
    pair,
    pair_labels,
)
from lumos_snap.diff.renames import with_likenesses
from lumos_snap.diff.walk import action, values
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path, parse_path
from lumos_snap.model.types import Branch, Element, Field, Kind, MapKey
from lumos_snap.schema import Document, Key, keys_of

HEAD = ("type", "ref", "precision", "scale", "length", "unit", "timezone")
"""The keys that define a column's values: a change of any of these is one fact."""
NESTED = ("key", "element", "value", "fields", "branches")
TYPE = (*HEAD, "symbols", "symbol_default", "collation", "native", "physical", *NESTED)
"""All keys of a type: replaced together when its kind changes."""
_WITH_HEAD = ("native", "physical")  # the source's names of the type change along with it

INSIDE = {"element": (Step.ELEMENT, Element), "value": (Step.VALUE, Element)}
ONE_INSIDE = {**INSIDE, "key": (Step.KEY, MapKey)}
_EMPTY: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ColumnSpot:
    """A column: its position, and its path on both sides."""

    spot: Spot
    was: FieldPath
    now: FieldPath

    def down(
        self, subject: str, key: str, old: Part | None = None, new: Part | None = None
    ) -> "ColumnSpot":
        """The spot of something nested under a key."""
        was = (*self.was, old) if old else self.was
        now = (*self.now, new) if new else self.now
        spot = Spot(subject, (*self.spot.at, key), format_path(now))
        return ColumnSpot(spot, was, now)

    def item(self, old: LabelledColumn, new: LabelledColumn, step: Step) -> "ColumnSpot":
        """The spot of one column of this list."""
        was = (*self.was, Part(step, *old.label))
        now = (*self.now, Part(step, *new.label))
        one, other = old.held.get("id"), new.held.get("id")
        spot = Spot(
            self.spot.subject,
            (*self.spot.at, old.label),
            format_path(now),
            id=one if one == other else None,
        )
        return ColumnSpot(spot, was, now)


class ColumnWalk:
    """Compares lists of columns; `declared` are the renames declared in the contract."""

    def __init__(self, declared: Mapping[str, str]) -> None:
        self._declared = {new: _parse_or_empty(old) for new, old in declared.items()}

    def fields(
        self, old: Sequence[JsonObject], new: Sequence[JsonObject], where: ColumnSpot
    ) -> Iterator[Fact]:
        """Facts about the members of a struct or the columns of a schema."""
        olds, news = label_columns(old, name_of), label_columns(new, name_of)
        found = pair(olds, news, self._renamed(news, where))
        yield from with_likenesses(list(_members(found, where, Step.MEMBER)))
        yield from _reused_names(olds, news, found, where)
        for one, other in found.pairs:
            if one.held is not other.held and one.held != other.held:
                yield from self.node(
                    one.held, other.held, Field, where.item(one, other, Step.MEMBER)
                )

    def partitions(
        self, old: Sequence[JsonObject], new: Sequence[JsonObject], where: ColumnSpot, cls: type
    ) -> Iterator[Fact]:
        """Facts about partition columns."""
        found = pair(label_columns(old, name_of), label_columns(new, name_of), _EMPTY)
        yield from _members(found, where, Step.MEMBER)
        for one, other in found.pairs:
            if one.held != other.held:
                yield from self.node(one.held, other.held, cls, where.item(one, other, Step.MEMBER))

    def _branches(
        self, old: Sequence[object], new: Sequence[object], where: ColumnSpot
    ) -> Iterator[Fact]:
        found = pair_labels(label_columns(old, name_of), label_columns(new, name_of))
        yield from _members(found, where, Step.BRANCH)
        for one, other in found.pairs:
            yield from self.node(one.held, other.held, Branch, where.item(one, other, Step.BRANCH))

    def node(self, old: Document, new: Document, cls: type, where: ColumnSpot) -> Iterator[Fact]:
        """Facts about one column, element, key, value, branch or named type."""
        told = _head_fact(old, new, where.spot)
        yield from told
        replaced = () if not told else TYPE if old["type"] != new["type"] else _WITH_HEAD
        skipped = {*HEAD, *NESTED, *replaced, *(() if cls is Branch else ("name",))}
        for name, key in keys_of(cls).items():
            before, after = old.get(name), new.get(name)
            if before != after and name not in skipped:
                yield from _part(key, before, after, where.spot.key(name))
        if old["type"] == new["type"]:
            yield from self._inside(old, new, where)

    def _inside(self, old: Document, new: Document, where: ColumnSpot) -> Iterator[Fact]:
        for name, (step, cls) in ONE_INSIDE.items():
            before, after = old.get(name), new.get(name)
            if before is not None and after is not None and before != after:
                yield from self.node(
                    before, after, cls, where.down(name, name, Part(step), Part(step))
                )
        for name, walk in (("fields", self.fields), ("branches", self._branches)):
            before, after = old.get(name) or (), new.get(name) or ()
            if before != after:
                subject = "field" if name == "fields" else "branch"
                yield from walk(before, after, where.down(subject, name))

    def _renamed(self, news: Sequence[LabelledColumn], where: ColumnSpot) -> Mapping[str, str]:
        """Declared renames among the columns of one list, from new to old name."""
        found = {}
        for item in news if self._declared else ():
            old = self._declared.get(format_path((*where.now, Part(Step.MEMBER, *item.label))))
            if old and old[:-1] == where.was:
                found[item.label[0]] = old[-1].name
        return found


def _part(key: Key, old: Any, new: Any, spot: Spot) -> Iterator[Fact]:
    if key.name == "symbols":
        yield from _symbols(old or (), new or (), spot)
    else:
        yield from values(key, old, new, spot, str)


def _head_fact(old: Document, new: Document, spot: Spot) -> list[Fact]:
    """The change of a type, if any: of its kind with everything nested, or of its parameters."""
    same_head = all(old.get(name) == new.get(name) for name in HEAD)
    if same_head and not (old["type"] == Kind.UNKNOWN and old.get("native") != new.get("native")):
        return []
    names = TYPE if old["type"] != new["type"] else (*HEAD, *_WITH_HEAD)
    before, after = _only(old, names), _only(new, names)
    return [spot.key("type").fact(action(before, after), before, after)]


def _only(held: Document, names: Sequence[str]) -> JsonObject:
    return {name: held[name] for name in names if name in held}


def _symbols(old: Sequence[str], new: Sequence[str], spot: Spot) -> Iterator[Fact]:
    exact = pair_labels(label_columns(old, name_of), label_columns(new, name_of))
    for item in exact.removed:
        yield spot.inside(item.label, item=item.held).fact(Action.REMOVED, item.held, None)
    for item in exact.added:
        fact = spot.inside(item.label, item=item.held).fact(Action.ADDED, None, item.held)
        follower = exact.follower(item)
        yield replace(fact, index=item.place, before=follower.held if follower else "")
    yield from _reorder_facts(exact, spot, Step.MEMBER)


def _members(found: Pairing, where: ColumnSpot, step: Step) -> Iterator[Fact]:
    """Additions, removals, renames and reordering in one list of columns."""
    spot, now = where.spot, where.now
    for item in found.removed:
        path = format_path((*where.was, Part(step, *item.label)))
        yield spot.inside(item.label, path=path).fact(Action.REMOVED, item.held, None)
    for item in found.added:
        path = format_path((*now, Part(step, *item.label)))
        follower = found.follower(item)
        before = format_path((Part(step, *follower.label),)) if follower else ""
        fact = spot.inside(item.label, path=path).fact(Action.ADDED, None, item.held)
        yield replace(fact, index=item.place, before=before)
    for old, new in found.pairs:
        if old.label != new.label:
            at = where.item(old, new, step)
            fact = at.spot.fact(Action.RENAMED, old.label[0], new.label[0])
            yield replace(fact, was=format_path(at.was), to=(*spot.at, new.label))
    yield from _reorder_facts(found, spot, step)


REUSED = "field.name"
"""The subject of a name that now stands for another column."""


def _reused_names(
    olds: Sequence[LabelledColumn],
    news: Sequence[LabelledColumn],
    found: Pairing,
    where: ColumnSpot,
) -> Iterator[Fact]:
    """Names in both lists whose columns are not each other: swapped, or taken over.

    Whoever reads by name gets the values of another column, and no query fails.
    """
    partners = {old.label: new for old, new in found.pairs}
    former = {new.label: old for old, new in found.pairs}
    known = {item.label: item for item in olds}
    for item in news:
        old = known.get(item.label)
        if old is None or partners.get(old.label) is item:
            continue
        now, was = partners.get(old.label), former.get(item.label)
        path = format_path((*where.now, Part(Step.MEMBER, *item.label)))
        spot = Spot("field", (*where.spot.at, item.label), path)
        before = "gone" if now is None else f"called {now.label[0]} now"
        after = "a new column" if was is None else f"the one that was {was.label[0]}"
        yield spot.key("name").fact(Action.CHANGED, before, after)


def _reorder_facts(found: Pairing, spot: Spot, step: Step) -> Iterator[Fact]:
    if found.is_reordered:
        new = [new for _, new in found.pairs]
        old = [new for old, new in sorted(found.pairs, key=lambda p: p[0].place)]
        yield spot.fact(Action.REORDERED, _labels(old, step), _labels(new, step))


def _labels(items: Sequence[LabelledColumn], step: Step) -> list[str]:
    return [format_path((Part(step, *item.label),)) for item in items]


def _parse_or_empty(path: str) -> FieldPath:
    try:
        return parse_path(path)
    except ValueError:  # a validation rule reports it
        return ()
