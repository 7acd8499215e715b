"""What was measured goes into a dataset's observation: one reading, no values of the data."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.model.observation import StoredData
from lumos_snap.scan.evidence import Description
from lumos_snap.scan.gathered import Gathered
from lumos_snap.schema import Document, Json, document_of
from lumos_snap.text import readable

_END_OF_TIME = 253_402_300_800 * 1_000_000_000  # the year 10000
SOURCE = "lumos snap scan"
OWN = ("delta.", "iceberg.", "hudi.")
"""How properties begin that tables say of themselves."""


def stored_data(gathered: Gathered, found: Description) -> StoredData:
    """How much lies there; rows only where every file was asked and told. A table counts itself."""
    table = found.leading.table
    everywhere = table is not None or found.files == gathered.files
    return StoredData(
        files=gathered.files if table is None else table.files,
        bytes=gathered.bytes if table is None else table.bytes,
        rows=found.rows if everywhere else None,
        version=None if table is None else table.version,
        first_modified=_moment(gathered.first_modified),
        last_modified=_moment(gathered.last_modified),
        format_versions=found.versions,
        codecs=found.codecs,
        partitions=tuple(
            replace(one, name=readable(one.name)) for one in gathered.partitions.ranges()
        ),
    )


def measured(
    old: Document | None,
    urn: str,
    data: StoredData,
    now: datetime,
    properties: Mapping[str, Json] | None = None,
) -> Document | None:
    """The observation after a scan; nothing where the old one says the same.

    What others have measured (quality, cost, use) stays.
    """
    says = document_of(data)
    before: Document = (old or {}).get("properties", {})
    beside = {k: held for k, held in before.items() if not k.startswith(OWN)} | {
        **(properties or {})
    }
    if old is not None and old.get("data") == says and before == beside:
        return None
    return {
        "lumos_version": FORMAT_VERSION,
        "urn": urn,
        **(old or {}),
        "observed_at": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "source": SOURCE,
        "data": says,
        "properties": beside,
    }


def _moment(nanoseconds: int | None) -> str | None:
    if nanoseconds is None or not 0 <= nanoseconds < _END_OF_TIME:
        return None  # a clock that stood still says nothing
    seconds = nanoseconds // 1_000_000_000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
