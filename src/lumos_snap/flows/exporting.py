"""`lumos snap export`: a whole tree as one portable document."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.kinds import ENTITIES, KINDS, OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.laws import NOT_CANONICAL
from lumos_snap.documents import jsontext
from lumos_snap.errors import LumosError
from lumos_snap.flows.choosing import matches_glob
from lumos_snap.flows.judging import judge, unfit
from lumos_snap.git import resolve
from lumos_snap.model.export import Export
from lumos_snap.report.reports import Finding
from lumos_snap.shape import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.files import CommitFiles

SECTIONS: Mapping[str, DocumentKind] = {
    "datasets": SNAPSHOT,
    "observations": OBSERVATION,
    **{kind.folder.removeprefix("entities/"): kind for kind in ENTITIES},
}
"""The lists of an export, and the kind of document that each carries."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The canonical bytes of an export, or what stands in its way."""

    document: bytes | None
    findings: tuple[Finding, ...] = ()


def export(tree: Tree, globs: Sequence[str] = ()) -> Exported:
    """A tree as one document, or the datasets in it that match a glob.

    A tree in which something is wrong is not exported: the document would not come back.
    """
    findings = unfit(tree.files.found())
    sections = {name: list(_sound(tree, kind, findings)) for name, kind in SECTIONS.items()}
    if findings:
        return Exported(None, tuple(findings))
    _add_downstream(sections["datasets"])
    for name in ("datasets", "observations"):
        sections[name] = [one for one in sections[name] if _is_wanted(one["urn"], globs)]
    if globs and not sections["datasets"]:
        raise LumosError(f"no dataset matches {' or '.join(globs)}", hint="see `lumos snap ls`")
    document = {
        "lumos_version": FORMAT_VERSION,
        "document": "lumos-export",
        "source_platform": "lumos",
        "statistics": _statistics(sections["datasets"]),
        **sections,
    }
    if isinstance(tree.files, CommitFiles):
        document["export_timestamp"] = _moment(tree.files)
    return Exported(encode_document(document, Export))


def _moment(files: CommitFiles) -> str:
    """When a commit was made: the same commit always gives the same bytes."""
    seconds = resolve(files.repository, files.commit).time
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _sound(tree: Tree, kind: DocumentKind, findings: list[Finding]) -> Iterator[Document]:
    """The documents of a kind; what is wrong with any goes to the findings."""
    environment = tree.config.environment
    for path, content in tree.files.read_all(tree.paths(kind)):
        judged = judge(path, content, environment)
        serious = [found for found in judged.findings if found.rule != NOT_CANONICAL]
        findings += serious
        if judged.canonical is not None and not serious:
            yield jsontext.parse(judged.canonical)


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
