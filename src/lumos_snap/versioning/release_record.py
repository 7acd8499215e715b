"""The record of a release in a snapshot."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.encode import encode_document
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.messages import message
from lumos_snap.rules.rule import Bump
from lumos_snap.schema import Document
from lumos_snap.versioning.versions import parse

SECTION = "versioning"
MOST_CHANGES = 10
"""The maximum number of changes in a history entry; others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """A release of one dataset."""

    cloud_version: str
    schema_version: str
    released_at: str
    bump: Bump
    """NONE for a first version, which has no predecessor."""
    tag: str
    changes: tuple[str, ...]


def record_release(document: Document, stamp: ReleaseRecord, history: Sequence[object]) -> bytes:
    """Encode a snapshot with a release appended to its history."""
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


def history_of(old: Document | None, new: Document) -> Sequence[JsonObject]:
    """The release history of a dataset.

    A scan or an import may have rewritten the file without it: then that of the last release
    counts, even if the dataset was renamed.
    """
    before = _versioning(old).get("history", [])
    now = _versioning(new).get("history", [])
    found: Sequence[JsonObject] = now if len(now) >= len(before) else before
    return found


def version_of(document: Document | None) -> str | None:
    """The schema version of a snapshot."""
    return _versioning(document).get("schema_version")


def cloud_version_of(document: Document | None) -> str | None:
    """The cloud version of a snapshot."""
    return _versioning(document).get("cloud_version")


def without_versions(document: Document) -> Document:
    """A snapshot without its versions."""
    return {name: held for name, held in document.items() if name != SECTION}


def last_released_version(old: Document | None, new: Document) -> str | None:
    """The version to continue from: that of the last release.

    A later one counts if the history records its release, as after merging a branch.
    """
    before, now = version_of(old), version_of(new)
    if before is None or now is None:
        return before
    told = {entry.get("schema_version") for entry in _versioning(new).get("history", [])}
    is_later = parse(now).rank > parse(before).rank
    return now if is_later and now in told else before


def restore_versions(old: Document | None, new: Document | None) -> bytes | None:
    """Restore the versions of the last release in a snapshot that lost or lowered them."""
    before, now = version_of(old), version_of(new)
    if old is None or new is None or before is None:
        return None
    if now is not None and parse(now).rank >= parse(before).rank:
        return None
    return encode_document({**new, SECTION: old[SECTION]}, Snapshot)


def change_lines(findings: Iterable[Finding]) -> tuple[str, ...]:
    """One line for each finding, the most severe first; excess lines are counted."""
    ordered = sorted(findings, key=lambda one: (-one.bump, -one.level))
    lines = [message(one.rule.message, one.told) for one in ordered]
    more = len(lines) - MOST_CHANGES
    return (*lines[:MOST_CHANGES], f"… and {more} more") if more > 0 else tuple(lines)


def moment(seconds: int) -> str:
    """Format a time as in snapshots."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"


def _versioning(document: Document | None) -> JsonObject:
    found: Mapping[str, Any] = (document or {}).get(SECTION, {})
    return found
