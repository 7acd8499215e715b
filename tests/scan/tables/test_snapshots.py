"""What a table's log says goes into the snapshot; what others have said stays."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.diff import Action, diff
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.scan.dataset import DatasetFiles, Sample
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.grouping.assign import FilePlacement
from lumos_snap.scan.merge_snapshot import has_curated_metadata
from lumos_snap.scan.stored_data import build_observation, measure_stored_data
from tests.rules.fixtures import Change, ids
from tests.scan.tables.delta.delta_tables import (
    add,
    column,
    log,
    metadata,
    protocol,
    struct,
    vector,
)
from tests.scan.tables.delta.test_delta_columns import MAPPED, mapped
from tests.scan.tables.hudi.hudi_tables import TRIPS, instants, table, write
from tests.scan.tables.iceberg.iceberg_tables import current, field, held, stored
from tests.scan.tables.lake import document, evidence, said, snapshot

GOLDEN = Path(__file__).parent / "golden"
NOW = datetime(2026, 1, 15, 10, tzinfo=UTC)
MODE = {"delta.columnMapping.mode": "name", "delta.enableChangeDataFeed": "true"}


def delta(folder: Path) -> Path:
    invariant = json.dumps({"expression": {"expression": "price > 0"}})
    needs = protocol(3, 7, reader=["columnMapping"], writer=["columnMapping", "changeDataFeed"])
    fields = (
        column("id", nullable=False, **mapped(1, "col-1"), comment="The order"),
        column("day", "date", **mapped(2, "col-2", **{"delta.generationExpression": "d(at)"})),
        column("price", "decimal(12,2)", **mapped(3, "col-3", **{"delta.invariants": invariant})),
        column(
            "customer", struct(column("name", "string", **mapped(5, "col-5"))), **mapped(4, "col-4")
        ),
    )
    settings = {**MODE, "delta.constraints.sane": "id < 1000000"}
    said = {"name": "orders", "description": "What was sold", "configuration": settings}
    return log(folder, [needs, metadata(*fields, partitioning=["day"], **said)], [add("a", 7, 3)])


NEVER_NULL = {"element-required": True}
COUNTS = {"total-records": "3", "total-data-files": "2", "total-files-size": "9"}


def iceberg(folder: Path) -> Path:
    parts = [{"name": "at_day", "transform": "day", "source-id": 2, "field-id": 1000}]
    keys = [
        {"transform": "identity", "source-id": 1, "direction": "desc", "null-order": "nulls-last"}
    ]
    fields = [
        field(1, "id", required=True, doc="The order"),
        field(2, "at", "timestamptz"),
        field(3, "tags", {"type": "list", "element-id": 4, "element": "string", **NEVER_NULL}),
    ]  # fmt: skip
    schema = {"type": "struct", "schema-id": 0, "fields": fields, "identifier-field-ids": [1]}
    properties = {"write.delete.mode": "merge-on-read", "write.parquet.compression-codec": "zstd"}
    return stored(
        folder,
        held(
            schemas=[schema],
            properties={**properties, "comment": "What was sold"},
            **{
                "partition-specs": [{"spec-id": 0, "fields": parts}],
                "sort-orders": [{"order-id": 0, "fields": keys}],
                **current(**COUNTS),
            },
        ),
    )  # fmt: skip


def hudi(folder: Path) -> Path:
    return write(table(folder), instants(1)[0], TRIPS)


MADE: Mapping[str, Callable[[Path], Path]] = {"delta": delta, "iceberg": iceberg, "hudi": hudi}
Tables = pytest.mark.parametrize("kind", MADE)


@Tables
def test_the_whole_snapshot(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    content = document(MADE[kind](tmp_path))
    golden = GOLDEN / f"{kind}.json"
    if request.config.getoption("--rewrite-golden"):
        golden.write_bytes(content)
    assert content.decode() == golden.read_text()


@Tables
def test_a_table_that_did_not_change_changes_no_byte(kind: str, tmp_path: Path) -> None:
    MADE[kind](tmp_path)
    before = document(tmp_path)
    assert document(tmp_path, json.loads(before)) == before


def gathered() -> DatasetFiles:
    """A table's folder: what lies in it is not counted."""
    return DatasetFiles(FilePlacement(("orders",), "orders", None, (), "generic-folder"), Sample(1))


