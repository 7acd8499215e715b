"""The observation of a dataset after a scan: how much is stored, without data values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.model.observation import MeasuredField, StoredData
from lumos_snap.scan.dataset import DatasetFiles
from lumos_snap.scan.description import DatasetDescription
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


def measure_fields(found: DatasetDescription) -> tuple[MeasuredField, ...]:
    """Measure which fields some files lack, and which the newest partition lacks."""
    last = {} if found.newest is None else found.newest.last
    return tuple(
        MeasuredField(
            path=path, missing_files=found.missing.get(path), last_partition=last.get(path)
        )
        for path in sorted({*found.missing, *last})
    )


def merge_measured_fields(
    old: Sequence[Document], measured: Sequence[MeasuredField]
) -> list[Document]:
    """Replace what a scan measures of fields; what others measured is kept."""
    found = {one["path"]: {k: v for k, v in one.items() if k not in _OF_FIELDS} for one in old}
    for one in measured:
        found[one.path] = {**found.get(one.path, {}), **document_of(one)}
    return [one for _, one in sorted(found.items()) if len(one) > 1]


_OF_FIELDS = ("missing_files", "last_partition")


def build_observation(
    old: Document | None,
    urn: str,
    data: StoredData,
    now: datetime,
    *,
    properties: Mapping[str, Json] | None = None,
    fields: Sequence[MeasuredField] = (),
) -> Document | None:
    """Build the observation after a scan; None if nothing has changed.

    Other measurements in it (quality, cost, usage) are kept.
    """
    says = document_of(data)
    measured = merge_measured_fields((old or {}).get("fields", ()), fields)
    before: Document = (old or {}).get("properties", {})
    beside = {k: held for k, held in before.items() if not k.startswith(TABLE_PREFIXES)} | {
        **(properties or {})
    }
    known = (old or {}).get("fields", [])
    if old is not None and old.get("data") == says and before == beside and known == measured:
        return None
    return {
        "lumos_version": FORMAT_VERSION,
        "urn": urn,
        **(old or {}),
        "observed_at": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "source": OBSERVATION_SOURCE,
        "data": says,
        "fields": measured,
        "properties": beside,
    }


def _format_time(nanoseconds: int | None) -> str | None:
    if nanoseconds is None or not 0 <= nanoseconds < _END_OF_TIME:
        return None  # the clock was wrong
    seconds = nanoseconds // 1_000_000_000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
