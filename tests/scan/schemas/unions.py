"""Types of one column united, and types compared whatever the order of their members."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lumos_snap.model import Field, Schema
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType
from lumos_snap.scan.schemas.supertype import NO_PARAMETERS
from lumos_snap.scan.schemas.union import SchemaUnion, union_schemas


def schema(given: DataType | str, *, inferred: bool = False, **own: Any) -> Schema:
    """A schema of one column, `x`."""
    one = parse_type(given) if isinstance(given, str) else given
    parameters = {name: getattr(one, name) for name in NO_PARAMETERS}
    column = Field(**{"name": "x", "nullable": True, **parameters, **own})
    return Schema(inferred=inferred, fields=(column,))


def columns(*names: str, ids: Sequence[int | None] = ()) -> Schema:
    """A schema of integers that are never null."""
    numbers = ids or (None,) * len(names)
    one = parse_type("INT64")
    return Schema(
        fields=tuple(
            Field(name=name, nullable=False, id=number, type=one.type)
            for name, number in zip(names, numbers, strict=True)
        )
    )


def joined(*types: DataType, inferred: bool) -> Field:
    """The column that columns of these types become."""
    return union_schemas([schema(one, inferred=inferred) for one in types]).schema.fields[0]


def texts_united(types: str, *, inferred: bool) -> str:
    """The type that types become, all in the notation."""
    found = union_schemas([schema(text, inferred=inferred) for text in types.split(" | ")])
    return format_type(found.schema.fields[0])


def spoken(found: SchemaUnion) -> dict[str, list[str]]:
    """What is said of each column that files do not agree on."""
    return {one.path: [opinion.says for opinion in one.opinions] for one in found.disagreements}


def in_any_order(one: DataType) -> str:
    """The notation of a type whose members stand in the order of their names."""
    return format_type(_ordered(one))


def _ordered(one: DataType) -> DataType:
    changed: dict[str, Any] = {
        name: _ordered(held)
        for name in ("key", "element", "value")
        if (held := getattr(one, name)) is not None
    }
    for name in ("fields", "branches"):
        changed[name] = tuple(sorted(map(_ordered, getattr(one, name)), key=_rank))
    return replace(one, **changed)


def _rank(one: DataType) -> tuple[str, str]:
    return (getattr(one, "name", None) or "", format_type(one))
