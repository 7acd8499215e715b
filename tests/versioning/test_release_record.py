from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.read import read
from lumos_snap.diff import compare
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules.rule import Bump
from lumos_snap.versioning import ReleaseRecord, record_release
from lumos_snap.versioning.release_record import (
    history_of,
    last_released_version,
    restore_versions,
    without_versions,
)
from tests.strategies.edits import edited, snapshot_documents

STAMPS = st.builds(
    ReleaseRecord,
    cloud_version=st.just("S-13"),
    schema_version=st.sampled_from(["1.0.0", "2.1.0-rc.1"]),
    released_at=st.just("2026-01-15T10:00:00Z"),
    bump=st.sampled_from(Bump),
    tag=st.just("v/S-13"),
    changes=st.lists(st.text(max_size=20), max_size=3).map(tuple),
)


def _document(raw: bytes) -> dict[str, Any]:
    reading = read(raw, Snapshot)
    assert reading.document is not None, reading.problems
    assert reading.canonical == raw
    return canonical_document(reading.document, Snapshot)


@given(snapshot_documents(), STAMPS)
@settings(max_examples=50)
def test_a_release_writes_versions_and_nothing_else(
    document: dict[str, Any], stamp: ReleaseRecord
) -> None:
    after = _document(record_release(document, stamp, history_of(None, document)))
    assert without_versions(after) == without_versions(document)
    facts = compare(document["urn"], document, after).facts
    assert {fact.at[0] for fact in facts} <= {"versioning"}
    assert after["versioning"]["cloud_version"] == stamp.cloud_version
    before = document.get("versioning", {}).get("history", [])
    assert after["versioning"]["history"][:-1] == before


@given(edited(), STAMPS)
@settings(max_examples=50)
def test_a_history_only_grows(
    pair: tuple[dict[str, Any], dict[str, Any]], stamp: ReleaseRecord
) -> None:
    old, new = pair
    known = history_of(old, new)
    assert len(known) >= len(old.get("versioning", {}).get("history", []))
    after = _document(record_release(new, stamp, known))
    assert len(after["versioning"]["history"]) == len(known) + 1


def _with(version: str | None, *told: str) -> dict[str, Any]:
    history = [{"schema_version": one} for one in told]
    stated = {} if version is None else {"schema_version": version}
    return {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/a/b",
        "name": "b",
        "platform": "s3",
        "versioning": {**stated, "history": history},
    }


def test_a_later_version_counts_where_its_release_is_told() -> None:
    old = _with("1.0.0", "1.0.0")
    assert last_released_version(old, _with("1.0.1", "1.0.0", "1.0.1")) == "1.0.1"
    assert last_released_version(old, _with("1.0.1", "1.0.0")) == "1.0.0"
    assert last_released_version(old, _with("0.9.0", "0.9.0")) == "1.0.0"
    assert last_released_version(old, _with(None)) == "1.0.0"
    assert last_released_version(None, _with("1.0.1", "1.0.1")) is None


def test_only_versions_that_were_lost_or_lowered_are_put_back() -> None:
    old = _with("1.1.0", "1.1.0")
    for lost in (_with(None), _with("1.0.0"), _with("1.1.0-rc.1")):
        raw = restore_versions(old, lost)
        assert raw is not None
        assert _document(raw)["versioning"]["schema_version"] == "1.1.0"
    for kept in (_with("1.1.0"), _with("1.2.0")):
        assert restore_versions(old, kept) is None
    assert restore_versions(None, _with(None)) is None
    assert restore_versions(old, None) is None
