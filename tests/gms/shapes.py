"""Values of aspects held against the schemas that DataHub's own package ships.

A schema becomes a function once: it fills in defaults, drops nulls, and refuses what does not fit.
Values are JSON as the wire has it: a union names its branch as Pegasus does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tests.gms.values import (
    PRIMITIVES,
    Json,
    Shape,
    array_of,
    map_of,
    one_of,
    primitive,
    without_nulls,
    wrong,
)

AVRO, PEGASUS = "com.linkedin.pegasus2avro.", "com.linkedin."
DISCRIMINATOR = "fieldDiscriminator"
"""A field that stands in Avro only, where it says which branch of a union is meant."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is known while a schema is read."""

    fills: bool
    space: str = ""
    known: dict[str, Shape] = field(default_factory=dict)

    def full(self, name: str) -> str:
        return name if "." in name else f"{self.space}.{name}"

    def within(self, full: str) -> "_Scope":
        return replace(self, space=full.rpartition(".")[0])


def shape_of(schema: Json, *, fills: bool = True) -> Shape:
    """The function that checks values of a schema, and may fill in its defaults."""
    return _compiled(schema, _Scope(fills))


def _compiled(schema: Json, scope: _Scope) -> Shape:
    if isinstance(schema, list):
        return _union(schema, scope)
    if isinstance(schema, dict):
        kind = schema["type"]
        return _COMPLEX[kind](schema, scope) if kind in _COMPLEX else _compiled(kind, scope)
    if schema in PRIMITIVES:
        return primitive(schema)
    full = scope.full(schema)

    def known(value: Json, at: str) -> Json:
        return scope.known[full](value, at)  # looked up late: a record may be inside itself

    return known


def _enum(schema: Json, scope: _Scope) -> Shape:
    return scope.known.setdefault(_full_name(schema, scope), one_of(schema["symbols"]))


def _array(schema: Json, scope: _Scope) -> Shape:
    return array_of(_compiled(schema["items"], scope))


def _map(schema: Json, scope: _Scope) -> Shape:
    return map_of(_compiled(schema["values"], scope))


def _union(schema: Json, scope: _Scope) -> Shape:
    branches = {_branch(one, scope): _compiled(one, scope) for one in schema if one != "null"}
    if len(branches) == 1:
        return next(iter(branches.values()))

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, dict) or len(value) != 1:
            raise wrong(at, "one branch of a union is expected")
        name, inner = next(iter(value.items()))
        if (shape := branches.get(name)) is None:
            raise wrong(at, f'"{name}" is not a member type of union')
        return {name: shape(inner, f"{at}/{name}")}

    return check


def _branch(schema: Json, scope: _Scope) -> str:
    if isinstance(schema, str):
        name = schema if schema in PRIMITIVES else scope.full(schema)
    else:
        name = _full_name(schema, scope) if "name" in schema else str(schema["type"])
    return name.replace(AVRO, PEGASUS, 1)


def _record(schema: Json, scope: _Scope) -> Shape:
    fields: dict[str, _Field] = {}

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, dict):
            raise wrong(at, "a record is expected")
        for name in value.keys() - fields.keys():
            raise wrong(f"{at}/{name}", "unrecognized field found but not allowed")
        found = ((name, one.value(value.get(name), f"{at}/{name}")) for name, one in fields.items())
        return {name: one for name, one in found if one is not None}

    full = _full_name(schema, scope)
    scope.known[full] = check  # before its fields: they may hold records of its own kind
    for one in schema["fields"]:
        if one["name"] != DISCRIMINATOR:
            fields[one["name"]] = _field(one, scope.within(full))
    return check


class _Field(NamedTuple):
    shape: Shape
    default: Json
    is_needed: bool

    def value(self, given: Json, at: str) -> Json:
        if given is not None:
            return self.shape(given, at)
        if self.default is None and self.is_needed:
            raise wrong(at, "field is required but not found and has no default value")
        return self.default


def _field(schema: Json, scope: _Scope) -> _Field:
    default = without_nulls(schema.get("default")) if scope.fills else None
    return _Field(_compiled(schema["type"], scope), default, "default" not in schema)


def _full_name(schema: Json, scope: _Scope) -> str:
    space = f"{schema['namespace']}." if "namespace" in schema else ""
    return scope.full(f"{space}{schema['name']}")


_COMPLEX: Mapping[Any, Callable[[Json, _Scope], Shape]] = {
    "record": _record,
    "enum": _enum,
    "array": _array,
    "map": _map,
}
