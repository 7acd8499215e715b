"""Spark schemas as portable types, including lengths of texts from the column's metadata."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.model.snapshot import Bucketing, Partition, Schema, SortKey, Storage
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.schemas.supertype import DatasetSchema, TableFacts, parameters_of
from lumos_snap.scan.tables.delta.schema import Parameters, as_json, scalar_type
from lumos_snap.scan.tables.text_bounds import EMPTY, TextBounds, parse_bounds
from lumos_snap.schema import Json

Stored = JsonObject

_BOUNDED, _COLLATIONS = "__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"
_DEFAULT = "CURRENT_DEFAULT"
_GENERATED = ("GENERATION_EXPRESSION", "delta.generationExpression")
_MORE: Mapping[str, Parameters] = {
    "interval": {"type": Kind.INTERVAL, "unit": Unit.MONTH_DAY_NANO, "native": "interval"},
}
_COLLATED_TYPE = re.compile(r"string collate (\w+)")


class TypePlace(NamedTuple):
    """Additional information about the type at one place of a column."""

    level: int = 0
    bounds: TextBounds = EMPTY
    collations: Mapping[str, str] = {}
    path: str = ""

    def inside(self, word: str) -> "TypePlace":
        """Return the place of its element, key or value."""
        return TypePlace(
            self.level + 1, self.bounds.inside(word), self.collations, f"{self.path}.{word}"
        )


_TOP = TypePlace()


class SparkSchemaReader:
    """Converts one schema, and collects notes on what cannot be described."""

    def __init__(self) -> None:
        self.is_deep = False
        self.unknown: set[str] = set()

    def notes(self) -> Iterator[str]:
        """Yield notes for the user."""
        if self.is_deep:
            yield f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
        for name in sorted(self.unknown):
            yield f"the type {name} has no portable form: its name is kept"

    def members(self, fields: Sequence[Stored], place: TypePlace = _TOP) -> tuple[Field, ...]:
        """Convert columns, or the members of a struct."""
        return tuple(self._field(one, place) for one in fields)

    def _field(self, one: Stored, place: TypePlace) -> Field:
        metadata = one.get("metadata", {})
        name = one["name"]
        text = metadata.get(_BOUNDED)
        known = parse_bounds(text, one["type"]) if text else place.bounds.inside(name)
        at = TypePlace(place.level + 1, known, metadata.get(_COLLATIONS, {}), name)
        given = metadata.get(_DEFAULT)
        default = as_json(given)
        return Field(
            name=name,
            nullable=one["nullable"],
            description=_comment(metadata.get("comment")),
            generated=next((metadata[key] for key in _GENERATED if metadata.get(key)), None),
            write_default=default,
            properties={} if given is None or default else {_DEFAULT: given},
            **self._type(one["type"], at),
        )

    def _type(self, given: Any, at: TypePlace) -> Parameters:
        if isinstance(given, str):
            return self._scalar(given, at)
        if at.level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": given["type"]}
        return self._nested(given, at)

    def _nested(self, given: Stored, at: TypePlace) -> Parameters:
        match given["type"]:
            case "struct":
                return {"type": Kind.STRUCT, "fields": self.members(given["fields"], at)}
            case "array":
                held = self._type(given["elementType"], at.inside("element"))
                element = Element(nullable=given["containsNull"], **held)
                return {"type": Kind.ARRAY, "element": element}
            case "map":
                key = self._type(given["keyType"], at.inside("key"))
                held = self._type(given["valueType"], at.inside("value"))
                value = Element(nullable=given["valueContainsNull"], **held)
                return {"type": Kind.MAP, "key": MapKey(**key), "value": value}
            case "udt" if "sqlType" in given:
                name = given.get("class") or given.get("pyClass") or "udt"
                return {**self._type(given["sqlType"], at), "native": name}
            case name:
                return self._noted({"type": Kind.UNKNOWN, "native": str(name)})

    def _scalar(self, name: str, at: TypePlace) -> Parameters:
        if name == "string":
            collation = at.collations.get(at.path)
            collated = {"collation": collation} if collation else {}
            return {**scalar_type(at.bounds.text or name), **collated}
        if name in _MORE:
            return _MORE[name]
        collated_text = _COLLATED_TYPE.fullmatch(name)
        if collated_text:
            return {"type": Kind.STRING, "collation": collated_text[1]}
        return self._noted(scalar_type(name))

    def _noted(self, made: Parameters) -> Parameters:
        if made["type"] is Kind.UNKNOWN:
            self.unknown.add(made["native"])
        return made


_NO_COMMENTS = frozenset(("", "from deserializer"))
"""Hive writes the second one itself, where its SerDe knows the columns and no comments."""


def _comment(text: str | None) -> str | None:
    return None if text is None or text in _NO_COMMENTS else text


_AS_IT_IS = "identity"
_SAME = frozenset((_AS_IT_IS, "truncate"))
_TRANSFORM = re.compile(
    r"(?P<name>\w+)\((?:(?P<first>\d+), )?(?P<column>[^()]+?)(?:, (?P<last>\d+))?\)"
)
_UNITS = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
_TYPES = {**dict.fromkeys(("bucket", *_UNITS.values()), Kind.INT32), "day": Kind.DATE}
_NAME = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_STRANGE = "how it is partitioned is not all understood: {}"


def parse_partitions(
    told: Iterable[JsonObject], fields: Sequence[Field]
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """Parse partitions, outermost first; return a note for each that is not understood."""
    found: list[Partition] = []
    strange: list[str] = []
    for one in told:
        made = _partition(one, fields)
        if made is None:
            strange.append(_STRANGE.format(one.get("transform") or ".".join(one["column"])))
        else:
            found.append(made)
    return tuple(found), tuple(strange)


def field_path_of(parts: Sequence[str]) -> str:
    """Return the field path for the parts of a name."""
    return format_path([Part(Step.MEMBER, part) for part in parts])


def _partition(told: JsonObject, fields: Sequence[Field]) -> Partition | None:
    if "column" in told:
        return _make_partition(told["column"], _AS_IT_IS, None, fields)
    found = _TRANSFORM.fullmatch(told["transform"])
    if found is None:
        return None
    number = found["first"] or found["last"]
    parts = [quoted.replace("``", "`") or plain for quoted, plain in _NAME.findall(found["column"])]
    name = _UNITS.get(found["name"], found["name"])
    return _make_partition(parts, name, int(number) if number else None, fields)


def _make_partition(
    parts: Sequence[str], transform: str, argument: int | None, fields: Sequence[Field]
) -> Partition | None:
    held = _field(parts, fields)
    if held is None:
        return None
    name = ".".join(parts)
    return Partition(
        name=name if transform == _AS_IT_IS else f"{name}_{transform}",
        source=field_path_of(parts),
        transform=transform,
        argument=argument,
        **_type(held, transform),
    )


def _field(parts: Sequence[str], fields: Sequence[Field]) -> Field | None:
    """Find the field at a path; Spark's names may differ in letter case."""
    first, *inner = parts
    found = next((one for one in fields if one.name == first), None) or next(
        (one for one in fields if one.name.lower() == first.lower()), None
    )
    return _field(inner, found.fields) if found and inner else found


