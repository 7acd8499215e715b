"""Updates a dataset after a scan: its snapshot and its observation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.model.snapshot import Partition
from lumos_snap.report.scan import ScannedDataset, ScanOutcome
from lumos_snap.scan.dataset import (
    MOST_HEADERS,
    TABLE_RULE_SUFFIX,
    DatasetFiles,
    SourceDataset,
)
from lumos_snap.scan.description import DatasetDescription, describe_dataset
from lumos_snap.scan.merge_snapshot import DatasetLocation, find_orphaned_metadata, merge_snapshot
from lumos_snap.scan.stored_data import build_observation, measure_fields, measure_stored_data
from lumos_snap.schema import Document
from lumos_snap.text import readable

Contents = Callable[[str], bytes | None]
"""Returns the content of a file of the tree; None if it does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateOptions:
    """Options of a whole scan."""

    contents: Contents
    environment: str | None
    reinfer: bool
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateSummary:
    """Summary of a dataset: all that is kept of it in memory until the end."""

    format: str
    columns: int
    files: int | None
    bytes: int | None
    rows: int | None
    looked_at: int | None
    """How many files were read; None for a table, whose log describes all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetUpdate:
    """One dataset after a scan."""

    urn: str
    outcome: ScanOutcome
    notes: tuple[str, ...] = ()
    summary: UpdateSummary | None = None
    gathered: DatasetFiles | None = None
    broken: bool = False
    """Whether its stored snapshot is invalid and must be fixed first."""
    moved_from: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files to write, by path."""
    were: Mapping[str, bytes | None] = field(default_factory=dict)
    """Contents that the decision was based on; a write checks that they are unchanged."""
    told: ScannedDataset | None = None
    """Its report, if cached: then it need not be derived again."""

    @property
    def path(self) -> str:
        """The path of its snapshot."""
        return SNAPSHOT.path(self.urn)

    def document(self) -> Document:
        """Decode the snapshot to write."""
        found: Document = orjson.loads(self.files[self.path])
        return found


def update_dataset(
    met: SourceDataset, settings: UpdateOptions, *, former: Document | None = None
) -> DatasetUpdate:
    """Decide how a scan changes a dataset; `former` is its snapshot under an earlier urn."""
    before = _StoredDocument.of(SNAPSHOT, met.urn, settings.contents)
    if before.problem:
        return DatasetUpdate(
            urn=met.urn,
            outcome=ScanOutcome.KEPT,
            notes=(before.problem,),
            gathered=met.gathered,
            broken=True,
        )
    if not met.evidence.said:
        outcome = ScanOutcome.FAILED if before.document is None else ScanOutcome.KEPT
        is_table = met.gathered.rule.endswith(TABLE_RULE_SUFFIX)
        notes = ("its log cannot be read" if is_table else "none of its files can be read",)
        return DatasetUpdate(urn=met.urn, outcome=outcome, notes=notes, gathered=met.gathered)
    return _build_update(met, settings, before, former)


def _build_update(
    met: SourceDataset, settings: UpdateOptions, before: "_StoredDocument", former: Document | None
) -> DatasetUpdate:
    found = describe_dataset(met.evidence, _doubt_newest(met))
    partitions = met.gathered.partitions
    new = merge_snapshot(
        before.document or former,
        _locate_dataset(met, partitions.partitioning()),
        found,
        environment=settings.environment,
        reinfer=settings.reinfer,
        whole=met.is_whole or found.leading.table is not None,
        complete=found.files == met.gathered.files,
    )
    document, path = new.document, SNAPSHOT.path(met.urn)
    content = encode_document(document, SNAPSHOT.cls)
    wrong = () if content == before.canonical else read(content, SNAPSHOT.cls).problems
    if wrong:
        return _reject_invalid(met, before, wrong[0].message)
    changed = {} if content == before.canonical else {path: (content, before.content)}
    seen = _StoredDocument.of(OBSERVATION, met.urn, settings.contents)
    changed |= _update_observation(met, found, seen, settings.now)
    return DatasetUpdate(
        urn=met.urn,
        outcome=_outcome(before, former, changed=path in changed),
        notes=(
            *found.notes,
            *partitions.notes(),
            *new.notes,
            *find_orphaned_metadata(document),
            *seen.remark,
        ),
        summary=_summarize(met, found, document),
        gathered=met.gathered,
        moved_from=former["contract"]["renamed_from"] if former and not before.document else None,
        files={path: content for path, (content, _) in changed.items()},
        were={path: was for path, (_, was) in changed.items()},
    )


