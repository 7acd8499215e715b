"""`lumos snap import`: write a document of a known format, or a catalog, into a tree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION, SNAPSHOT, kind_at
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.rules import EXISTS
from lumos_snap.catalogs import sync_state
from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.fetch import (
    FetchedDocument,
    FetchFailure,
    FetchFilter,
    FetchSource,
    Progress,
    as_finding,
)
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.commands.import_reader import IncomingDocument, content_of
from lumos_snap.commands.sync.adapters import choose_settings, open_existing
from lumos_snap.documents import Position, Problem
from lumos_snap.git import find_repository
from lumos_snap.report.command_reports import FileFinding, ImportReport, Note
from lumos_snap.schema import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import build_finding, conflict_finding
from lumos_snap.tree.files import batches


def import_document(
    tree: Tree, document: IncomingDocument, *, overwrite: bool, dry_run: bool
) -> ImportReport:
    """Write the content of a document; existing files that differ stay, unless `overwrite`."""
    content = content_of(document, tree.config.environment)
    there = {path: tree.files.read(path) for path in content.files}
    new = {p: c for p, c in content.files.items() if there[p] is None or overwrite}
    changed = {path: c for path, c in new.items() if there[path] != c}
    unchanged = sum(there[path] == c for path, c in content.files.items())
    kept = [p for p, c in content.files.items() if p not in new and there[p] != c]
    left: tuple[str, ...] = ()
    if changed and not dry_run:
        written = tree.write_bytes(changed, expected={path: there[path] for path in changed})
        changed, left = {path: changed[path] for path in written.changed}, written.left
    counts = _counts(content.files)
    return ImportReport(
        file=document.name,
        shape=content.shape,
        datasets=counts.pop(SNAPSHOT.name),
        observations=counts.pop(OBSERVATION.name),
        entities=sum(counts.values()),
        written=tuple(changed),
        unchanged=unchanged,
        dry_run=dry_run,
        notes=content.notes,
        findings=(*content.findings, *map(_exists, kept), *map(conflict_finding, left)),
    )


def _counts(paths: Mapping[str, bytes]) -> dict[str, int]:
    counts = {kind.name: 0 for kind in KINDS}
    for path in paths:
        kind = kind_at(path)
        counts[kind.name if kind else SNAPSHOT.name] += 1
    return counts


def _exists(path: str) -> FileFinding:
    message = "is there already and differs: kept as it is"
    return build_finding(
        path, Problem(Position(), EXISTS, message, "use --overwrite to replace it")
    )


class ImportResult(NamedTuple):
    """Report of an import, and whether the catalog was unavailable for part of it."""

    report: ImportReport
    is_outside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Whether existing files are replaced, and whether anything is written."""

    overwrite: bool = False
    dry_run: bool = False


def import_catalog(
    tree: Tree, origin: FetchSource, wanted: FetchFilter, manner: ImportOptions, progress: Progress
) -> ImportResult:
    """Write the content of a catalog into a tree; existing files stay, unless `overwrite`."""
    known = {path for kind in KINDS for path in tree.paths(kind)}
    meant = [one for one in origin.named() if wanted.wants(one)]
    asked = [one for one in meant if manner.overwrite or path_of(one) not in known]
    found = _CatalogImport(tree, origin, manner)
    for some in batches(origin.taken(asked, progress)):
        found.take(some)
    return found.adopted(len(meant) - len(asked))


class _CatalogImport:
    """State of an import from a catalog, which is written in portions."""

    def __init__(self, tree: Tree, origin: FetchSource, manner: ImportOptions) -> None:
        self._tree, self._origin, self._manner = tree, origin, manner
        self._counts: Counter[str] = Counter()
        self._written: list[str] = []
        self._unchanged = 0
        self._notes: list[Note] = []
        self._findings: list[FileFinding] = []
        self._is_outside = False

    def take(self, some: Sequence[FetchedDocument | FetchFailure]) -> None:
        """Write a portion."""
        contents = {path_of(one.identity): encoded for one, encoded in self._kept(some)}
        there = {path: self._tree.files.read(path) for path in contents}
        changed = {path: one for path, one in contents.items() if there[path] != one}
        self._unchanged += len(contents) - len(changed)
        if changed and not self._manner.dry_run:
            written = self._tree.write_bytes(changed, {path: there[path] for path in changed})
            self._written += written.changed
            self._findings += map(conflict_finding, written.left)
        else:
            self._written += changed

    def _kept(
        self, some: Sequence[FetchedDocument | FetchFailure]
    ) -> Iterator[tuple[FetchedDocument, bytes]]:
        for one in some:
            why = one if isinstance(one, FetchFailure) else self._difference(one)
            if why is not None:
                self._is_outside |= why.is_outside
                self._findings.append(as_finding(why))
            elif isinstance(one, FetchedDocument):
                self._counts[one.identity.kind] += 1
                self._notes += _notes(one)
                yield one, encode_document(one.document, one.identity.cls)

    def _difference(self, one: FetchedDocument) -> FetchFailure | None:
        """Why the first sync plan after the import would not be empty; None where it would be."""
        if not one.held:
            return None
        projected = self._origin.catalog.project(one.identity, one.document)
        cls = one.identity.cls
        if projected.refusal:
            return FetchFailure(one.identity, projected.refusal)
        if encode_document(projected.document, cls) != encode_document(one.held, cls):
            return FetchFailure(one.identity, "what it says there cannot be written back as it is")
        return None

    def adopted(self, there: int) -> ImportResult:
        """Build the report; `there` files existed already and were not fetched."""
        report = ImportReport(
            file=self._origin.catalog.name,
            shape=self._origin.sort,
            datasets=self._counts.pop(SNAPSHOT.name, 0),
            observations=0,
            entities=sum(self._counts.values()),
            written=tuple(self._written),
            unchanged=self._unchanged + there,
            dry_run=self._manner.dry_run,
            notes=tuple(self._notes),
            findings=tuple(self._findings),
        )
        return ImportResult(report, self._is_outside)


_RESTORED = "the catalog cannot hold it: as git has kept it"
_LEFT_OUT = "what git has kept of it does not fit what the catalog says by now: left out"


def _notes(one: FetchedDocument) -> Iterator[Note]:
    for message, places in ((_RESTORED, one.restored), (_LEFT_OUT, one.left_out)):
        for at in places:
            yield Note(subject=one.identity.id, source="", target=at, message=message)


def open_origin(
    tree: Tree, name: str, environment: Mapping[str, str], *, fetch: bool
) -> FetchSource:
    """Open a catalog by its name; `environment` contains credentials."""
    settings = choose_settings(tree, name)
    catalog = open_existing(settings, tree, environment)
    whole = read_kept_documents(tree, settings.name, fetch=fetch)
    return FetchSource(catalog, settings.type, tree.config.environment, whole)


def read_kept_documents(tree: Tree, name: str, *, fetch: bool) -> Mapping[Identity, Document]:
    """Document parts that git has kept because the catalog lost them; none without a repository."""
    if find_repository(tree.root) is None:
        return {}
    return sync_state.read_kept(bases.open_base(tree.repository, name, fetch=fetch))
