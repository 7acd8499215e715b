"""Updates a dataset after a scan: its snapshot, and an observation without data values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.model.observation import StoredData
from lumos_snap.model.snapshot import Partition
from lumos_snap.report.scan import ScannedDataset, ScanOutcome
from lumos_snap.scan.dataset import (
    TABLE_RULE_SUFFIX,
    DatasetDescription,
    DatasetFiles,
    SourceDataset,
    describe_dataset,
)
from lumos_snap.scan.merge_snapshot import DatasetLocation, find_orphaned_metadata, merge_snapshot
from lumos_snap.schema import Document, Json, document_of
from lumos_snap.text import readable

_END_OF_TIME = 253_402_300_800 * 1_000_000_000  # the year 10000
OBSERVATION_SOURCE = "lumos snap scan"
TABLE_PREFIXES = ("delta.", "iceberg.", "hudi.")
"""Prefixes of properties that a table format writes."""


def measure_stored_data(gathered: DatasetFiles, found: DatasetDescription) -> StoredData:
    """Measure the stored data; rows only if every file was read and has a row count.

    A table's log has its own counts.
    """
    table = found.leading.table
    everywhere = table is not None or found.files == gathered.files
    return StoredData(
        files=gathered.files if table is None else table.files,
        bytes=gathered.bytes if table is None else table.bytes,
        rows=found.rows if everywhere else None,
        version=None if table is None else table.version,
        first_modified=_format_time(gathered.first_modified),
        last_modified=_format_time(gathered.last_modified),
        format_versions=found.versions,
        codecs=found.codecs,
        partitions=tuple(
            replace(one, name=readable(one.name)) for one in gathered.partitions.ranges()
        ),
    )


def build_observation(
    old: Document | None,
    urn: str,
    data: StoredData,
    now: datetime,
    properties: Mapping[str, Json] | None = None,
) -> Document | None:
    """Build the observation after a scan; None if nothing has changed.

    Other measurements in it (quality, cost, usage) are kept.
    """
    says = document_of(data)
    before: Document = (old or {}).get("properties", {})
    beside = {k: held for k, held in before.items() if not k.startswith(TABLE_PREFIXES)} | {
        **(properties or {})
    }
    if old is not None and old.get("data") == says and before == beside:
        return None
    return {
        "lumos_version": FORMAT_VERSION,
        "urn": urn,
        **(old or {}),
        "observed_at": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "source": OBSERVATION_SOURCE,
        "data": says,
        "properties": beside,
    }


def _format_time(nanoseconds: int | None) -> str | None:
    if nanoseconds is None or not 0 <= nanoseconds < _END_OF_TIME:
        return None  # the clock was wrong
    seconds = nanoseconds // 1_000_000_000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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
    found = describe_dataset(met.evidence)
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
    observation = build_observation(seen.document, met.urn, data, now, beside)
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
