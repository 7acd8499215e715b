"""What a release records in a snapshot."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.messages import message
from lumos_snap.rules.severity import Bump
from lumos_snap.versioning.semantic import parse

Document = Mapping[str, Any]
SECTION = "versioning"
MOST_CHANGES = 10
"""So many changes are named in an entry of the history; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """What a release says of one dataset."""

    cloud_version: str
    schema_version: str
    released_at: str
    bump: Bump
    """NONE for a first version: there is none before it to step from."""
    tag: str
    changes: tuple[str, ...]


def record_release(document: Document, stamp: ReleaseRecord, history: Sequence[Any]) -> bytes:
    """The canonical bytes of a snapshot with a release recorded in it, after those of a history."""
    entry = {
        "cloud_version": stamp.cloud_version,
        "schema_version": stamp.schema_version,
        "released_at": stamp.released_at,
        **({} if stamp.bump is Bump.NONE else {"bump": stamp.bump.word}),
        "tag": stamp.tag,
        "changes": list(stamp.changes),
    }
    versioning = {
        "cloud_version": stamp.cloud_version,
        "schema_version": stamp.schema_version,
        "history": [*history, entry],
    }
    return encode_document({**document, SECTION: versioning}, Snapshot)


def history_of(old: Document | None, new: Document) -> Sequence[Any]:
    """The releases that are known of a dataset.

    A scan or an import may have written the file anew, without them: then those of the last
    release are, under whatever name it had there.
    """
    before = _versioning(old).get("history", [])
    now = _versioning(new).get("history", [])
    found: Sequence[Any] = now if len(now) >= len(before) else before
    return found


def version_of(document: Document | None) -> str | None:
    """The version that a snapshot states."""
    return _versioning(document).get("schema_version")


def cloud_version_of(document: Document | None) -> str | None:
    """The release that a snapshot states."""
    return _versioning(document).get("cloud_version")


def without_versions(document: Document) -> Document:
    """What a snapshot says apart from its versions."""
    return {name: held for name, held in document.items() if name != SECTION}


def last_released_version(old: Document | None, new: Document) -> str | None:
    """The version that a release goes on from: that of the last release.

    A later one counts where the history tells of its release, as on a branch that was merged.
    """
    before, now = version_of(old), version_of(new)
    if before is None or now is None:
        return before
    told = {entry.get("schema_version") for entry in _versioning(new).get("history", [])}
    is_later = parse(now).rank > parse(before).rank
    return now if is_later and now in told else before


def restore_versions(old: Document | None, new: Document | None) -> bytes | None:
    """A snapshot with the versions of the last release, where it has lost or lowered them since."""
    before, now = version_of(old), version_of(new)
    if old is None or new is None or before is None:
        return None
    if now is not None and parse(now).rank >= parse(before).rank:
        return None
    return encode_document({**new, SECTION: old[SECTION]}, Snapshot)


def change_lines(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A line for each finding, the gravest first; what is too much is counted."""
    ordered = sorted(findings, key=lambda one: (-one.bump, -one.level))
    lines = [message(one.rule.message, one.told) for one in ordered]
    more = len(lines) - MOST_CHANGES
    return (*lines[:MOST_CHANGES], f"… and {more} more") if more > 0 else tuple(lines)


def moment(seconds: int) -> str:
    """A time as snapshots state it."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"


def _versioning(document: Document | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (document or {}).get(SECTION, {})
    return found
