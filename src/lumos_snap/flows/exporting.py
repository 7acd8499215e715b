"""`lumos snap export`: a whole tree as one portable document."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.kinds import ENTITIES, KINDS, OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.reading import read
from lumos_snap.errors import LumosError
from lumos_snap.flows.choosing import matches_glob
from lumos_snap.model.export import Export
from lumos_snap.shape import Document
from lumos_snap.tree import Tree

SECTIONS: Mapping[str, DocumentKind] = {
    "datasets": SNAPSHOT,
    "observations": OBSERVATION,
    **{kind.folder.removeprefix("entities/"): kind for kind in ENTITIES},
}
"""The lists of an export, and the kind of document that each carries."""


def export(tree: Tree, *, globs: Sequence[str] = (), source: str, moment: int | None) -> bytes:
    """The canonical bytes of an export; `moment` is when what it says was true, since 1970."""
    sections = {name: list(_documents(tree, kind, globs)) for name, kind in SECTIONS.items()}
    _add_downstream(sections["datasets"])
    document = {
        "lumos_version": FORMAT_VERSION,
        "document": "lumos-export",
        "source_platform": source,
        "statistics": _statistics(sections["datasets"]),
        **sections,
    }
    if moment is not None:
        timestamp = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        document["export_timestamp"] = timestamp
    return encode_document(document, Export)


def _documents(tree: Tree, kind: DocumentKind, globs: Sequence[str]) -> Iterator[Document]:
    for path, content in tree.files.read_all(tree.paths(kind)):
        reading = read(content, kind.cls) if isinstance(content, bytes) else None
        if reading is None or reading.document is None or reading.problems:
            raise LumosError(
                f"{path}: cannot be exported: it is not valid",
                hint="run `lumos snap validate`, and mend what it names",
            )
        if kind in ENTITIES or _is_wanted(reading.document["urn"], globs):
            yield reading.document


def _is_wanted(urn: str, globs: Sequence[str]) -> bool:
    return not globs or any(matches_glob(urn, glob) for glob in globs)


def _add_downstream(datasets: list[Document]) -> None:
    """Tell each dataset what is made from it."""
    made_from: defaultdict[str, set[str]] = defaultdict(set)
    for dataset in datasets:
        for edge in dataset.get("lineage", {}).get("upstream", ()):
            made_from[edge["urn"]].add(dataset["urn"])
    for dataset in datasets:
        if dataset["urn"] in made_from:
            downstream = sorted(made_from[dataset["urn"]])
            dataset["lineage"] = {**dataset.get("lineage", {}), "downstream": downstream}


def _statistics(datasets: list[Document]) -> dict[str, int]:
    return {
        "datasets": len(datasets),
        "lineage_edges": sum(len(d.get("lineage", {}).get("upstream", ())) for d in datasets),
        "owners": len({key for d in datasets for key in _owners(d)}),
        "tags": len({tag for d in datasets for tag in d.get("governance", {}).get("tags", ())}),
    }


def _owners(dataset: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for owner in dataset.get("ownership", {}).get("owners", ()):
        yield next((kind, owner[kind]) for kind in ("user", "group") if kind in owner)


def tree_documents(export_document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Path and canonical bytes of every document that an export carries."""
    for name, kind in SECTIONS.items():
        for carried in export_document.get(name, ()):
            document = _without_downstream(carried) if kind is SNAPSHOT else carried
            yield kind.path_of(document), encode_document(document, kind.cls)


def _without_downstream(dataset: Document) -> Document:
    """What is made from a dataset is derived again from the other datasets."""
    lineage = {k: v for k, v in dataset.get("lineage", {}).items() if k != "downstream"}
    return {**dataset, "lineage": lineage}


assert set(SECTIONS.values()) == set(KINDS)  # noqa: S101 - an export that forgot a kind would lose it