COUNTED: Mapping[str, Mapping[str, Any]] = {
    "delta": {"files": 1, "bytes": 7, "rows": 3, "version": "1"},
    "iceberg": {"files": 2, "bytes": 9, "rows": 3, "version": "7"},
    "hudi": {"version": instants(1)[0]},
}
FORMATS = {"delta": "delta reader 3 writer 7", "iceberg": "iceberg 2", "hudi": "hudi 6"}


@Tables
def test_a_table_counts_itself(kind: str, tmp_path: Path) -> None:
    found = evidence(said(MADE[kind](tmp_path)))
    observation = build_observation(
        None, "lumos://file/lake/t", measure_stored_data(gathered(), found), NOW
    )
    assert observation is not None
    assert observation["data"] == {**COUNTED[kind], "format_versions": [FORMATS[kind]]}


def test_what_is_measured_beside_counts_comes_and_goes(tmp_path: Path) -> None:
    def observed(old: Any) -> Any:
        found = evidence(said(tmp_path))
        assert found.leading.table is not None
        beside = found.leading.table.properties
        urn, data = "lumos://file/lake/t", measure_stored_data(gathered(), found)
        return build_observation(old, urn, data, NOW, properties=beside)

    log(tmp_path, [protocol(), metadata(column("id")), add("a", **vector())])
    first = observed({"properties": {"own": 1}})
    assert first["properties"] == {"own": 1, "delta.filesWithDeletionVectors": 1}
    assert observed(first) is None
    log(tmp_path, [add("b")], first=1)
    (tmp_path / "_delta_log" / f"{0:020}.json").write_text(
        "\n".join(map(json.dumps, (protocol(), metadata(column("id")))))
    )
    assert observed(first)["properties"] == {"own": 1}


def test_a_new_version_of_the_data_leaves_the_snapshot_as_it_is(tmp_path: Path) -> None:
    delta(tmp_path)
    before = document(tmp_path)
    log(tmp_path, [add("b"), add("c")], first=2)
    assert document(tmp_path, json.loads(before)) == before
    iceberg(tmp_path / "i")
    before = document(tmp_path / "i")
    raw = json.loads((tmp_path / "i/metadata/v1.metadata.json").read_text())
    raw |= {**current(**{"total-records": "99"}), "refs": {"t": {"type": "tag", "snapshot-id": 7}}}
    stored(tmp_path / "i", {**raw, "last-updated-ms": 5}, "v2.metadata.json")
    assert document(tmp_path / "i", json.loads(before)) == before


def renames(before: bytes, after: bytes) -> list[tuple[str | None, str]]:
    found = diff(json.loads(before), json.loads(after))
    assert not [one for one in found if one.action in (Action.ADDED, Action.REMOVED)]
    return [(one.was, one.path) for one in found if one.action is Action.RENAMED]


def test_a_renamed_column_of_a_delta_table_is_known_by_its_id(tmp_path: Path) -> None:
    settings = {"configuration": {"delta.columnMapping.mode": "name"}}
    log(tmp_path, [protocol(2, 5), metadata(*MAPPED, **settings)])
    before = document(tmp_path)
    first = {**MAPPED[0], "name": "number"}
    inner = struct(column("inside", **mapped(8, "in")))
    last = {**MAPPED[3], "type": inner}
    log(tmp_path, [metadata(first, *MAPPED[1:3], last, **settings)], first=1)
    found = renames(before, document(tmp_path, json.loads(before)))
    assert found == [("id", "number"), ("s.in", "s.inside")]


def test_a_rename_that_mapping_makes_safe_is_not_judged_as_a_loss(tmp_path: Path) -> None:
    settings = {"configuration": {"delta.columnMapping.mode": "name"}}
    log(tmp_path, [protocol(2, 5), metadata(*MAPPED, **settings)])
    before = json.loads(document(tmp_path))
    first = {**MAPPED[0], "name": "number"}  # in files it is `id`, as it was before mapping
    log(tmp_path, [metadata(first, *MAPPED[1:], **settings)], first=1)
    after = json.loads(document(tmp_path, before))
    found = ids(Change("renamed", before, after))
    assert not found & {"SC015", "SC023"}
    assert found


