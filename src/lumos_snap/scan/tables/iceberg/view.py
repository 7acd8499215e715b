"""Metadata of Iceberg views: the current version, with its schema and its SQL."""

from collections.abc import Iterator
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables import log_files

_ID = "view-uuid"


def is_view(held: JsonObject) -> bool:
    """Whether a metadata file is that of a view: its folder looks like that of a table."""
    return _ID in held


def read_view(held: JsonObject) -> tuple[object, JsonObject]:
    """Return the schema of the current version, not parsed yet, and what defines the view."""
    current = _find(held, "versions", "version-id", held.get("current-version-id"))
    if current is None:
        raise _damage_error("it does not have the version that it calls current")
    schema = _find(held, "schemas", "schema-id", current.get("schema-id"))
    if schema is None:
        raise _damage_error(f"it has no schema {current.get('schema-id')}")
    queries = list(_queries(current.get("representations")))
    dialect, query = queries[0] if queries else (None, None)
    storage = current.get("storage-table")
    catalog = log_files.list_texts([current.get("default-catalog")])
    return schema, {
        "id": next(iter(log_files.list_texts([held[_ID]])), None),
        "version": str(current["version-id"]),
        "dialect": dialect,
        # Every engine writes the same query in its own dialect: one is enough to describe it.
        "definition": log_files.redact_credentials(query) if query else None,
        "others": [other for other, _ in queries[1:]],
        "names_in": [*catalog, *log_files.list_texts(current.get("default-namespace"))],
        "stored_in": _identifier(storage) if isinstance(storage, dict) else [],
    }


def _find(held: JsonObject, listed: str, key: str, wanted: object) -> JsonObject | None:
    """Find an object of a list by its id."""
    found = held.get(listed)
    for one in found if isinstance(found, list) else ():
        if isinstance(one, dict) and wanted is not None and one.get(key) == wanted:
            return one
    return None


def _queries(held: Any) -> Iterator[tuple[str, str]]:
    """Yield the dialect and the text of each SQL query, as listed."""
    for one in held if isinstance(held, list) else ():
        query = one.get("sql") if isinstance(one, dict) else None
        if isinstance(query, str) and query.strip():
            dialect = one.get("dialect")
            yield dialect if isinstance(dialect, str) else "", query


def _identifier(held: JsonObject) -> list[str]:
    return [
        *log_files.list_texts(held.get("namespace")),
        *log_files.list_texts([held.get("name")]),
    ]


def _damage_error(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, detail)
