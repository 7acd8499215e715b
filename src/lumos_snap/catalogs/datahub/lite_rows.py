"""The rows of DataHub Lite's file: what is stored, with versions, and what SQLite says of it."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.documents import Stored
from lumos_snap.errors import OutsideError
from lumos_snap.tree.files import batches

_TABLE = "metadata_aspect_v2"
_SELECT = f"SELECT urn, aspect_name, metadata, system_metadata FROM {_TABLE} WHERE version = 0"  # noqa: S608 - no words of others
_URNS = f"SELECT DISTINCT urn FROM {_TABLE} WHERE version = 0"  # noqa: S608 - likewise
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
Found = Mapping[str, Stored | str]
"""What is stored under urns; a text says why that cannot be read."""


def is_locked(exc: BaseException | None) -> bool:
    """Whether an error says that another program has the file now."""
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF in _BUSY


@contextmanager
def clear(file: Path) -> Iterator[None]:
    """What SQLite says of a file, as one clear error."""
    try:
        yield
    except sqlite3.Error as exc:
        is_busy = is_locked(exc)
        hint = (
            "end the program that uses it, or try again"
            if is_busy
            else "name another file, or move this one away: it is made anew"
        )
        what = "is locked by another program" if is_busy else f"cannot be used as a store: {exc}"
        raise OutsideError(f"{file}: {what}", hint=hint) from exc
    except OSError as exc:
        raise OutsideError(f"{file}: {exc.strerror}", hint="name a file that can be used") from exc


def is_store(connection: sqlite3.Connection, file: Path) -> bool:
    """Whether the table of aspects is there; nothing at all is a store that nobody has filled."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and _TABLE not in tables:
        raise OutsideError(f"{file}: is no store of DataHub's", hint="name another file")
    return bool(tables)


def found_under(connection: sqlite3.Connection, urns: Iterable[str]) -> dict[str, Stored | str]:
    """What is stored under urns, by urn."""
    rows: dict[str, list[Sequence[Any]]] = {}
    for some in batches(urns):
        marks = ",".join("?" * len(some))
        for row in connection.execute(f"{_SELECT} AND urn IN ({marks})", some):
            rows.setdefault(row[0], []).append(row)
    return {urn: _stored(urn, held) for urn, held in rows.items()}


def _stored(urn: str, rows: Iterable[Sequence[Any]]) -> Stored | str:
    aspects: dict[str, Aspect] = {}
    versions: dict[str, str] = {}
    for _, name, said, system in rows:
        try:
            aspects[name] = orjson.loads(said)
            versions[name] = _version(said, orjson.loads(system or "{}"))
        except (orjson.JSONDecodeError, AttributeError, TypeError, ValueError):
            return f"{urn}: what is stored as {name} is damaged"
        if not isinstance(aspects[name], dict):
            return f"{urn}: what is stored as {name} is damaged"
    return Stored(aspects, versions, tokens=versions)  # a version says what is said, too


def _version(said: str, system: Mapping[str, Any]) -> str:
    """The store's counter; beside it what is said, for those who write past the store."""
    counter = (system.get("properties") or {}).get("sysVersion", "")
    return f"{counter}-{blake2b(said.encode(), digest_size=6).hexdigest()}"


def whole(stored: Stored | str) -> Stored:
    """What is stored; raises `OutsideError` where that is damaged."""
    if isinstance(stored, str):
        raise OutsideError(stored, hint="restore or delete it in the catalog")
    return stored


def all_of(found: Found) -> dict[str, Stored]:
    """All that is stored; raises `OutsideError` where some of it is damaged."""
    return {urn: whole(one) for urn, one in found.items()}


@contextmanager
def reading(file: Path, patience: float) -> Iterator[sqlite3.Connection | None]:
    """A store at one moment; none where nobody has written it yet."""
    with clear(file):
        if not file.exists():
            yield None
            return
        uri = f"{file.resolve().as_uri()}?mode=rw"  # what a killed writer left is rolled back
        with closing(sqlite3.connect(uri, uri=True, timeout=patience)) as connection:
            connection.execute("BEGIN")
            yield connection if is_store(connection, file) else None


def urns(connection: sqlite3.Connection) -> list[str]:
    """All that something is stored under."""
    return [urn for (urn,) in connection.execute(_URNS)]
