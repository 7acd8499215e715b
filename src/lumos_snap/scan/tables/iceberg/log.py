"""The probe of Iceberg tables and views: reads the current metadata file, known attributes only."""

from collections.abc import Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.stores.store import BadFileError, Reader
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.iceberg import metadata_files, view

_OF_FIELDS = ("doc", "initial-default", "write-default")
_LISTS = {
    "list": (("element",), ("element-id", "element-required")),
    "map": (("key", "value"), ("key-id", "value-id", "value-required")),
}
_SCHEMA = "it has no schema that can be read: "


def parse_schema(held: object) -> JsonObject:
    """Parse the columns and the identifier fields."""
    if not isinstance(held, dict):
        raise BadFileError(error_codes.DAMAGED, f"{_SCHEMA}it is no object")
    identifiers = held.get("identifier-field-ids")
    return {
        "fields": _schema_fields(held.get("fields"), 0),
        "identifiers": [one for one in identifiers or () if isinstance(one, int)]
        if isinstance(identifiers, list)
        else [],
    }


def _schema_fields(held: object, level: int) -> list[JsonObject]:
    if not isinstance(held, list):
        raise BadFileError(error_codes.DAMAGED, f"{_SCHEMA}a struct has no fields")
    return [_field(one, level) for one in held]


def _field(held: object, level: int) -> JsonObject:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise BadFileError(error_codes.DAMAGED, f"{_SCHEMA}a field has no name")
    return {
        "id": log_files.parse_number(held.get("id")),
        "name": held["name"],
        "required": held.get("required") is True,
        "type": _type(held.get("type"), level + 1),
        **{name: held[name] for name in _OF_FIELDS if name in held},
    }


def _type(held: Any, level: int) -> Any:
    if level > log_files.DEEPEST:
        raise BadFileError(error_codes.TOO_LARGE, f"the schema nests over {log_files.DEEPEST} deep")
    if isinstance(held, str) and held:
        return held
    kind = held.get("type") if isinstance(held, dict) else None
    if kind == "struct":
        return {"type": kind, "fields": _schema_fields(held.get("fields"), level)}
    if kind in _LISTS:
        types, others = _LISTS[kind]
        inside = {name: _type(held.get(name), level + 1) for name in types}
        return {"type": kind, **inside, **{name: _plain(held.get(name)) for name in others}}
    raise BadFileError(error_codes.DAMAGED, f"{_SCHEMA}a type is none")


def _plain(held: object) -> int | bool | None:
    return held if isinstance(held, bool) else log_files.parse_number(held)


Stored = JsonObject

_ALLOWED = ("write.", "read.", "history.expire.", "commit.", "gc.enabled", "compatibility.")
_ELSEWHERE = (
    "write.data.path", "write.metadata.path", "write.folder-storage.path",
    "write.object-storage.path", "write.location-provider.impl", "commit.retry.",
)  # fmt: skip
"""Paths and writer settings: they do not describe the data."""
_MAIN = "main"


def probe(reader: Reader, _root: str, parts: Sequence[str]) -> ProbeResult:
    """Read the current metadata file; if it is damaged, the one before it."""
    paths = [path for path in parts if metadata_files.version_of(path) is not None]
    hint = metadata_files.read_hint(reader, parts)
    first: BadFileError | None = None
    for path in metadata_files.order_files(paths, hint):
        try:
            with log_files.open_log_file(reader, path) as file:
                evidence, rows = _evidence(log_files.read_document(file))
        except BadFileError as exc:
            if not log_files.is_damage(exc):
                raise
            first = first or exc
            continue
        evidence["notes"] = [
            *metadata_files.note_choice(first, paths, path, hint),
            *metadata_files.note_hint(paths, hint),
        ]
        kind = "iceberg view" if "view" in evidence else "iceberg"
        return ProbeResult(
            "iceberg", encode_evidence(evidence), rows, f"{kind} {evidence['format']}"
        )
    raise first or BadFileError(
        error_codes.DAMAGED, f"{log_files.ICEBERG}: it has no metadata file"
    )


