"""DataHub Lite as a catalog: a SQLite file, read and written aspect by aspect."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    DocumentWrite,
    Identity,
    Projection,
    Reading,
    Unreadable,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
)
from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.aspect_merge import same_aspect
from lumos_snap.catalogs.datahub.capabilities import HOLDS, identity_of, list_companions, projection
from lumos_snap.catalogs.datahub.client.sdk_classes import as_class, as_json, require
from lumos_snap.catalogs.datahub.documents import (
    NOTHING,
    AspectWrites,
    StoredEntity,
    Writes,
    read,
    urn_of,
)
from lumos_snap.catalogs.datahub.documents import versions as versions_of
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.errors import OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document
from lumos_snap.tree.files import batches

if TYPE_CHECKING:
    from datahub.lite.sqlite_lite import SqliteLite


_TABLE = "metadata_aspect_v2"
_SELECT = f"SELECT urn, aspect_name, metadata, system_metadata FROM {_TABLE} WHERE version = 0"  # noqa: S608 - no words of others
_URNS = f"SELECT DISTINCT urn FROM {_TABLE} WHERE version = 0"  # noqa: S608 - likewise
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
StoredOrDamage = Mapping[str, StoredEntity | str]
"""The stored entities by urn; a text is the reason why one cannot be read."""


def is_locked(exc: BaseException | None) -> bool:
    """Whether an error means that another program locks the file."""
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF in _BUSY


@contextmanager
def clear(file: Path) -> Iterator[None]:
    """Convert errors of SQLite and of the file system to one clear error."""
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
    """Whether the table of aspects exists; an empty file is a store without content."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and _TABLE not in tables:
        raise OutsideError(f"{file}: is no store of DataHub's", hint="name another file")
    return bool(tables)


def read_stored(
    connection: sqlite3.Connection, urns: Iterable[str]
) -> dict[str, StoredEntity | str]:
    """Read the stored entities of some urns, by urn."""
    rows: dict[str, list[Sequence[Any]]] = {}
    for some in batches(urns):
        marks = ",".join("?" * len(some))
        for row in connection.execute(f"{_SELECT} AND urn IN ({marks})", some):
            rows.setdefault(row[0], []).append(row)
    return {urn: _parse_rows(urn, held) for urn, held in rows.items()}


def _parse_rows(urn: str, rows: Iterable[Sequence[Any]]) -> StoredEntity | str:
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
    return StoredEntity(aspects, versions, tokens=versions)  # a version covers the content, too


def _version(said: str, system: JsonObject) -> str:
    """The store's counter, plus a digest of the content for writers that bypass the store."""
    counter = (system.get("properties") or {}).get("sysVersion", "")
    return f"{counter}-{blake2b(said.encode(), digest_size=6).hexdigest()}"


def whole(stored: StoredEntity | str) -> StoredEntity:
    """The stored entity; raises `OutsideError` if it is damaged."""
    if isinstance(stored, str):
        raise OutsideError(stored, hint="restore or delete it in the catalog")
    return stored


def all_of(found: StoredOrDamage) -> dict[str, StoredEntity]:
    """All stored entities; raises `OutsideError` if one is damaged."""
    return {urn: whole(one) for urn, one in found.items()}


@contextmanager
def reading(file: Path, patience: float) -> Iterator[sqlite3.Connection | None]:
    """Open a store for consistent reads; None if it was never written."""
    with clear(file):
        if not file.exists():
            yield None
            return
        uri = f"{file.resolve().as_uri()}?mode=rw"  # `rw` rolls back what a killed writer left
        with closing(sqlite3.connect(uri, uri=True, timeout=patience)) as connection:
            connection.execute("BEGIN")
            yield connection if is_store(connection, file) else None


def urns(connection: sqlite3.Connection) -> list[str]:
    """The urns of all stored entities."""
    return [urn for (urn,) in connection.execute(_URNS)]


PATIENCE = 5.0
"""Seconds that other programs may lock a store before it counts as unreachable."""


