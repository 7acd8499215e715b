"""Pairs of documents that have much in common: one is the other, edited."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.model.curated_metadata import Owner
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import DataType
from lumos_snap.schema import Holds, Key, document_of, keys_of
from tests.strategies.documents import snapshots

TYPE_KEYS = (
    "type", "ref", "precision", "scale", "length", "unit", "timezone", "symbols", "symbol_default",
    "collation", "native", "physical", "key", "element", "value", "fields", "branches",
)  # fmt: skip
IDENTITY = ("lumos_version", "urn", "name", "platform")


@st.composite
def snapshot_documents(draw: st.DrawFn) -> dict[str, Any]:
    """A snapshot as a canonical document."""
    return canonical_document(document_of(draw(snapshots)), Snapshot)


@st.composite
def edited(draw: st.DrawFn, document: Mapping[str, Any] | None = None) -> Any:
    """A canonical snapshot, and what it became after some edits."""
    old = draw(snapshot_documents()) if document is None else dict(document)
    donor = draw(snapshot_documents())
    new = _mixed(draw, old, donor, Snapshot)
    new.update({name: old[name] for name in IDENTITY if name in old})
    return old, canonical_document(new, Snapshot)


def _mixed(draw: st.DrawFn, old: Any, donor: Any, cls: type) -> dict[str, Any]:
    """An object with some of its keys taken from another one."""
    new = dict(old)
    for name, key in keys_of(cls).items():
        if (issubclass(cls, DataType) and name in TYPE_KEYS) or (
            name not in old and name not in donor
        ):
            continue
        how = draw(st.sampled_from(("keep", "keep", "keep", "mix", "mix", "take", "drop")))
        if how == "mix":
            _mix(draw, new, donor, key)
        elif how == "take" and name in donor:
            new[name] = donor[name]
        elif how == "drop" and not key.is_required:
            new.pop(name, None)
    if issubclass(cls, DataType):
        _retype(draw, new, donor)
    if cls is Owner and {"user", "group"} <= new.keys():
        del new["group"]
    return new


def _mix(draw: st.DrawFn, new: dict[str, Any], donor: Any, key: Key) -> None:
    one, other = new.get(key.name), donor.get(key.name)
    if one is None or other is None:
        return
    if key.holds is Holds.OBJECT:
        assert key.item is not None
        new[key.name] = _mixed(draw, one, other, key.item)
    elif key.holds is Holds.OBJECTS:
        new[key.name] = _list(draw, one, other, key)
    elif key.holds is Holds.FREE:
        kept = draw(st.lists(st.sampled_from(sorted(one)), unique=True)) if one else []
        new[key.name] = {**{name: one[name] for name in kept}, **other}
    elif key.holds is Holds.SCALARS and key.set_by is not None:
        new[key.name] = sorted({*one[1:], *other})


def _list(draw: st.DrawFn, one: Any, other: Any, key: Key) -> Any:
    assert key.item is not None
    kept = [item for item in one if draw(st.integers(0, 3))]
    for place, item in enumerate(kept):
        if other and draw(st.booleans()):
            kept[place] = _item(draw, item, draw(st.sampled_from(other)), key)
    come = [item for item in other if draw(st.booleans())]
    listed = [*kept, *come]
    if key.set_by is None:
        return draw(st.permutations(listed)) if draw(st.booleans()) else listed
    found: dict[Any, Any] = {}
    for item in listed:
        found.setdefault(str([item.get(name) for name in key.set_by]), item)
    return list(found.values())


def _item(draw: st.DrawFn, item: Any, donor: Any, key: Key) -> Any:
    assert key.item is not None
    mixed = _mixed(draw, item, donor, key.item)
    kept = ("name", *(key.set_by or ()))
    if "name" in item and key.set_by is None and draw(st.integers(0, 4)) == 0:
        kept = ()  # a rename, if the donor's name was taken
    mixed.update({name: item[name] for name in kept if name in item})
    return mixed


def _retype(draw: st.DrawFn, new: dict[str, Any], donor: Any) -> None:
    how = draw(st.sampled_from(("keep", "keep", "take", "inside")))
    if how == "take":
        for name in TYPE_KEYS:
            new.pop(name, None)
        new.update({name: donor[name] for name in TYPE_KEYS if name in donor})
    elif how == "inside":
        for name in ("element", "key", "value"):
            if name in new and name in donor:
                item = keys_of(DataType)[name].item
                assert item is not None
                new[name] = _mixed(draw, new[name], donor[name], item)
        for name in ("fields", "branches"):
            if name in new and name in donor:
                new[name] = _list(draw, new[name], donor[name], keys_of(DataType)[name])


_names = st.sampled_from(("a", "b", "c", "A", "a b"))
_ids = st.none() | st.integers(1, 4)


def _field(kind: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda name, nullable, number: {
            "name": name, **kind, "nullable": nullable, **({"id": number} if number else {})
        },
        _names, st.booleans(), _ids,
    )  # fmt: skip


_scalars: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    (
        {"type": "INT32"},
        {"type": "STRING"},
        {"type": "ENUM", "symbols": ["x"]},
        {"type": "ENUM", "symbols": ["y", "x", "X"]},
        {"type": "UNION", "branches": [{"type": "INT32"}, {"type": "STRING"}]},
        {"type": "UNION", "branches": [{"type": "STRING"}, {"type": "INT32", "name": "n"}]},
    )
)


def _crowd(kinds: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[Any]]:
    return st.lists(kinds.flatmap(_field), max_size=4)


_types = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        _crowd(inner).map(lambda fields: {"type": "STRUCT", "fields": fields}),
        inner.map(lambda one: {"type": "ARRAY", "element": {**one, "nullable": True}}),
    ),
    max_leaves=6,
)


@st.composite
def crowded(draw: st.DrawFn) -> Any:
    """Two snapshots whose few names and ids meet in every way: repeats, swaps, renames, moves."""
    sides = []
    for _ in range(2):
        paths = st.sampled_from(("a", "b", "c", "a.a", "a.b", "b.a"))
        promised = draw(st.dictionaries(paths, paths, max_size=2))
        contract = [{"path": new, "renamed_from": old} for new, old in sorted(promised.items())]
        tagged = [{"path": path, "pii": True} for path in sorted(draw(st.sets(paths, max_size=2)))]
        side = {
            "lumos_version": "1.0.0", "urn": "lumos://s3/a", "name": "a", "platform": "s3",
            "schema": {"fields": draw(_crowd(_types))},
            "contract": {"fields": contract},
            "governance": {"fields": tagged},
        }  # fmt: skip
        sides.append(canonical_document(side, Snapshot))
    return tuple(sides)
