"""What a Delta table says of its columns and of who can read it, checked and without secrets."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.tables import text

_ALLOWED = ("delta.",)
_CLOCKS = (
    "delta.columnMapping.maxColumnId",
    "delta.inCommitTimestampEnablementVersion",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.lastCommitTimestamp",
    "delta.lastUpdateVersion",
    "delta.rowTracking.materializedRowIdColumnName",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
)
"""What changes though nothing that readers see does, or is drawn by chance."""
_HIGH_WATER = "delta.identity.highWaterMark"
"""A value of the data."""


def metadata(held: Mapping[str, Any]) -> dict[str, Any]:
    """The `metaData` action: columns, partition columns, properties, words."""
    said = held.get("schemaString")
    if not isinstance(said, str):
        raise _bad("metaData has no schema")
    stored = held.get("format")
    return {
        "id": _text(held.get("id")),
        "name": _text(held.get("name")),
        "description": _text(held.get("description")),
        "provider": _text(stored.get("provider")) if isinstance(stored, dict) else None,
        "schema": _type(text.parsed(said), 0),
        "partitioning": text.words(held.get("partitionColumns")),
        "properties": text.kept(held.get("configuration"), _ALLOWED, _CLOCKS),
    }


def protocol(held: Mapping[str, Any]) -> dict[str, Any]:
    """The `protocol` action."""
    reader, writer = (text.number(held.get(f"min{who}Version")) for who in ("Reader", "Writer"))
    if reader is None or writer is None:
        raise _bad("protocol has no versions")
    features = {who: sorted(set(text.words(held.get(f"{who}Features")))) for who in _WHO}
    return {"reader": reader, "writer": writer, "features": features}


_WHO = ("reader", "writer")


def _text(held: Any) -> str | None:
    return held if isinstance(held, str) and held else None


def _type(held: Any, level: int) -> Any:
    """A type with what is known of such, and nothing else."""
    if level > text.DEEPEST:
        raise BadFileError(reasons.TOO_LARGE, f"the schema nests over {text.DEEPEST} deep")
    if isinstance(held, str) and held:
        return held
    if not isinstance(held, dict) or not _text(held.get("type")):
        raise _bad("the schema has a type that is none")
    kind = held["type"]
    if kind == "struct":
        return {"type": kind, "fields": [_field(one, level) for one in _list(held.get("fields"))]}
    inside = {name: _type(held.get(name), level + 1) for name in _HOLDS.get(kind, ())}
    flags = {name: held.get(name) is not False for name in _FLAGS.get(kind, ())}
    if kind == "udt":
        name = _text(held.get("class")) or _text(held.get("pyClass")) or kind
        return {"type": kind, "class": name, "sqlType": _type(held.get("sqlType"), level + 1)}
    return {"type": kind, **inside, **flags}


_HOLDS = {"array": ("elementType",), "map": ("keyType", "valueType")}
_FLAGS = {"array": ("containsNull",), "map": ("valueContainsNull",)}


def _field(held: Any, level: int) -> dict[str, Any]:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise _bad("the schema has a column without a name")
    said = held.get("metadata")
    known = said if isinstance(said, dict) else {}
    return {
        "name": held["name"],
        "type": _type(held.get("type"), level + 1),
        "nullable": held.get("nullable") is not False,
        "metadata": {name: known[name] for name in sorted(known) if name != _HIGH_WATER},
    }


def _list(held: Any) -> list[Any]:
    if not isinstance(held, list):
        raise _bad("the schema has a struct without columns")
    return held


def _bad(detail: str) -> BadFileError:
    return BadFileError(reasons.DAMAGED, f"_delta_log: {detail}")
