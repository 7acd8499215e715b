"""What an Iceberg table's metadata says, in portable types."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Partition, Schema, SortKey, Storage
from lumos_snap.model.types import DataType, Element, Field, Kind, MapKey
from lumos_snap.scan.schemas.avro_words import identity
from lumos_snap.scan.schemas.described import Described, TableFacts
from lumos_snap.scan.schemas.iceberg_columns import Columns, Stored
from lumos_snap.scan.schemas.types import parameters_of

Named = Mapping[int, tuple[str, DataType]]
"""Columns at any depth by their id: the path, and the type."""

_IDENTITY = "identity"
_VOID = "void"
"""What is left of a partition field that was dropped; its column may be gone as well."""
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


def schema_of(evidence: Stored) -> Described:
    """What the current schema, partition spec and sort order say."""
    columns = Columns()
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
    return Described(
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
            properties=_measured(evidence["refs"]),
        ),
        notes=(*_of_format(evidence["format"]), *evidence["notes"], *gone, *columns.notes()),
    )


def _measured(refs: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Branches and tags come and go with every release of data: no part of the contract."""
    told = {"iceberg.branches": list(refs["branch"]), "iceberg.tags": list(refs["tag"])}
    return {name: listed for name, listed in told.items() if listed}


def _of_format(version: int) -> Iterator[str]:
    if version >= _KNOWN_VERSIONS:
        yield f"version {version} of the format is newer than what is known here"


def _sources(one: Stored) -> Any:
    """The column that a partition or sort key is made of; the first where there are several."""
    several = one.get("source-ids")
    return several[0] if isinstance(several, list) and several else one.get("source-id")


def _named(one: Stored, named: Named) -> tuple[str | None, DataType | None]:
    source = _sources(one)
    return named.get(source, (None, None)) if isinstance(source, int) else (None, None)


def _partitioning(
    fields: Sequence[Stored], named: Named
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """What divides the layout; and a word where a column that did is gone."""
    known = [one for one in fields if _named(one, named)[0] is not None]
    lost = [one for one in fields if one not in known and one.get("transform") != _VOID]
    return (
        tuple(_partition(one, named) for one in known),
        tuple(f"it is divided by {one.get('name')}, whose column is gone" for one in lost),
    )


def _partition(one: Stored, named: Named) -> Partition:
    path, source = _named(one, named)
    name, argument = _transform(one.get("transform"))
    return Partition(
        **_result(name, source),
        name=str(one.get("name") or path or "?"),
        source=path,
        transform=name,
        argument=argument,
        id=identity(one.get("field-id")),
    )


def _transform(held: Any) -> tuple[str, int | None]:
    """`bucket[16]` is a bucket of sixteen."""
    said = str(held or _IDENTITY)
    found = _TRANSFORM.fullmatch(said)
    return (found[1], int(found[2])) if found else (said, None)


def _result(transform: str, source: DataType | None) -> Mapping[str, Any]:
    """The type of what a transform makes of its source."""
    if transform in _RESULTS:
        return {"type": _RESULTS[transform]}
    if transform in _AS_ITS_SOURCE and source is not None:
        return parameters_of(source)
    return {"type": Kind.UNKNOWN, "native": transform}


def _sorting(fields: Sequence[Stored], named: Named) -> Iterator[SortKey]:
    for one in fields:
        path, _ = _named(one, named)
        name, argument = _transform(one.get("transform"))
        if path is None:
            continue
        yield SortKey(
            field=path,
            transform=None if name == _IDENTITY else one.get("transform") if argument else name,
            direction="DESC" if str(one.get("direction")).lower() == "desc" else "ASC",
            nulls="LAST" if str(one.get("null-order")).lower() == "nulls-last" else "FIRST",
        )
