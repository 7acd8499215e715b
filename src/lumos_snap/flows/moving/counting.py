"""What a side holds, counted as it goes by, and what it names and does not have."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.sync.references import references
from lumos_snap.flows.moving.wanted import SORTS
from lumos_snap.schema import Document

_PARTS = (
    "columns",
    "lineage edges",
    "lineage of columns",
    "owners",
    "tags given",
    "terms given",
    "checks",
)
WHAT = ("datasets", *_PARTS, *(sort for sort in SORTS if sort != "datasets"))
"""What is counted, in the order in which it is told."""
_SORT_OF = {kind: sort for sort, kind in SORTS.items()}
_FREE = frozenset({"property", "tag"})
"""Kinds of documents that may be named without being there: these need no definition."""


@dataclass(slots=True)
class Tally:
    """Counts of one side, and the names on it."""

    counts: Counter[str] = field(default_factory=Counter)
    _there: set[Identity] = field(default_factory=set)
    _named: dict[Identity, str] = field(default_factory=dict)

    def add(self, identity: Identity, document: Document) -> None:
        """Count a document, and remember what it names."""
        self.counts[_SORT_OF[identity.kind]] += 1
        if identity.kind == SNAPSHOT.name:
            self.counts.update(_parts(document))
        self._there.add(identity)
        for one in references(document, identity.cls):
            if one.kind not in _FREE:
                self._named.setdefault(one, identity.id)

    def dangling(self) -> Iterator[tuple[Identity, str]]:
        """What is named and is not there, and who names it."""
        for one in sorted(self._named.keys() - self._there):
            yield one, self._named[one]


def _parts(dataset: Document) -> dict[str, int]:
    edges = dataset.get("lineage", {}).get("upstream", ())
    governance = dataset.get("governance", {})
    columns = governance.get("fields", ())
    held = (
        len(dataset.get("schema", {}).get("fields", ())),
        len(edges),
        sum(len(edge.get("columns", ())) for edge in edges),
        len(dataset.get("ownership", {}).get("owners", ())),
        sum(len(one.get("tags", ())) for one in (governance, *columns)),
        sum(len(one.get("terms", ())) for one in (governance, *columns)),
        len(dataset.get("quality", {}).get("checks", ())),
    )
    return dict(zip(_PARTS, held, strict=True))
