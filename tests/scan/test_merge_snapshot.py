"""Whatever people have said and whatever the files say now: no scan touches a word."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import lumos_snap
from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.config.settings import SourceSettings
from lumos_snap.json_object import JsonObject
from lumos_snap.model import Schema, Snapshot, Storage
from lumos_snap.model.snapshot import SortKey
from lumos_snap.report.scan import ScanOutcome
from lumos_snap.scan.dataset import DatasetFiles, Evidence, Sample, SourceDataset
from lumos_snap.scan.dataset_update import DatasetUpdate, UpdateOptions, update_dataset
from lumos_snap.scan.executors.probe_result import encode_evidence
from lumos_snap.scan.grouping.assign import Layout, place_file
from lumos_snap.scan.listing import line_of
from lumos_snap.scan.sources.source import Source, open_source
from lumos_snap.scan.stores.store import FileEntry
from tests.strategies import LAW
from tests.strategies.documents import snapshots

SOURCE: Source = open_source(SourceSettings(name="lake", path="."), Path("/"))
URN = "lumos://file/lake/raw/clicks"
PATH = "raw/clicks/day=2026-01-15/part-0.avro"
MACHINES = ("storage", "schema")
NOW = datetime(2026, 1, 15, tzinfo=UTC)

_types = st.sampled_from(["int", "long", "string", "double", ["null", "string"]])
_columns = st.dictionaries(st.sampled_from(["id", "page", "ref", "day", "x"]), _types, max_size=4)


def _met(columns: dict[str, Any]) -> SourceDataset:
    placed = place_file(PATH, Layout())
    gathered = DatasetFiles(placed, Sample(20))
    entry = FileEntry(PATH, 100, 10**18)
    gathered.add(entry, placed, line_of(entry))
    fields = [{"name": name, "type": kind} for name, kind in columns.items()]
    evidence = Evidence()
    evidence.add(
        {
            "format": "avro",
            "schema": encode_evidence({"type": "record", "name": "r", "fields": fields}),
            "files": 1,
            "rows": None,
            "versions": [],
            "codecs": [],
            "examples": [PATH],
        }
    )
    return SourceDataset(SOURCE, placed.names, gathered, evidence)


def _decided(columns: dict[str, Any], stored: dict[str, bytes]) -> DatasetUpdate:
    settings = UpdateOptions(contents=stored.get, environment=None, reinfer=False, now=NOW)
    return update_dataset(_met(columns), settings)


@st.composite
def _stored(draw: st.DrawFn) -> Snapshot:
    """A snapshot of the dataset, whatever stands in it."""
    return replace(draw(snapshots), urn=URN, name="clicks", platform="file", environment=None)


@LAW
@given(_stored(), st.lists(_columns, min_size=1, max_size=3))
@example(
    Snapshot(
        lumos_version=FORMAT_VERSION,
        urn=URN,
        name="clicks",
        platform="file",
        storage=Storage(sorting=(SortKey(field="gone"),)),
    ),
    [{"id": "int"}],
)
def test_no_scan_touches_a_word(snapshot: Snapshot, lake: list[dict[str, Any]]) -> None:
    path = SNAPSHOT.path(URN)
    stored = {path: lumos_snap.encode(snapshot)}
    before = read(stored[path], Snapshot).document
    assert before is not None
    for columns in lake:
        found = _decided(columns, stored)
        stored.update(found.files)
        now = read(stored[path], Snapshot)
        assert now.problems == ()
        assert now.document is not None
        assert _words(now.document) == _words(before)
        if not found.broken:
            names = [one["name"] for one in now.document.get("schema", {}).get("fields", ())]
            assert names == list(columns)


def _words(document: JsonObject) -> dict[str, Any]:
    return {name: held for name, held in document.items() if name not in MACHINES}


@LAW
@given(_columns)
def test_a_second_scan_of_the_same_files_writes_nothing(columns: dict[str, Any]) -> None:
    stored: dict[str, bytes] = {}
    first = _decided(columns, stored)
    assert first.outcome is ScanOutcome.ADDED
    stored.update(first.files)
    again = _decided(columns, stored)
    assert (again.outcome, again.files) == (ScanOutcome.UNCHANGED, {})


def test_what_files_cannot_say_of_storage_and_keys_stays() -> None:
    snapshot = Snapshot(
        lumos_version=FORMAT_VERSION,
        urn=URN,
        name="clicks",
        platform="file",
        storage=Storage(storage_class="COLD", properties={"wiki": "x"}, format="csv"),
        schema=Schema(primary_key=("id",), fields=()),
    )
    found = _decided({"id": "long"}, {SNAPSHOT.path(URN): lumos_snap.encode(snapshot)})

    assert found.document()["schema"]["primary_key"] == ["id"]
    assert found.document()["storage"]["storage_class"] == "COLD"
    assert found.document()["storage"]["properties"] == {"wiki": "x"}


def test_a_key_whose_column_is_gone_goes_with_it_and_is_named() -> None:
    first = _decided({"id": "long", "page": "string"}, {})

    document = {
        **first.document(),
        "schema": {**first.document()["schema"], "primary_key": ["page"]},
    }
    stored = {SNAPSHOT.path(URN): encode_document(document, Snapshot)}
    found = _decided({"id": "long"}, stored)

    assert "primary_key" not in found.document()["schema"]
    assert any("`page`" in note for note in found.notes)