@dataclass(frozen=True)
class DataHubLiteCatalog:
    """A file of DataHub Lite."""

    name: str
    file: Path
    names: Names
    patience: float = PATIENCE
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def capabilities(self) -> Capabilities:
        """What the mapping supports; deletes are soft."""
        return HOLDS

    def project(self, identity: Identity, document: Document) -> Projection:
        """Reduce a document to what its aspects can store."""
        return projection(identity, document, self.names)

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """Read the current documents of the store."""
        for batch in batches(identities):
            yield from self._read(batch, marks)

    def _read(self, batch: Sequence[Identity], marks: Mapping[Identity, str]) -> Iterator[Reading]:
        theirs = {one: urn_of(one, self.names) for one in batch}
        with reading(self.file, self.patience) as connection:
            found = read_stored(connection, theirs.values()) if connection else {}
            named = {one: list_companions(one, found.get(urn)) for one, urn in theirs.items()}
            wanted = [urn for some in named.values() for urn in some]
            beside = read_stored(connection, wanted) if connection and wanted else {}
        for one, urn in theirs.items():
            stored = found.get(urn, NOTHING)
            others = {name: beside.get(name, NOTHING) for name in named[one]}
            damaged = next((it for it in (stored, *others.values()) if isinstance(it, str)), None)
            if damaged is not None:
                yield Unreadable(one, damaged)
                continue
            there = read(one, whole(stored), all_of(others), self.names, marks)
            if there is not None:
                yield there

    def search(self, words: str) -> Iterator[Identity]:
        """Find documents whose identity contains all of the words; without words, list all."""
        wanted = words.casefold().split()
        with reading(self.file, self.patience) as connection:
            known = urns(connection) if connection else []
        there = ((urn, identity_of(urn, self.names)) for urn in known)
        found = (one for urn, one in there if one and urn_of(one, self.names) == urn)
        for one in sorted(found):
            if all(word in one.id.casefold() for word in wanted):
                yield one

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Write one change, if the parts that it writes are unchanged since they were read."""
        try:
            writing = AspectWrites(change, self.names)
            with self._lock, clear(self.file), self._store() as store:
                return self._applied(change, writing, store)
        except OutsideError as exc:  # nothing is stored: the transaction was rolled back
            return WriteRefused(exc.message, is_busy=is_locked(exc.__cause__))

    def _applied(
        self, change: DocumentWrite, writing: AspectWrites, store: "SqliteLite"
    ) -> WriteAnswer:
        stored, others = self._there(change.identity, writing, store.sqlite_client)
        writes = writing.onto(stored, others)
        if writes is None:
            return WriteStale()
        _write(store, writes, {writing.urn: stored, **others})
        stored, others = self._there(change.identity, writing, store.sqlite_client)
        now = versions_of(change.identity.kind, stored, others)
        return WriteConfirmed({part: now.get(part, "") for part in writing.parts()})

    def _there(
        self, identity: Identity, writing: AspectWrites, connection: sqlite3.Connection
    ) -> tuple[StoredEntity, dict[str, StoredEntity]]:
        found = read_stored(connection, [writing.urn])
        stored = found.get(writing.urn, NOTHING)
        named = dict.fromkeys((*list_companions(identity, stored), *writing.companions))
        beside = read_stored(connection, named)
        return whole(stored), all_of({urn: beside.get(urn, NOTHING) for urn in named})

    @contextmanager
    def _store(self) -> "Iterator[SqliteLite]":
        """Open DataHub's store in one transaction."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        store = _open_store(self.file, self.patience)
        with closing(store.sqlite_client) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield store
            connection.commit()


def _open_store(file: Path, patience: float) -> "SqliteLite":
    require()
    from datahub.lite.sqlite_lite import SqliteLite
    from datahub.lite.sqlite_lite_config import SqliteLiteConfig

    class Store(SqliteLite):
        """A store without its own commits: it would commit after each aspect."""

        def _init_db(self) -> None:
            is_store(self.sqlite_client, file)
            super()._init_db()

        def _commit(self) -> None:
            pass

    options = {"busy_timeout": int(patience * 1000), "synchronous": "NORMAL"}
    return Store(SqliteLiteConfig(file=str(file), options=options))


def _write(store: "SqliteLite", writes: Writes, there: Mapping[str, StoredEntity]) -> None:
    from datahub.emitter.mcp import MetadataChangeProposalWrapper
    from datahub.utilities.urns.error import InvalidUrnError

    for urn, aspects in writes.items():
        for name, aspect in aspects.items():
            said = as_class(name, aspect)
            if name in there[urn].aspects and not same_aspect(as_json(said), aspect):
                raise OutsideError(f"{urn}: {name} says what this DataHub does not know")
            try:
                store.write(MetadataChangeProposalWrapper(entityUrn=urn, aspect=said))
            except InvalidUrnError as exc:
                raise OutsideError(f"DataHub does not take the name {urn}: {exc}") from exc
