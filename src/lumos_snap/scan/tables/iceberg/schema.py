"""Iceberg schemas as portable types; every column has an id, inside lists and maps as well."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Partition, Schema, SortKey, Storage
from lumos_snap.model.types import MAX_LEVELS, DataType, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.formats.avro.attributes import field_id
from lumos_snap.scan.schemas.supertype import DatasetSchema, TableFacts, parameters_of

Stored = JsonObject
Parameters = JsonObject

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


class IcebergColumns:
    """The columns of one schema, with notes on what could not be described."""

    def __init__(self) -> None:
        self.is_deep = False

    def notes(self) -> tuple[str, ...]:
        """Return notes on what could not be described."""
        return (_DEEP,) if self.is_deep else ()

    def members(self, fields: Sequence[Stored], level: int) -> tuple[Field, ...]:
        """Convert the columns of a table or struct."""
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
            return scalar_type(held)
        kind = held["type"]
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "struct":
            return {"type": Kind.STRUCT, "fields": self.members(held["fields"], level + 1)}
        if kind == "list":
            return {"type": Kind.ARRAY, "element": self._element(held, "element", level + 1)}
        key = MapKey(id=field_id(held["key-id"]), **self._type(held["key"], level + 1))
        return {"type": Kind.MAP, "key": key, "value": self._element(held, "value", level + 1)}

    def _element(self, held: Stored, name: str, level: int) -> Element:
        nullable = held[f"{name}-required"] is not True
        return Element(
            id=field_id(held[f"{name}-id"]), nullable=nullable, **self._type(held[name], level)
        )


def scalar_type(name: str) -> Parameters:
    """Convert a simple type; an unknown one, such as geometry, keeps its name."""
    if name in _SCALARS:
        return _SCALARS[name]
    decimal, fixed = _DECIMAL.fullmatch(name), _FIXED.fullmatch(name)
    if decimal and int(decimal[1]):
        return {"type": Kind.DECIMAL, "precision": int(decimal[1]), "scale": int(decimal[2])}
    if fixed:
        return {"type": Kind.FIXED, "length": int(fixed[1])}
    return {"type": Kind.UNKNOWN, "native": name}


def _is_text(held: object) -> bool:
    return isinstance(held, str) and bool(held)


def _json(held: object) -> str | None:
    """Encode a default value as JSON; null means no default."""
    if held is None:
        return None
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))  # noqa: TID251 - a part of a value


ColumnsById = Mapping[int, tuple[str, DataType]]
"""Path and type of columns at any depth, by id."""

_IDENTITY = "identity"
_VOID = "void"
"""The transform of a dropped partition field; its column may be removed as well."""
_TRANSFORM = re.compile(r"([a-z_]+)\[([0-9]{1,10})\]")
_RESULTS: Mapping[str, Kind] = {
    "bucket": Kind.INT32,
    "year": Kind.INT32,
    "month": Kind.INT32,
    "day": Kind.DATE,
    "hour": Kind.INT32,
}
_AS_ITS_SOURCE = frozenset((_IDENTITY, "truncate", _VOID))
_FORMAT = "write.format.default"
_PARQUET = "parquet"
_KNOWN_VERSIONS = 4


def schema_of(evidence: Stored) -> DatasetSchema:
    """Convert the evidence of a table or of a view."""
    return _view(evidence) if "view" in evidence else _table(evidence)


def _view(evidence: Stored) -> DatasetSchema:
    """Convert the current version of a view: it has columns and a query, and no data."""
    columns, view = IcebergColumns(), evidence["view"]
    properties = {
        "view_dialect": view["dialect"],
        "view_names_in": _qualified_name(view["names_in"]),
        "view_stored_in": _qualified_name(view["stored_in"]),
    }
    return DatasetSchema(
        Schema(fields=columns.members(evidence["schema"]["fields"], 1)),
        description=evidence["comment"],
        partitioning=(),
        properties={name: text for name, text in properties.items() if text},
        storage=Storage(
            id=view["id"], reader_version=evidence["format"], definition=view["definition"]
        ),
        table=TableFacts(version=view["version"], is_view=True),
        notes=(*_notes_of_view(view), *evidence["notes"], *columns.notes()),
    )


def _notes_of_view(view: Stored) -> Iterator[str]:
    if view["definition"] is None:
        yield "the view states no SQL query: its definition is not known"
    if view["others"]:
        listed = ", ".join(one or "a dialect without a name" for one in view["others"])
        yield f"the view has a query for {listed} as well: it is left out"


def _qualified_name(parts: Sequence[str]) -> str:
    """Write a name as Spark does: parts that are no plain words stand in backticks."""
    return ".".join(one if _WORD.fullmatch(one) else f"`{one.replace('`', '``')}`" for one in parts)


_WORD = re.compile(r"\w+")


def _table(evidence: Stored) -> DatasetSchema:
    """Convert the current schema, partition spec and sort order of a table."""
    columns = IcebergColumns()
    fields = columns.members(evidence["schema"]["fields"], 1)
    named = {
        one.id: (format_path(path), one)
        for path, one in walk(fields)
        if isinstance(one, Field | Element | MapKey) and one.id is not None
    }
    keys = [path for one, (path, _) in named.items() if one in evidence["schema"]["identifiers"]]
    properties: dict[str, Any] = dict(evidence["properties"])
    partitioning, gone = _partitioning(evidence["partitioning"], named)
    file_format = properties.pop(_FORMAT, _PARQUET).lower()
    return DatasetSchema(
        Schema(fields=fields, primary_key=tuple(keys)),
        description=evidence["comment"],
        partitioning=partitioning,
        properties=properties,
        storage=Storage(
            file_format=file_format,
            id=evidence["id"],
            reader_version=evidence["format"],
            compression=properties.pop(f"write.{file_format}.compression-codec", None),
            sorting=tuple(_sorting(evidence["sorting"], named)),
        ),
        table=TableFacts(
            version=evidence["snapshot"],
            files=evidence["files"],
            bytes=evidence["bytes"],
            properties=_table_facts(evidence["refs"]),
        ),
        notes=(*_of_format(evidence["format"]), *evidence["notes"], *gone, *columns.notes()),
    )


def _table_facts(refs: Mapping[str, Sequence[str]]) -> Mapping[str, object]:
    """Return branches and tags as facts: they change with releases of data, so not as contract."""
    told = {"iceberg.branches": list(refs["branch"]), "iceberg.tags": list(refs["tag"])}
    return {name: listed for name, listed in told.items() if listed}


def _of_format(version: int) -> Iterator[str]:
    if version >= _KNOWN_VERSIONS:
        yield f"version {version} of the format is newer than what is known here"


def _source_id(one: Stored) -> object:
    """Return the source column of a partition or sort key; the first of several."""
    several = one.get("source-ids")
    return several[0] if isinstance(several, list) and several else one.get("source-id")


def _find_source(one: Stored, named: ColumnsById) -> tuple[str | None, DataType | None]:
    source = _source_id(one)
    return named.get(source, (None, None)) if isinstance(source, int) else (None, None)


def _partitioning(
    fields: Sequence[Stored], named: ColumnsById
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """Return the partitions, and notes for those whose column was removed."""
    known = [one for one in fields if _find_source(one, named)[0] is not None]
    lost = [one for one in fields if one not in known and one.get("transform") != _VOID]
    return (
        tuple(_partition(one, named) for one in known),
        tuple(f"it is divided by {one.get('name')}, whose column is gone" for one in lost),
    )


def _partition(one: Stored, named: ColumnsById) -> Partition:
    path, source = _find_source(one, named)
    name, argument = _transform(one.get("transform"))
    return Partition(
        **_result(name, source),
        name=str(one.get("name") or path or "?"),
        source=path,
        transform=name,
        argument=argument,
        id=field_id(one.get("field-id")),
    )


def _transform(held: object) -> tuple[str, int | None]:
    """Split a transform: `bucket[16]` is `bucket` with the argument 16."""
    said = str(held or _IDENTITY)
    found = _TRANSFORM.fullmatch(said)
    return (found[1], int(found[2])) if found else (said, None)


def _result(transform: str, source: DataType | None) -> JsonObject:
    """Return the type of a transform's result."""
    if transform in _RESULTS:
        return {"type": _RESULTS[transform]}
    if transform in _AS_ITS_SOURCE and source is not None:
        return parameters_of(source)
    return {"type": Kind.UNKNOWN, "native": transform}


def _sorting(fields: Sequence[Stored], named: ColumnsById) -> Iterator[SortKey]:
    for one in fields:
        path, _ = _find_source(one, named)
        name, argument = _transform(one.get("transform"))
        if path is None:
            continue
        yield SortKey(
            field=path,
            transform=None if name == _IDENTITY else one.get("transform") if argument else name,
            direction="DESC" if str(one.get("direction")).lower() == "desc" else "ASC",
            nulls="LAST" if str(one.get("null-order")).lower() == "nulls-last" else "FIRST",
        )
