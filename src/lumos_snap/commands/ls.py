"""`lumos snap ls`: the datasets of a tree."""

from collections.abc import Sequence
from dataclasses import dataclass

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.read import read
from lumos_snap.documents import DocumentRefusedError, Problem, json_text
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.command_reports import ListedDataset, ListReport
from lumos_snap.schema import Document
from lumos_snap.schema.validation import misfits
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import build_finding, unfit_findings, unreadable_problem
from lumos_snap.tree.selection import matches_glob


@dataclass(frozen=True, slots=True)
class DatasetFilter:
    """A filter of datasets: all conditions hold, each for one of its values."""

    globs: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    def accepts(self, dataset: ListedDataset) -> bool:
        """Whether the filter accepts a dataset."""
        return (
            (not self.globs or any(matches_glob(dataset.urn, glob) for glob in self.globs))
            and (not self.platforms or dataset.platform in self.platforms)
            and (not self.tags or not set(self.tags).isdisjoint(dataset.tags))
            and (not self.owners or not set(self.owners).isdisjoint(dataset.owners))
            and (not self.domains or dataset.domain in self.domains)
        )


def ls(tree: Tree, wanted: DatasetFilter) -> ListReport:
    """List the datasets that a filter accepts, and the unreadable files."""
    datasets: list[ListedDataset] = []
    found = tree.files.found((SNAPSHOT.folder,))
    findings = list(unfit_findings(found))
    for path, content in tree.files.read_all(found.documents):
        document, problems = read_structure(content)
        findings += [build_finding(path, problem) for problem in problems[:1]]
        if document is not None and wanted.accepts(dataset := _build_row(path, document)):
            datasets.append(dataset)
    return ListReport(source=tree.label, datasets=tuple(datasets), findings=tuple(findings))


def read_structure(content: bytes | OSError) -> tuple[Document | None, Sequence[Problem]]:
    """Read a document and check its structure only; the document or its problems."""
    if isinstance(content, OSError):
        return None, (unreadable_problem(content),)
    try:
        document = json_text.parse(content)
    except DocumentRefusedError as exc:
        return None, (exc.problem,)
    is_ours = isinstance(document, dict) and document.get("lumos_version") == FORMAT_VERSION
    if is_ours and not misfits(document, Snapshot):
        return document, ()
    reading = read(content, Snapshot)
    return reading.document, () if reading.document else reading.problems


def _build_row(path: str, document: Document) -> ListedDataset:
    schema, governance = document.get("schema", {}), document.get("governance", {})
    return ListedDataset(
        urn=document["urn"],
        path=path,
        name=document["name"],
        platform=document["platform"],
        kind=document.get("kind"),
        format=document.get("storage", {}).get("format"),
        columns=len(schema.get("fields", ())),
        owners=_owners(document),
        tags=tuple(governance.get("tags", ())),
        domain=governance.get("domain"),
        description=document.get("documentation", {}).get("description", schema.get("description")),
        schema_version=document.get("versioning", {}).get("schema_version"),
    )


def _owners(document: Document) -> tuple[str, ...]:
    owners = document.get("ownership", {}).get("owners", ())
    return tuple(dict.fromkeys(owner.get("user") or owner["group"] for owner in owners))