def _evidence(held: Stored) -> tuple[dict[str, Any], int | None]:
    version = log_files.parse_number(held.get("format-version"))
    if not version:
        raise _damage_error("it has no format-version")
    return _view(held, version) if view.is_view(held) else _table(held, version)


def _view(held: Stored, version: int) -> tuple[dict[str, Any], None]:
    schema, defined = view.read_view(held)
    comment = _text(_dict(held.get("properties")).get("comment"))
    return {
        "format": version, "schema": parse_schema(schema), "comment": comment, "view": defined,
    }, None  # fmt: skip


def _table(held: Stored, version: int) -> tuple[dict[str, Any], int | None]:
    snapshot = _snapshot(held)
    summary = snapshot.get("summary") if snapshot else None
    counts = summary if isinstance(summary, dict) else {}
    rows, files, size = (
        (log_files.parse_number(counts.get(name)) if snapshot else 0)
        for name in ("total-records", "total-data-files", "total-files-size")
    )
    if any(log_files.parse_number(counts.get(name)) != 0 for name in _DELETES if name in counts):
        rows = None  # only a reader of the data knows which rows are deleted
    refs = held.get("refs")
    evidence = {
        "format": version,
        "id": _text(held.get("table-uuid")),
        "schema": parse_schema(_schema(held)),
        "partitioning": _current_fields(held, "partition-specs", "default-spec-id", "spec-id")
        or _list(held.get("partition-spec")),
        "sorting": _current_fields(held, "sort-orders", "default-sort-order-id", "order-id"),
        "properties": log_files.redact_table_properties(
            held.get("properties"), _ALLOWED, _ELSEWHERE
        ),
        "comment": _text(_dict(held.get("properties")).get("comment")),
        "refs": _refs(refs if isinstance(refs, dict) else {}),
        "snapshot": str(snapshot["snapshot-id"]) if snapshot else None,
        "files": files,
        "bytes": size,
    }
    return evidence, rows


_DELETES = ("total-position-deletes", "total-equality-deletes")


def _schema(held: Stored) -> object:
    """Return the current schema: one of several, or the only one in format version 1."""
    wanted = held.get("current-schema-id")
    for one in _list(held.get("schemas")):
        if isinstance(one, dict) and one.get("schema-id") == wanted and wanted is not None:
            return one
    if "schema" in held:
        return held["schema"]
    raise _damage_error(f"it has no schema {wanted}" if wanted is not None else "it has no schema")


def _snapshot(held: Stored) -> Stored | None:
    """Return the current snapshot; an empty table has none."""
    wanted = held.get("current-snapshot-id")
    if wanted is None or wanted == -1:
        return None
    for one in _list(held.get("snapshots")):
        if isinstance(one, dict) and one.get("snapshot-id") == wanted:
            return one
    raise _damage_error("it does not have the snapshot that it calls current")


def _current_fields(held: Stored, listed: str, default: str, identity: str) -> list[object]:
    """Return the fields of the current partition spec or sort order."""
    for one in _list(held.get(listed)):
        if isinstance(one, dict) and one.get(identity) == held.get(default):
            return [field for field in _list(one.get("fields")) if isinstance(field, dict)]
    return []


def _refs(refs: Stored) -> dict[str, list[str]]:
    """Return the names of branches and tags, except `main`, which every table has."""
    kinds = {name: _dict(one).get("type") for name, one in refs.items() if name != _MAIN}
    return {
        kind: sorted(name for name, its in kinds.items() if its == kind)
        for kind in ("branch", "tag")
    }


def _list(held: Any) -> list[Any]:
    return held if isinstance(held, list) else []


def _dict(held: object) -> Stored:
    return held if isinstance(held, dict) else {}


def _text(held: object) -> str | None:
    return held if isinstance(held, str) and held else None


def _damage_error(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, detail)
