"""Read aspects with their versions from a server, over OpenAPI or rest.li.

Both read the stored data by urn, never an index.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lumos_snap.catalogs.adapter import Identity, Reading, Unreadable
from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.audit_stamps import Stamp, stamp_in
from lumos_snap.catalogs.datahub.client.errors import FailedError
from lumos_snap.catalogs.datahub.client.server import DataHubServer
from lumos_snap.catalogs.datahub.documents import StoredEntity
from lumos_snap.tree.files import batches

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


def _parse_row(server: DataHubServer, row: Mapping[str, Any], names: Sequence[str]) -> StoredEntity:
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


def _version(server: DataHubServer, held: Mapping[str, Any]) -> str:
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