def _doubt_newest(met: SourceDataset) -> str:
    """Why files of the newest partition are not known, besides those that cannot be read."""
    if not met.in_sight:
        return "not every folder can be listed"
    if met.gathered.sample.has_too_many:
        return f"it has more than {MOST_HEADERS:,} text files, and not all are read"
    return ""


def _summarize(met: SourceDataset, found: DatasetDescription, document: Document) -> UpdateSummary:
    data = measure_stored_data(met.gathered, found)
    return UpdateSummary(
        format=found.format,
        columns=len(document["schema"].get("fields", ())),
        files=data.files,
        bytes=data.bytes,
        rows=data.rows,
        looked_at=found.files if found.leading.table is None else None,
    )


def _update_observation(
    met: SourceDataset, found: DatasetDescription, seen: "_StoredDocument", now: datetime
) -> dict[str, tuple[bytes, bytes | None]]:
    table, data = found.leading.table, measure_stored_data(met.gathered, found)
    beside = None if table is None else table.properties
    observation = build_observation(
        seen.document, met.urn, data, now, properties=beside, fields=measure_fields(found)
    )
    if observation is None:
        return {}
    content = encode_document(observation, OBSERVATION.cls)
    return {OBSERVATION.path(met.urn): (content, seen.content)}


def _reject_invalid(met: SourceDataset, before: "_StoredDocument", why: str) -> DatasetUpdate:
    """Reject an invalid snapshot: a scan never writes what `lumos snap validate` reports."""
    return DatasetUpdate(
        urn=met.urn,
        outcome=ScanOutcome.FAILED if before.document is None else ScanOutcome.KEPT,
        notes=(f"what its files say makes no snapshot: {why}",),
        gathered=met.gathered,
        broken=True,
    )


def _outcome(before: "_StoredDocument", former: Document | None, *, changed: bool) -> ScanOutcome:
    if before.document is None:
        return ScanOutcome.ADDED if former is None else ScanOutcome.MOVED
    return ScanOutcome.CHANGED if changed else ScanOutcome.UNCHANGED


def _locate_dataset(met: SourceDataset, partitioning: tuple[Partition, ...]) -> DatasetLocation:
    placed = met.gathered.placed
    folder, files = met.gathered.place()
    return DatasetLocation(
        urn=met.urn,
        location=met.location(folder),
        files=None if files is None else readable(files),
        partitioning=tuple(map(_readable_partition, partitioning)),
        parameters={name: readable(value) for name, value in placed.parameters.items()},
    )


def _readable_partition(one: Partition) -> Partition:
    form = None if one.format is None else readable(one.format)
    return replace(one, name=readable(one.name), format=form)


@dataclass(frozen=True, slots=True)
class _StoredDocument:
    """A document of the tree as it is stored."""

    content: bytes | None = None
    document: Document | None = None
    canonical: bytes | None = None
    problem: str = ""
    remark: tuple[str, ...] = ()

    @classmethod
    def of(cls, kind: DocumentKind, urn: str, contents: Contents) -> "_StoredDocument":
        """Read the document of a dataset; an invalid observation is measured again."""
        path = kind.path(urn)
        content = contents(path)
        if content is None:
            return cls()
        reading = read(content, kind.cls)
        if not reading.problems:
            return cls(content, reading.document, reading.canonical)
        first = reading.problems[0]
        where = f"{path}:{first.place.line}:{first.place.column}: {first.message}"
        said = f"{where}: `lumos snap validate` says more"
        return cls(content, problem=said, remark=(f"its last reading was broken: {where}",))
