"""A DataHub server as a catalog, read and written aspect by aspect.

One change is one request for each entity type that it concerns, which the server stores atomically,
on the condition that every aspect still has the version that was read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    DocumentWrite,
    Identity,
    ObservedDataset,
    Projection,
    Reading,
    Unreadable,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    WriteUnanswered,
)
from lumos_snap.catalogs.datahub import observations, quality
from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.aspect_registry import TABLES
from lumos_snap.catalogs.datahub.audit_stamps import Stamp, stamp_in
from lumos_snap.catalogs.datahub.capabilities import HOLDS, identity_of, list_companions, projection
from lumos_snap.catalogs.datahub.client.batches import Proposal
from lumos_snap.catalogs.datahub.client.errors import FailedError
from lumos_snap.catalogs.datahub.client.server import DataHubServer
from lumos_snap.catalogs.datahub.documents import (
    NOTHING,
    PARTS,
    STATUS,
    AspectWrites,
    StoredEntity,
    read,
    urn_of,
)
from lumos_snap.catalogs.datahub.documents import versions as versions_of
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub.urns import fits
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document
from lumos_snap.tree.files import batches

# Read aspects with their versions from a server, over OpenAPI or rest.li.
#
# Both read the stored data by urn, never an index.


_FIRST = "1"
"""The version that write conditions use for an aspect without a version."""
_LONGEST_QUERY = 6_000
"""Bytes of a query: reverse proxies take 8,192 for the whole request line."""


def read_stored(
    server: DataHubServer, entity: str, urns: Iterable[str], aspects: Iterable[str]
) -> dict[str, StoredEntity]:
    """Read the stored entities of one kind, by urn; missing ones are left out."""
    names = sorted(aspects)
    ask = _openapi if server.is_openapi else _restli
    return {urn: stored for urn, stored in ask(server, entity, urns, names) if stored.versions}


def _openapi(
    server: DataHubServer, entity: str, urns: Iterable[str], names: Sequence[str]
) -> Iterator[tuple[str, StoredEntity]]:
    wanted: dict[str, Aspect] = {name: {} for name in names}
    for some in batches(urns):
        asked = [{"urn": urn, **wanted} for urn in some]
        path = f"/openapi/v3/entity/{entity}/batchGet?systemMetadata=true"
        for row in server.post(path, asked):
            yield row["urn"], _parse_row(server, row, names)


def _restli(
    server: DataHubServer, _entity: str, urns: Iterable[str], names: Sequence[str]
) -> Iterator[tuple[str, StoredEntity]]:
    tail = f")&aspects=List({','.join(names)})"
    for some in _fitting(urns, _LONGEST_QUERY - len(tail)):
        found = server.get(f"/entitiesV2?ids=List({','.join(some)}{tail}")
        for urn, row in found.get("results", {}).items():
            yield urn, _parse_row(server, row.get("aspects", {}), names)


def _fitting(urns: Iterable[str], most: int) -> Iterator[list[str]]:
    """Batches of quoted urns, each as large as a query allows."""
    some: list[str] = []
    length = 0
    for urn in urns:
        said = quote(urn, safe="")
        if some and length + len(said) > most:
            yield some
            some, length = [], 0
        some.append(said)
        length += len(said) + 1
    if some:
        yield some


def _parse_row(server: DataHubServer, row: JsonObject, names: Sequence[str]) -> StoredEntity:
    aspects: dict[str, Aspect] = {}
    versions: dict[str, str] = {}
    stamps: dict[str, Stamp] = {}
    for name in names:
        held = row.get(name)
        if held is None:
            continue
        aspects[name] = held["value"]
        versions[name] = _version(server, held)
        stamps[name] = stamp_in(held)
    # Versions restart after a hard delete; timestamps do not.
    moments = {name: stamp.get("time") for name, stamp in stamps.items()}
    tokens = {name: f"{versions[name]} {moment}" for name, moment in moments.items() if moment}
    return StoredEntity(aspects, versions, stamps, tokens)


def _version(server: DataHubServer, held: JsonObject) -> str:
    """The version of an aspect; one written before versions were counted has the first."""
    version = (held.get("systemMetadata") or {}).get("version")
    if version:
        return str(version)
    if server.counts_versions:
        return _FIRST
    raise FailedError(
        f"{server.access.name}: DataHub {server.version} tells no versions of what it"
        " holds, and without them somebody's edit could be written over",
        is_final=True,
        hint="DataHub 1.0.1 and later do",
    )


Ask = Callable[[Sequence[Identity]], Sequence[Reading]]
_MOST_FAILURES = 60
_ALL_FAIL = 5
"""If this many documents fail and none succeeds, the server is at fault, not the documents."""


class BisectingReader:
    """Bisects batches until the unreadable documents are isolated."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._answers = self._failures = self._unreadable = 0

    def read(self, some: Sequence[Identity]) -> Iterator[Reading]:
        """Read documents; one that fails even alone is unreadable.

        Raises `FailedError` if the server itself is at fault.
        """
        try:
            found = self._ask(some)
        except FailedError as exc:
            self._failures += 1
            if self._is_the_servers(exc, some):
                raise
            yield from self._apart(exc, some)
        else:
            self._answers += 1
            yield from found

    def _apart(self, exc: FailedError, some: Sequence[Identity]) -> Iterator[Reading]:
        if len(some) == 1:
            self._unreadable += 1
            yield Unreadable(some[0], exc.message)
            return
        half = len(some) // 2
        yield from self.read(some[:half])
        yield from self.read(some[half:])

    def _is_the_servers(self, exc: FailedError, some: Sequence[Identity]) -> bool:
        is_first = self._failures == 1 and not self._answers
        if not exc.is_of_content or self._failures > _MOST_FAILURES:
            return True
        if len(some) == 1 and is_first:  # the cause is ambiguous with a single document
            return not exc.is_refusal
        return self._unreadable >= _ALL_FAIL and not self._answers