def test_a_renamed_column_of_an_iceberg_table_is_known_by_its_id(tmp_path: Path) -> None:
    inner = {"type": "struct", "fields": [field(3, "in")]}
    stored(tmp_path, held(field(1, "id"), field(2, "s", inner)))
    before = document(tmp_path)
    inner = {"type": "struct", "fields": [field(3, "inside")]}
    stored(tmp_path, held(field(2, "s", inner), field(1, "number")), "v2.metadata.json")
    found = renames(before, document(tmp_path, json.loads(before)))
    assert sorted(found) == [("id", "number"), ("s.in", "s.inside")]


def test_words_of_people_stay_and_what_the_table_unsays_goes(tmp_path: Path) -> None:
    delta(tmp_path)
    old = json.loads(document(tmp_path))
    words = {"governance": {"domain": "sales"}, "kind": "OTHER"}
    old |= words
    old["storage"] |= {"storage_class": "GLACIER"}
    old["storage"]["properties"]["own"] = "kept"
    old["schema"]["unique"] = [{"columns": ["price"]}]
    log(tmp_path, [protocol(1, 2), metadata(column("id"), column("price"))], first=2)
    new = json.loads(document(tmp_path, old))
    assert {name: new[name] for name in words} == words
    assert new["storage"] == {
        "format": "delta",
        "location": "file:lake/sales/orders",
        "id": old["storage"]["id"],
        "file_format": "parquet",
        "storage_class": "GLACIER",
        "reader_version": 1,
        "writer_version": 2,
        "properties": {"own": "kept"},
    }
    assert new["schema"].keys() == {"fields", "unique"}


def test_a_key_that_an_iceberg_table_no_longer_has_goes(tmp_path: Path) -> None:
    old = json.loads(document(iceberg(tmp_path)))
    assert old["schema"]["primary_key"] == ["id"]
    stored(tmp_path, held(field(1, "id")), "v2.metadata.json")
    new = json.loads(document(tmp_path, old))
    assert "primary_key" not in new["schema"]
    assert "sorting" not in new["storage"]
    assert "partitioning" not in new["storage"]


@Tables
def test_what_only_the_log_has_said_are_no_words(kind: str, tmp_path: Path) -> None:
    found = json.loads(document(MADE[kind](tmp_path)))
    assert not has_curated_metadata(found)
    assert has_curated_metadata({**found, "documentation": {"description": "Ours"}})
    assert has_curated_metadata({**found, "storage": {**found["storage"], "storage_class": "COLD"}})
    properties = {**found["storage"].get("properties", {}), "own": "x"}
    assert has_curated_metadata(
        {**found, "storage": {**found["storage"], "properties": properties}}
    )


PLAIN = ProbeResult("parquet", '{"columns":[{"name":"x","type":2,"repetition":1}]}', 5, "1")


def test_files_that_became_a_table_and_a_table_that_became_files(tmp_path: Path) -> None:
    files = snapshot(evidence(PLAIN))
    assert files["kind"] == "FILES"
    became = snapshot(evidence(said(delta(tmp_path))), files)
    assert (became["kind"], became["storage"]["format"]) == ("FILES", "delta")
    again = snapshot(evidence(PLAIN), became)
    assert encode_document(again, Snapshot) == encode_document(files, Snapshot)


def test_columns_that_a_table_has_lost_are_gone_whatever_else_was_bad(tmp_path: Path) -> None:
    old = json.loads(document(delta(tmp_path)))
    log(tmp_path, [metadata(column("id"))], first=2)
    new = snapshot(evidence(said(tmp_path)), old)
    assert [one["name"] for one in new["schema"]["fields"]] == ["id"]


def test_a_table_speaks_for_its_folder(tmp_path: Path) -> None:
    found = evidence(PLAIN, said(delta(tmp_path)))
    assert found.format == "delta"
    assert [one.name for one in found.united.schema.fields] == ["id", "day", "price", "customer"]
    assert found.notes == (
        "other files lie beside its log, and are not described: parquet (file-0)",
    )
    assert measure_stored_data(gathered(), found).rows == 3
