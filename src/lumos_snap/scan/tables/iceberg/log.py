"""The probe of Iceberg tables: reads the current metadata file, with its known attributes only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files

# The log files of an Iceberg table: its newest few metadata files.


MOST = 5
"""Number of files to keep: if the newest is damaged, the one before it is read."""


@dataclass(slots=True)
class IcebergLog:
    """The metadata files of a table to keep."""

    _hint: FileEntry | None = None
    _newest: list[tuple[int, int, str, FileEntry]] = field(default_factory=list)
    """By version, time and path, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; manifests are ignored."""
        name = entry.path.rpartition("/")[2]
        version = log_files.parse_iceberg_name(name)
        if name == log_files.HINT:
            self._hint = entry
        elif version is not None:
            found = (version, entry.modified, entry.path, entry)
            self._newest = sorted([*self._newest, found], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the version hint, if it exists, then the metadata files, newest first."""
        if not self._newest:
            return ()
        hint = () if self._hint is None else (self._hint,)
        return (*hint, *(entry for *_, entry in self._newest))


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
    paths = [path for path in parts if _version(path) is not None]
    hints = [path for path in parts if path.endswith(log_files.HINT)]
    hint = _hint(reader, hints)
    first: BadFileError | None = None
    for path in _order_files(paths, hint):
        try:
            with log_files.open_log_file(reader, path) as file:
                said = _evidence(log_files.read_document(file))
        except BadFileError as exc:
            if not log_files.is_damage(exc):
                raise
            first = first or exc
            continue
        evidence, rows = said
        evidence["notes"] = [*_notes(first, paths, path), *_note_hint(paths, hint)]
        return ProbeResult(
            "iceberg", encode_evidence(evidence), rows, f"iceberg {evidence['format']}"
        )
    raise first or BadFileError(
        error_codes.VANISHED, f"{log_files.ICEBERG}: it has no metadata file"
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _version(path: str) -> int | None:
    return log_files.parse_iceberg_name(_name(path))


def _hint(reader: Reader, paths: Sequence[str]) -> str:
    """Return the text of the version hint; empty if there is none."""
    for path in paths:
        with log_files.open_log_file(reader, path) as file:
            return file.head(_LONGEST_HINT).decode("ascii", "replace").strip()
    return ""


_LONGEST_HINT = 256


def _versions_of_hint(numbered: Mapping[str, int], hint: str) -> set[int]:
    """The versions of the files that a hint names: by number, or by name."""
    end = f"/{hint}.metadata.json"
    by_name = {number for path, number in numbered.items() if hint and end in f"/{path}"}
    return by_name | {number for number in numbered.values() if str(number) == hint}


def _order_files(paths: Sequence[str], hint: str) -> list[str]:
    """Order the metadata files: the current one first, then older ones.

    A writer creates the next version before it updates the hint: so consecutive versions after the
    hint are current too. Versions after a gap are not.
    """
    numbered = {path: _version(path) or 0 for path in paths}
    current = _versions_of_hint(numbered, hint)
    if not current:
        return list(paths)
    reached = max(current)
    while reached + 1 in numbered.values():
        reached += 1
    return [path for path in paths if numbered[path] <= reached]


def _note_hint(paths: Sequence[str], hint: str) -> Iterable[str]:
    if hint and not _versions_of_hint({path: _version(path) or 0 for path in paths}, hint):
        named = hint[:_LONGEST_NAMED]
        yield f"{log_files.HINT} names {named!r}, which is missing: the newest other is described"


_LONGEST_NAMED = 60


def _notes(first: BadFileError | None, paths: Sequence[str], path: str) -> Iterable[str]:
    if first is not None:
        yield f"its newest metadata cannot be read ({first.detail}): an older one is described"
    version = _version(path)
    alike = [one for one in paths if _version(one) == version]
    if len(alike) > 1:
        yield f"{len(alike)} metadata files claim version {version}: the newest is described"


def _evidence(held: Stored) -> tuple[dict[str, Any], int | None]:
    version = log_files.parse_number(held.get("format-version"))
    if not version:
        raise _damage_error("it has no format-version")
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