_BESIDE = "assertion"
_OF_BESIDE = frozenset({STATUS, quality.ASPECT})
_CAN = replace(HOLDS, observes=observations.KEPT)


@dataclass(frozen=True)
class DataHubCatalog:
    """A DataHub server."""

    name: str
    server: DataHubServer
    names: Names

    @property
    def capabilities(self) -> Capabilities:
        """What the mapping supports, and time series of observations; deletes are soft."""
        return _CAN

    def project(self, identity: Identity, document: Document) -> Projection:
        """Reduce a document to what its aspects can store."""
        return projection(identity, document, self.names)

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """Read the current documents of the server."""
        for batch in batches(identities):
            yield from BisectingReader(lambda some: tuple(self._read(some, marks))).read(batch)

    def _read(self, batch: Sequence[Identity], marks: Mapping[Identity, str]) -> Iterator[Reading]:
        urns_of = ((one, urn_of(one, self.names)) for one in batch)
        theirs = {one: urn for one, urn in urns_of if fits(urn)}  # no server stores a longer one
        found: dict[str, StoredEntity] = {}
        for kind in dict.fromkeys(one.kind for one in theirs):
            urns = [urn for one, urn in theirs.items() if one.kind == kind]
            found.update(read_stored(self.server, TABLES[kind].entity, urns, PARTS[kind]))
        named = {one: list_companions(one, found.get(urn)) for one, urn in theirs.items()}
        beside = self._beside(urn for some in named.values() for urn in some)
        for one, urn in theirs.items():
            others = {urn: beside.get(urn, NOTHING) for urn in named[one]}
            there = read(one, found.get(urn, NOTHING), others, self.names, marks)
            if there is not None:
                yield there

    def _beside(self, urns: Iterable[str]) -> dict[str, StoredEntity]:
        """Read the entities that represent parts of documents."""
        return read_stored(self.server, _BESIDE, dict.fromkeys(urns), _OF_BESIDE)

    def search(self, words: str) -> Iterator[Identity]:
        """Search the server's index, which may lag behind; without words, list all documents."""
        found = set()
        for table in TABLES.values():
            for urn in self.server.urns(table.entity, words):
                one = identity_of(urn, self.names)
                if one is not None and urn_of(one, self.names) == urn:
                    found.add(one)
        yield from sorted(found)

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Write one change, if the parts that it writes are unchanged since they were read."""
        writing = AspectWrites(change, self.names)
        try:
            stored, beside = self._there(change, writing)
            writes = writing.onto(stored, beside)
            if writes is None:
                return WriteStale()
            there = {writing.urn: stored, **beside}
            proposals = list(_proposals(writes, there))
            self.server.emit(proposals)
        except FailedError as exc:
            return _answer(exc)
        return WriteConfirmed(_versions(change.identity.kind, writing, there, proposals))

    def observe(self, readings: Sequence[ObservedDataset]) -> WriteAnswer:
        """Add points to time series, unconditionally, because these have no versions."""
        found = [point for one in readings for point in observations.points(one, self.names)]
        found.sort(key=lambda one: one.entity)  # a request is about one entity type
        try:
            self.server.emit([Proposal(*point, seen=None) for point in found])
        except FailedError as exc:
            return _answer(exc)
        return WriteConfirmed()

    def _there(
        self, change: DocumentWrite, writing: AspectWrites
    ) -> tuple[StoredEntity, dict[str, StoredEntity]]:
        """Read the current entities to be written; nothing for a document that does not exist."""
        if change.seen is None:
            return NOTHING, {}
        kind = change.identity.kind
        found = read_stored(self.server, TABLES[kind].entity, [writing.urn], PARTS[kind])
        stored = found.get(writing.urn, NOTHING)
        named = dict.fromkeys((*list_companions(change.identity, stored), *writing.companions))
        beside = self._beside(named)
        return stored, {urn: beside.get(urn, NOTHING) for urn in named}


def _proposals(
    writes: Mapping[str, Mapping[str, Aspect]], there: Mapping[str, StoredEntity]
) -> Iterator[Proposal]:
    """The aspects that differ from the current ones: writing equal aspects would be pointless."""
    for urn, aspects in writes.items():
        entity = urn.removeprefix("urn:li:").partition(":")[0]
        stored = there.get(urn, NOTHING)
        for name, value in aspects.items():
            if value != stored.aspects.get(name):
                yield Proposal(entity, urn, name, value, stored.versions.get(name, ""))


def _versions(
    kind: str,
    writing: AspectWrites,
    there: Mapping[str, StoredEntity],
    proposals: Sequence[Proposal],
) -> dict[str, str]:
    """The versions of the parts after the write: a server counts each change of an aspect.

    If it did not, reading back detects it.
    """
    stored = dict(there)
    for one in proposals:
        before = stored.get(one.urn, NOTHING)
        stored[one.urn] = StoredEntity(
            {**before.aspects, one.aspect: one.value},
            {**before.versions, one.aspect: str(int(one.seen or 0) + 1)},
        )
    beside = {urn: one for urn, one in stored.items() if urn != writing.urn}
    now = versions_of(kind, stored.get(writing.urn, NOTHING), beside)
    return {part: now.get(part, "") for part in writing.parts()}


def _answer(failure: FailedError) -> WriteAnswer:
    if failure.is_stale:
        return WriteStale()
    if failure.is_busy:
        return WriteRefused(failure.message, is_busy=True, after=failure.after)
    return WriteRefused(failure.message) if failure.is_refusal else WriteUnanswered(failure.message)
