"""The pure plan of a sync of 100,000 datasets, of which 1,000 changed, against parsing them.

Three streams of bytes are parsed one document at a time, as a sync reads them; what the same
streams take without a plan is taken off.
"""

import resource
import statistics
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import orjson

from benchmarks import lake
from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.adapter import CatalogDocument, Identity, Loss, Projection
from lumos_snap.catalogs.sync.join import join_sides
from lumos_snap.catalogs.sync.plan import plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot

DATASETS, CHANGES = 100_000, 1_000
Row = tuple[Identity, bytes]


@dataclass(frozen=True)
class Measured:
    """Seconds, and what Python held at most."""

    parsing: float
    planning: float
    mebibytes: float


def project(_identity: Identity, document: JsonObject) -> Projection:
    """A catalog that has no room for one section."""
    without = {name: held for name, held in document.items() if name != "contract"}
    return Projection(without, (Loss("contract", "has no room for it"),))


class Stream:
    """A side that is parsed as it is gone through, any number of times."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[Identity, dict[str, Any]]]:
        return ((identity, orjson.loads(raw)) for identity, raw in self._rows)

    def held(self) -> Iterator[CatalogDocument]:
        """The same as a catalog gives it."""
        return (CatalogDocument(identity, document) for identity, document in self)


def sides() -> tuple[Stream, Stream, Stream]:
    """Base, tree and catalog: half of the changes are made on either side."""
    tree, base, there = [], [], []
    every = DATASETS // CHANGES
    for number in range(DATASETS):
        document: dict[str, Any] = lake.document(number)
        identity = Identity("snapshot", document["urn"])
        known = project(identity, document).document
        changed = {**known, "governance": {"tags": ["raw", "tier-2"]}}
        base.append((identity, encode_document(known, Snapshot)))
        is_ours, is_theirs = number % (2 * every) == 0, number % (2 * every) == every
        now = changed if is_theirs else known
        there.append((identity, encode_document(now, Snapshot)))
        mine = {**document, "governance": changed["governance"]} if is_ours else document
        tree.append((identity, encode_document(mine, Snapshot)))
    return Stream(sorted(base)), Stream(sorted(tree)), Stream(sorted(there))


ROUNDS = 3


def measured() -> Measured:
    """The medians of some rounds in turn."""
    given = sides()
    rounds = [_round(*given) for _ in range(ROUNDS)]
    return Measured(*(statistics.median(each) for each in zip(*map(astuple, rounds), strict=True)))


def _round(base: Stream, tree: Stream, there: Stream) -> Measured:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    one = _spent(lambda: sum(1 for _ in tree))
    bare = _spent(lambda: sum(1 for _ in join_sides(base, tree, there.held())))
    rules = Rules(project=project)
    found = []
    whole = _spent(lambda: found.append(plan(base, tree, there.held(), rules=rules)))
    assert len(found[0].decisions) == CHANGES
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Measured(one, whole - bare, (after - before) / 1024)


def _spent(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    print(measured())
