"""`lumos snap export`: a whole tree as one portable document."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.export_format import (
    SECTIONS,
    ExportStatistics,
    documents_of,
    encode_export,
    without_downstream,
)
from lumos_snap.canonical.rules import NOT_CANONICAL
from lumos_snap.catalogs.fetch import (
    FetchedDocument,
    FetchFailure,
    FetchFilter,
    FetchSource,
    Progress,
)
from lumos_snap.documents import json_text
from lumos_snap.errors import LumosError
from lumos_snap.git import resolve
from lumos_snap.json_object import JsonObject
from lumos_snap.report.command_reports import FileFinding
from lumos_snap.schema import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import check_file, unfit_findings
from lumos_snap.tree.files import CommitFiles
from lumos_snap.tree.selection import matches_glob


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The canonical bytes of an export, or the findings that prevent it."""

    document: bytes | None
    findings: tuple[FileFinding, ...] = ()


def export(tree: Tree, globs: Sequence[str] = ()) -> ExportResult:
    """Export a tree as one document, or the datasets in it that match a glob.

    A tree with invalid documents is not exported: the document could not be imported again.
    """
    findings = unfit_findings(tree.files.found())
    sections = {
        name: sorted(_read_valid(tree, kind, findings), key=lambda one: str(one[kind.identity]))
        for name, kind in SECTIONS.items()
    }
    if findings:
        return ExportResult(None, tuple(findings))
    count = ExportStatistics()
    for dataset in sections["datasets"]:
        count.link(dataset)
    for name in ("datasets", "observations"):
        sections[name] = [one for one in sections[name] if _is_wanted(one["urn"], globs)]
    if globs and not sections["datasets"]:
        raise LumosError(f"no dataset matches {' or '.join(globs)}", hint="see `lumos snap ls`")
    for dataset in sections["datasets"]:
        count.add(dataset)
    moment = _commit_time(tree.files) if isinstance(tree.files, CommitFiles) else None
    return ExportResult(b"".join(encode_export(count, sections, moment=moment)))


def _commit_time(files: CommitFiles) -> str:
    """Time of a commit, so that the same commit always gives the same bytes."""
    seconds = resolve(files.repository, files.commit).time
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_valid(tree: Tree, kind: DocumentKind, findings: list[FileFinding]) -> Iterator[Document]:
    """Read the valid documents of a kind; problems are added to the findings."""
    environment = tree.config.environment
    for path, content in tree.files.read_all(tree.paths(kind)):
        judged = check_file(path, content, environment)
        serious = [found for found in judged.findings if found.rule != NOT_CANONICAL]
        findings += serious
        if judged.canonical is not None and not serious:
            yield json_text.parse(judged.canonical)


def _is_wanted(urn: str, globs: Sequence[str]) -> bool:
    return not globs or any(matches_glob(urn, glob) for glob in globs)


def tree_documents(export_document: JsonObject) -> Iterator[tuple[str, bytes]]:
    """Path and canonical bytes of every document in an export."""
    for kind, carried in documents_of(export_document):
        document = without_downstream(carried) if kind is SNAPSHOT else carried
        yield kind.path_of(document), encode_document(document, kind.cls)


class Backup:
    """An export under construction in temporary files; closing it deletes them."""

    def __init__(self) -> None:
        self.missed: list[FetchFailure] = []
        """Documents that could not be read or are invalid."""
        self.left_out: list[FetchedDocument] = []
        """Documents without the parts that git has kept: these no longer fit."""
        self._count = ExportStatistics()
        self._until = ExitStack()
        self._waiting: dict[str, IO[bytes]] = {
            kind.name: self._until.enter_context(TemporaryFile())  # noqa: SIM115 - the stack ends it
            for kind in SECTIONS.values()
        }

    def __enter__(self) -> "Backup":
        return self

    def __exit__(self, *_: object) -> None:
        self._until.close()

    @property
    def datasets(self) -> int:
        """Number of datasets in it."""
        return self._count.datasets

    def gather(self, origin: FetchSource, wanted: FetchFilter, progress: Progress) -> None:
        """Read the selected documents from a catalog."""
        named = [one for one in origin.named() if wanted.wants(one)]
        if wanted.datasets and not any(one.kind == SNAPSHOT.name for one in named):
            raise LumosError(f"no dataset of {origin.catalog.name} matches")
        for one in origin.taken(named, progress):
            if isinstance(one, FetchFailure):
                self.missed.append(one)
                continue
            if one.left_out:
                self.left_out.append(one)
            if one.identity.kind == SNAPSHOT.name:
                self._count.add(one.document)
                self._count.link(one.document)
            self._waiting[one.identity.kind].write(orjson.dumps(one.document) + b"\n")

    def pieces(self) -> Iterator[bytes]:
        """The canonical bytes of the document."""
        return encode_export(
            self._count, {name: self._read(kind) for name, kind in SECTIONS.items()}
        )

    def _read(self, kind: DocumentKind) -> Iterator[Document]:
        waiting = self._waiting[kind.name]
        waiting.seek(0)
        yield from map(orjson.loads, waiting)
