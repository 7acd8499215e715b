"""Types: scalars with parameters, nested and recursive."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from lumos_snap.model.snapshot import Partition
from lumos_snap.model.types import (
    PARAMETERS,
    Branch,
    DataType,
    Definition,
    Element,
    Field,
    Kind,
    MapKey,
)
from tests.strategies.texts import short_texts
from tests.strategies.urns import written_paths
from tests.strategies.values import CUSTOM, SAFE_INTEGERS, chosen, json_values

NESTING = frozenset({Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION})
FLAT = tuple(kind for kind in Kind if kind not in NESTING | {Kind.REF})

_naturals = st.integers(0, SAFE_INTEGERS)
_maps = st.dictionaries(short_texts, json_values, min_size=1, max_size=2)
_zones = st.one_of(st.sampled_from(("UTC", "+02:00", "Europe/Rome", "us")), short_texts)
_scalar_parameters: Mapping[str, st.SearchStrategy[Any]] = {
    "precision": st.integers(1, 1000),
    "scale": st.integers(-1000, 1000),
    "length": _naturals,
    "timezone": _zones,
    "collation": st.one_of(st.sampled_from(("utf8_ci", "de_DE", "NOT")), short_texts),
    "symbols": st.lists(st.one_of(st.just(""), short_texts), max_size=3).map(tuple),
    "symbol_default": st.one_of(st.just(""), short_texts),
    "native": short_texts,
}
_own: Mapping[type, Mapping[str, st.SearchStrategy[Any]]] = {
    DataType: {},
    MapKey: {"id": _naturals},
    Element: {"id": _naturals, "description": short_texts},
    Branch: {"id": _naturals, "name": short_texts},
    Definition: {},
    Field: {
        "id": _naturals,
        "physical_name": short_texts,
        "description": short_texts,
        "default": short_texts,
        "write_default": short_texts,
        "generated": short_texts,
        "aliases": st.lists(st.one_of(st.just(""), short_texts), max_size=3, unique=True).map(
            tuple
        ),
        "properties": _maps,
    },
    Partition: {
        "format": short_texts,
        "style": st.sampled_from(("hive", "path")),
        "source": written_paths,
        "transform": short_texts,
        "argument": _naturals,
        "inferred": st.booleans(),
        "id": _naturals,
    },
}
_must: Mapping[type, Mapping[str, st.SearchStrategy[Any]]] = {
    Field: {"name": st.one_of(short_texts, st.just("")), "nullable": st.booleans()},
    Element: {"nullable": st.booleans()},
    Definition: {"name": short_texts},
    Partition: {"name": short_texts},
}


@functools.cache
def types(cls: type = DataType, depth: int = 3, refs: Sequence[str] = ()) -> st.SearchStrategy[Any]:
    """Types of a class that nest up to a depth and refer to these definitions."""
    kinds = [*FLAT, *([Kind.REF] if refs else []), *(sorted(NESTING) * 2 if depth else [])]
    return st.sampled_from(kinds).flatmap(lambda kind: of_kind(kind, cls, depth, refs))


@functools.cache
def of_kind(
    kind: Kind, cls: type = DataType, depth: int = 3, refs: Sequence[str] = ()
) -> st.SearchStrategy[Any]:
    """Types of one kind."""
    row = PARAMETERS[kind]
    known = {name: _parameter(name, kind, depth - 1, refs) for name in (*row.must, *row.may)}
    must = {"type": st.just(kind), **_must.get(cls, {}), **{n: known[n] for n in row.must}}
    free = {"native": short_texts, "physical": short_texts, **_own[cls]}
    may = {**free, **{n: known[n] for n in row.may}}
    often = [name for name in row.may if name != "symbol_default"]
    rest = {n: s for n, s in may.items() if n not in must and n not in row.together}
    bare = chosen(cls, must, rest, often=[n for n in often if n not in row.together])
    if not row.together:
        return bare
    whole = {**must, **{n: known[n] for n in row.together}}
    return st.one_of(bare, chosen(cls, whole, rest))


def _parameter(name: str, kind: Kind, depth: int, refs: Sequence[str]) -> st.SearchStrategy[Any]:
    if name == "ref":
        return st.sampled_from(refs or ("node",))
    if name == "unit":
        return st.sampled_from(PARAMETERS[kind].units)
    if name in ("element", "value"):
        return types(Element, depth, refs)
    if name == "key":
        return types(MapKey, depth, refs)
    if name in ("fields", "branches"):
        inner: type = Field if name == "fields" else Branch
        return st.lists(types(inner, depth, refs), max_size=3).map(tuple)
    return _scalar_parameters[name]


CUSTOM.update(
    {
        Field: lambda: types(Field),
        Definition: lambda: types(Definition),
        Partition: lambda: types(Partition, 1),
    }
)
