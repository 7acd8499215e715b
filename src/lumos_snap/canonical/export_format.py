"""The export document: read and written incrementally, without holding all of it in memory.

In its canonical layout each contained document has a line of its own, indented by four, so it can
be split into documents before parsing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import ENTITIES, KINDS, OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.migrations.registry import format_of
from lumos_snap.json_object import JsonObject
from lumos_snap.model.export import Export
from lumos_snap.schema import Document, keys_of

EXPORT = "lumos-export"
"""The value of `document` in an export."""
_NAMED: Mapping[str, DocumentKind] = {
    "datasets": SNAPSHOT,
    "observations": OBSERVATION,
    **{kind.folder.removeprefix("entities/"): kind for kind in ENTITIES},
}
SECTIONS = {name: _NAMED[name] for name in keys_of(Export) if name in _NAMED}
"""The lists of an export in their order, and the kind of document in each."""

_AT_ONCE = 256
_OPENING = re.compile(rb'  "([a-z]+)": \[')
_AROUND = re.compile(
    rb'[{}]|  [\]}],?|  "lumos_version": "%s",?|  "document": "%s",?|'
    rb'  "(export_timestamp|source_platform)": ".*",?|  "statistics": \{|    "[a-z_]+": [0-9]+,?'
    % (re.escape(FORMAT_VERSION).encode(), EXPORT.encode())
)
"""The lines outside the lists of documents."""
_ITEM = b"    {"


@dataclass(slots=True)
class ExportStatistics:
    """The statistics of an export, counted document by document."""

    datasets: int = 0
    edges: int = 0
    owners: set[tuple[str, str]] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    made_from: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, dataset: JsonObject) -> None:
        """Count a dataset."""
        self.datasets += 1
        self.edges += len(_edges(dataset))
        self.owners.update(_owners(dataset))
        self.tags.update(dataset.get("governance", {}).get("tags", ()))

    def link(self, dataset: JsonObject) -> None:
        """Record the upstream edges of a dataset."""
        for edge in _edges(dataset):
            self.made_from[edge["urn"]].add(dataset["urn"])

    def with_downstream(self, dataset: Document) -> Document:
        """Add the downstream datasets to a dataset."""
        if dataset["urn"] not in self.made_from:
            return dataset
        downstream = sorted(self.made_from[dataset["urn"]])
        return {**dataset, "lineage": {**dataset.get("lineage", {}), "downstream": downstream}}

    def statistics(self) -> dict[str, int]:
        """The statistics section of the export."""
        return {
            "datasets": self.datasets,
            "lineage_edges": self.edges,
            "owners": len(self.owners),
            "tags": len(self.tags),
        }


def _edges(dataset: JsonObject) -> Sequence[JsonObject]:
    found: Sequence[Mapping[str, Any]] = dataset.get("lineage", {}).get("upstream", ())
    return found


def _owners(dataset: JsonObject) -> Iterator[tuple[str, str]]:
    for owner in dataset.get("ownership", {}).get("owners", ()):
        yield next((kind, owner[kind]) for kind in ("user", "group") if kind in owner)


def encode_export(
    count: ExportStatistics,
    sections: Mapping[str, Iterable[Document]],
    *,
    moment: str | None = None,
) -> Iterator[bytes]:
    """Encode an export incrementally as canonical bytes; sections must be sorted and unique."""
    head = {
        "lumos_version": FORMAT_VERSION,
        "document": EXPORT,
        "export_timestamp": moment,
        "source_platform": "lumos",
        "statistics": count.statistics(),
    }
    said = {name: one for name, one in head.items() if one is not None}
    yield encode_document(said, Export).removesuffix(b"\n}\n")
    for name, kind in SECTIONS.items():
        documents = iter(sections.get(name, ()))
        if kind is SNAPSHOT:
            documents = map(count.with_downstream, documents)
        yield from _section(name, documents)
    yield b"\n}\n"


def _section(name: str, documents: Iterator[Document]) -> Iterator[bytes]:
    opening = f',\n  "{name}": [\n'.encode()
    while some := list(islice(documents, _AT_ONCE)):
        alone = encode_document({name: some}, Export)
        yield opening + alone.partition(b"[\n")[2].removesuffix(b"\n  ]\n}\n")
        opening = b",\n"
    if opening == b",\n":
        yield b"\n  ]"


def iter_export(lines: Iterable[bytes]) -> Iterator[tuple[DocumentKind, Document]]:
    """Yield every document of an export in canonical layout while its lines are read.

    Raises `ValueError` for another layout; documents are not validated.
    """
    kind: DocumentKind | None = None
    item: list[bytes] = []
    line = b""
    for line in lines:
        is_inside = line.startswith(b"    ") and kind is not None
        if is_inside and not line.startswith(_ITEM):
            item.append(line)
            continue
        if kind is not None and item:
            yield kind, _parse_item(item)
        item = [line] if is_inside else []
        if not is_inside:
            kind = _section_kind(line)
    if line.rstrip() != b"}":
        raise ValueError("the export is cut off")


def _section_kind(line: bytes) -> DocumentKind | None:
    """The kind of the documents after a line, if it opens a list."""
    opened = _OPENING.fullmatch(line.rstrip(b"\n"))
    if opened is not None and opened[1].decode() in SECTIONS:
        return SECTIONS[opened[1].decode()]
    if _AROUND.fullmatch(line.rstrip(b"\n")) is None:
        raise ValueError("is no export in its canonical layout")
    return None


def _parse_item(item: list[bytes]) -> Document:
    found = orjson.loads(b"".join(item).rstrip().removesuffix(b","))
    if not isinstance(found, dict):
        raise ValueError("an item of an export is no object")  # noqa: TRY004 - of its layout
    return found


def is_export(found: JsonObject) -> bool:
    """Whether a parsed document is an export, without unknown keys."""
    lists = (found[name] for name in SECTIONS if name in found)
    return (
        found.get("document") == EXPORT
        and format_of(str(found.get("lumos_version"))) == format_of(FORMAT_VERSION)
        and keys_of(Export).keys() >= found.keys()
        and all(isinstance(one, list) for one in lists)
    )


def documents_of(export: JsonObject) -> Iterator[tuple[DocumentKind, Document]]:
    """Yield every document of a parsed export."""
    for name, kind in SECTIONS.items():
        for one in export.get(name, ()):
            yield kind, one


def without_downstream(dataset: Document) -> Document:
    """A dataset as stored in a tree: downstream datasets are derived again."""
    lineage = {k: v for k, v in dataset.get("lineage", {}).items() if k != "downstream"}
    found = {**dataset, **({"lineage": lineage} if "lineage" in dataset else {})}
    return found if lineage else {name: one for name, one in found.items() if name != "lineage"}


assert set(SECTIONS.values()) == set(KINDS)  # noqa: S101 - an export that forgot a kind would lose it
