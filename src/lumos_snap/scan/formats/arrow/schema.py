"""Arrow types as portable types."""

from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import MAX_LEVELS, Branch, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.formats.parquet.spark_metadata import Parameters, apply_extension
from lumos_snap.scan.schemas.supertype import DatasetSchema

FieldEvidence = JsonObject

_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
_MOST_DIGITS = 1000
_PLAIN: Mapping[str, Parameters] = {
    "null": {"type": Kind.NULL},
    "bool": {"type": Kind.BOOLEAN},
    **{
        f"{sign}int{bits}": {"type": Kind(f"{sign.upper()}INT{bits}")}
        for bits in (8, 16, 32, 64)
        for sign in ("", "u")
    },
    "halffloat": {"type": Kind.FLOAT16},
    "float": {"type": Kind.FLOAT32},
    "double": {"type": Kind.FLOAT64},
    **{name: {"type": Kind.STRING} for name in ("string", "large_string", "string_view")},
    **{name: {"type": Kind.BINARY} for name in ("binary", "large_binary", "binary_view")},
    "date32[day]": {"type": Kind.DATE},
    "date64[ms]": {"type": Kind.DATE},
    "month_interval": {"type": Kind.INTERVAL, "unit": Unit.YEAR_MONTH},
    "day_time_interval": {"type": Kind.INTERVAL, "unit": Unit.DAY_TIME},
    "month_day_nano_interval": {"type": Kind.INTERVAL, "unit": Unit.MONTH_DAY_NANO},
}
_NESTED = frozenset(("list", "fixed_size_list", "map", "struct", "union"))


def schema_of(evidence: Any) -> DatasetSchema:
    """Convert the schema of an Arrow file."""
    reading = _SchemaReader()
    fields = reading.members(evidence["fields"], 1)
    return DatasetSchema(Schema(fields=fields), notes=(_DEEP,) if reading.is_deep else ())


class _SchemaReader:
    """Converts one schema."""

    def __init__(self) -> None:
        self.is_deep = False

    def members(self, listed: list[FieldEvidence], level: int) -> tuple[Field, ...]:
        """Convert columns, or the members of a struct."""
        return tuple(
            Field(name=one["name"], **_attributes(one), **self._type(one, level)) for one in listed
        )

    def _element(self, one: FieldEvidence, level: int) -> Element:
        return Element(**_attributes(one), **self._type(one, level))

    def _type(self, one: FieldEvidence, level: int) -> Parameters:
        made = self._nested(one, level) if one["type"] in _NESTED else _scalar(one)
        return apply_extension(made, one["extension"]) if "extension" in one else made

    def _nested(self, one: FieldEvidence, level: int) -> Parameters:
        kind, below = one["type"], level + 1
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "struct":
            return {"type": Kind.STRUCT, "fields": self.members(one["members"], below)}
        if kind == "union":
            branches = tuple(self._branch(held, below) for held in one["members"])
            return {"type": Kind.UNION, "branches": branches}
        if kind == "map":
            key = one["key"]
            return {
                "type": Kind.MAP,
                "key": MapKey(id=key.get("id"), **self._type(key, below)),
                "value": self._element(one["value"], below),
            }
        length = {"length": one["length"]} if "length" in one else {}
        return {"type": Kind.ARRAY, **length, "element": self._element(one["element"], below)}

    def _branch(self, one: FieldEvidence, level: int) -> Branch:
        return Branch(name=one["name"] or None, id=one.get("id"), **self._type(one, level))


def _attributes(one: FieldEvidence) -> Parameters:
    """Return the attributes of a field besides its type."""
    return {
        "nullable": one.get("nullable", True),
        "id": one.get("id"),
        "description": one.get("about"),
    }


def _scalar(one: FieldEvidence) -> Parameters:
    name = one["type"]
    read = _PARAMETERS.get(name)
    if read is not None:
        return read(one)
    return dict(_PLAIN.get(name, {"type": Kind.UNKNOWN, "native": name}))


def _timestamp(one: FieldEvidence) -> Parameters:
    zone = {"timezone": one["zone"]} if one.get("zone") else {}
    return {"type": Kind.TIMESTAMP, "unit": Unit(one["unit"]), **zone}


def _decimal(one: FieldEvidence) -> Parameters:
    precision, scale = one["precision"], one["scale"]
    if abs(scale) > _MOST_DIGITS:
        return {"type": Kind.UNKNOWN, "native": f"decimal({precision}, {scale})"}
    return {"type": Kind.DECIMAL, "precision": precision, "scale": scale}


_PARAMETERS: Mapping[str, Callable[[FieldEvidence], Parameters]] = {
    "timestamp": _timestamp,
    "time": lambda one: {"type": Kind.TIME, "unit": Unit(one["unit"])},
    "duration": lambda one: {"type": Kind.INTERVAL, "unit": Unit(one["unit"])},
    "decimal": _decimal,
    "fixed_size_binary": lambda one: {"type": Kind.FIXED, "length": one["length"]},
}
