"""Redaction of catalog properties: no secrets, and nothing that changes with the data."""

import re
from collections.abc import Mapping

from lumos_snap.net.redact import redact_addresses

_SECRET = re.compile(
    r"secret|passw|passphrase|\bpwd\b|token|credential|signature|private|\bsas\b"
    r"|(access|account|api|encryption|shared|master)[-_. ]?key|\bkeytab\b|\bjaas\b|\bauth\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"(?:^|[?&;,\s])[\w.-]*(?:secret|passw(?:or)?d|pwd|token|sig|signature|access_?key)[\w.-]*\s*=",
    re.IGNORECASE,
)
_REDACTED = "(redacted)"
_QUERY = re.compile(r"\?[^/]*=.*$", re.DOTALL)

_VOLATILE = frozenset(
    (
        "transient_lastddltime", "numfiles", "totalsize", "numrows", "rawdatasize",
        "numpartitions", "numfileserasurecoded", "column_stats_accurate", "last_modified_time",
        "last_modified_by", "created_at", "created_by", "owner", "metadata_location",
        "previous_metadata_location", "snapshot-count", "delta.lastcommittimestamp",
        "delta.lastupdateversion",
    )
)  # fmt: skip
_VOLATILE_BEGINNINGS = ("current-snapshot-", "spark.sql.statistics.", "impala.")
_ELSEWHERE = frozenset(("location", "provider", "comment", "external", "clusteringcolumns"))
"""Properties that the catalog also provides separately."""
_INNER = ("spark.sql.", "view.")
"""Prefixes of Spark's internal properties, which it provides separately."""


def redact_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Select the properties for a description, sorted by name."""
    return {
        name: redact_credentials(value)
        for name, value in sorted(properties.items())
        if not _is_withheld(name, value)
    }


def redact_credentials(text: str) -> str:
    """Remove credentials from the URLs in a text."""
    return redact_addresses(text)


def redact_location(address: str | None) -> str | None:
    """Return a location without credentials, including a query after `?`, which may have some."""
    return _QUERY.sub("", redact_credentials(address)).rstrip("/") or None if address else None


def _is_withheld(name: str, value: str) -> bool:
    lower = name.lower()
    return (
        lower in _VOLATILE
        or lower in _ELSEWHERE
        or lower.startswith((*_VOLATILE_BEGINNINGS, *_INNER))
        or _SECRET.search(name) is not None
        or value.endswith(_REDACTED)
        or _TELLING.search(value) is not None
    )
