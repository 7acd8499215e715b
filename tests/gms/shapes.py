"""Values of aspects held against the schemas that DataHub's own package ships.

A schema becomes a function once: it fills in defaults, drops nulls, and refuses what does not fit.
Values are JSON as the wire has it: a union names its branch as Pegasus does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tests.gms.refusals import Refusal, Why

Json: TypeAlias = Any
Shape: TypeAlias = Callable[[Json, str], Json]

AVRO, PEGASUS = "com.linkedin.pegasus2avro.", "com.linkedin."
DISCRIMINATOR = "fieldDiscriminator"
_PRIMITIVES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "bytes": (str,),
    "boolean": (bool,),
    "int": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
}


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


def wrong(at: str, problem: str) -> Refusal:
    return Refusal(Why.INVALID, f"ERROR :: /{at.strip('/')} :: {problem}")


def without_nulls(value: Json) -> Json:
    """A value as it is stored: what is null is not there."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def _compiled(schema: Json, scope: _Scope) -> Shape:
    if isinstance(schema, list):
        return _union(schema, scope)
    if isinstance(schema, dict):
        kind = schema["type"]
        return _COMPLEX[kind](schema, scope) if kind in _COMPLEX else _compiled(kind, scope)
    if schema in _PRIMITIVES:
        return _primitive(schema)
    full = scope.full(schema)
    return lambda value, at: scope.known[full](value, at)


def _primitive(name: str) -> Shape:
    wanted, is_float = _PRIMITIVES[name], name in ("float", "double")

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            raise wrong(at, f"{value!r:.80} is not a {name}")
        return float(value) if is_float else value

    return check


def _enum(schema: Json, scope: _Scope) -> Shape:
    symbols = frozenset(schema["symbols"])

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, str) or value not in symbols:
            raise wrong(at, f"{value!r:.80} is not an enum symbol")
        return value

    return scope.known.setdefault(_full_name(schema, scope), check)


def _array(schema: Json, scope: _Scope) -> Shape:
    item = _compiled(schema["items"], scope)

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, list):
            raise wrong(at, "an array is expected")
        return [item(one, f"{at}/{number}") for number, one in enumerate(value)]

    return check


def _map(schema: Json, scope: _Scope) -> Shape:
    item = _compiled(schema["values"], scope)

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, dict):
            raise wrong(at, "a map is expected")
        return {key: item(one, f"{at}/{key}") for key, one in value.items() if one is not None}

    return check


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
        name = schema if schema in _PRIMITIVES else scope.full(schema)
    else:
        name = _full_name(schema, scope) if "name" in schema else str(schema["type"])
    return name.replace(AVRO, PEGASUS, 1)


def _record(schema: Json, scope: _Scope) -> Shape:
    full = _full_name(schema, scope)
    fields: dict[str, tuple[Shape, Json, bool]] = {}

    def check(value: Json, at: str) -> Json:
        if not isinstance(value, dict):
            raise wrong(at, "a record is expected")
        for name in value.keys() - fields.keys():
            raise wrong(f"{at}/{name}", "unrecognized field found but not allowed")
        found = {}
        for name, (shape, default, is_needed) in fields.items():
            if (given := value.get(name)) is not None:
                found[name] = shape(given, f"{at}/{name}")
            elif default is not None:
                found[name] = default
            elif is_needed:
                raise wrong(f"{at}/{name}", "field is required but not found and has no default")
        return found

    scope.known[full] = check
    for one in schema["fields"]:
        if one["name"] != DISCRIMINATOR:  # stands in Avro only, and says which branch it is
            default = without_nulls(one.get("default")) if scope.fills else None
            shape = _compiled(one["type"], scope.within(full))
            fields[one["name"]] = shape, default, "default" not in one
    return check


def _full_name(schema: Json, scope: _Scope) -> str:
    return scope.full(
        f"{schema['namespace']}.{schema['name']}" if "namespace" in schema else schema["name"]
    )


_COMPLEX: Mapping[Any, Callable[[Json, _Scope], Shape]] = {
    "record": _record,
    "enum": _enum,
    "array": _array,
    "map": _map,
}