def _type(held: Field, transform: str) -> JsonObject:
    if transform in _SAME:
        return parameters_of(held)
    if transform in _TYPES:
        return {"type": _TYPES[transform]}
    return {"type": Kind.UNKNOWN, "native": transform}


_KINDS = frozenset(("MANAGED", "EXTERNAL"))
"""Kinds of tables that differ in whether dropping the table drops its data; views have none."""
_HIVE = "hive"
_OF_HIVE, _ICEBERG = "table_type", "iceberg"
_SERDES = {
    "parquethiveserde": "parquet",
    "orcserde": "orc",
    "avroserde": "avro",
    "jsonserde": "json",
    "opencsvserde": "csv",
    "lazysimpleserde": "text",
}
"""Formats of Hive's SerDe classes, by the last part of their name."""


def schema_of(evidence: JsonObject) -> DatasetSchema:
    """Convert a catalog's table: every column is a field, including partition columns."""
    reading = SparkSchemaReader()
    fields = reading.members(evidence["fields"])
    partitioning, strange = parse_partitions(evidence.get("partitions", ()), fields)
    return DatasetSchema(
        Schema(fields=fields),
        options=evidence.get("options", {}),
        description=evidence.get("comment") or None,
        notes=(*reading.notes(), *strange),
        partitioning=partitioning,
        properties=_properties(evidence),
        storage=Storage(
            format=_format(evidence),
            definition=evidence.get("definition"),
            bucketing=_bucketing(evidence),
            sorting=tuple(
                SortKey(field=field_path_of([one]), direction="ASC")
                for one in evidence.get("sorted", ())
            ),
        ),
        table=TableFacts(),
    )


def _properties(evidence: JsonObject) -> dict[str, Json]:
    properties = dict(evidence.get("properties", {}))
    if evidence.get("kind") in _KINDS:
        properties["managed"] = evidence["kind"] == "MANAGED"
    if "names_in" in evidence:
        properties["view_names_in"] = evidence["names_in"]
    if "clustered" in evidence:
        properties["clustering"] = list(map(field_path_of, evidence["clustered"]))
    return properties


def _bucketing(evidence: JsonObject) -> Bucketing | None:
    if "buckets" not in evidence:
        return None
    columns = tuple(field_path_of([one]) for one in evidence.get("bucketed", ()))
    return Bucketing(count=evidence["buckets"], columns=columns)


def _format(evidence: JsonObject) -> str | None:
    provider = evidence.get("provider")
    if provider is None or provider.lower() != _HIVE:
        return None if provider is None else provider.lower()
    if evidence.get("properties", {}).get(_OF_HIVE, "").lower() == _ICEBERG:
        return _ICEBERG
    serde = str(evidence.get("serde", "")).rpartition(".")[2].lower()
    return _SERDES.get(serde, _HIVE)
