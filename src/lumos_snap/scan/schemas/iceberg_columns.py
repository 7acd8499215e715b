"""The columns of an Iceberg table. Every one has an id, inside lists and maps as well."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.schemas.avro_words import identity

Stored = Mapping[str, Any]
Parameters = Mapping[str, Any]

_MICRO, _NANO = Unit.MICROSECOND, Unit.NANOSECOND
_SCALARS: Mapping[str, Parameters] = {
    "boolean": {"type": Kind.BOOLEAN},
    "int": {"type": Kind.INT32},
    "long": {"type": Kind.INT64},
    "float": {"type": Kind.FLOAT32},
    "double": {"type": Kind.FLOAT64},
    "date": {"type": Kind.DATE},
    "time": {"type": Kind.TIME, "unit": _MICRO},
    "timestamp": {"type": Kind.TIMESTAMP, "unit": _MICRO},
    "timestamptz": {"type": Kind.TIMESTAMP, "unit": _MICRO, "timezone": "UTC"},
    "timestamp_ns": {"type": Kind.TIMESTAMP, "unit": _NANO},
    "timestamptz_ns": {"type": Kind.TIMESTAMP, "unit": _NANO, "timezone": "UTC"},
    "string": {"type": Kind.STRING},
    "uuid": {"type": Kind.UUID},
    "binary": {"type": Kind.BINARY},
    "variant": {"type": Kind.VARIANT},
    "unknown": {"type": Kind.NULL},
}
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)")
_FIXED = re.compile(r"fixed\[\s*([0-9]{1,9})\s*\]")
_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"


class Columns:
    """The columns of one schema, and what was met on the way."""

    def __init__(self) -> None:
        self.is_deep = False

    def notes(self) -> tuple[str, ...]:
        """What could not be described."""
        return (_DEEP,) if self.is_deep else ()

    def members(self, fields: Sequence[Stored], level: int) -> tuple[Field, ...]:
        """The columns of a table or struct."""
        return tuple(
            Field(
                name=one["name"],
                nullable=not one["required"],
                id=one["id"],
                description=one["doc"] if _is_text(one.get("doc")) else None,
                default=_json(one.get("initial-default")),
                write_default=_json(one.get("write-default")),
                **self._type(one["type"], level),
            )
            for one in fields
        )

    def _type(self, held: Any, level: int) -> Parameters:
        if isinstance(held, str):
            return scalar(held)
        kind = held["type"]
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "struct":
            return {"type": Kind.STRUCT, "fields": self.members(held["fields"], level + 1)}
        if kind == "list":
            return {"type": Kind.ARRAY, "element": self._element(held, "element", level + 1)}
        key = MapKey(id=identity(held["key-id"]), **self._type(held["key"], level + 1))
        return {"type": Kind.MAP, "key": key, "value": self._element(held, "value", level + 1)}

    def _element(self, held: Stored, name: str, level: int) -> Element:
        nullable = held[f"{name}-required"] is not True
        return Element(
            id=identity(held[f"{name}-id"]), nullable=nullable, **self._type(held[name], level)
        )


def scalar(name: str) -> Parameters:
    """A simple type; one that is not known, as geometry, keeps its name."""
    if name in _SCALARS:
        return _SCALARS[name]
    decimal, fixed = _DECIMAL.fullmatch(name), _FIXED.fullmatch(name)
    if decimal and int(decimal[1]):
        return {"type": Kind.DECIMAL, "precision": int(decimal[1]), "scale": int(decimal[2])}
    if fixed:
        return {"type": Kind.FIXED, "length": int(fixed[1])}
    return {"type": Kind.UNKNOWN, "native": name}


def _is_text(held: Any) -> bool:
    return isinstance(held, str) and bool(held)


def _json(held: Any) -> str | None:
    """A default as JSON; one that is null is none."""
    if held is None:
        return None
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))  # noqa: TID251 - a part of a value
