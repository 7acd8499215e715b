"""Commits, checkpoints and sidecars are put together as the protocol says."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from lumos_snap.scan.tables.delta import checkpoint as delta_checkpoint
from lumos_snap.scan.tables.delta import replay as delta_replay
from tests.scan.tables.delta.delta_tables import (
    CREATED,
    Action,
    add,
    as_spark,
    by_delta_rs,
    checkpoint,
    column,
    lines,
    log,
    metadata,
    protocol,
    remove,
    vector,
)
from tests.scan.tables.lake import columns, described, said

UNIQUE = "80a083e8-7026-4e79-81be-64bd76c43a11"
STATE = (*CREATED, add("a", 1, 10), add("b", 2, 20), add("c", 4, 40))


def counts(folder: Path) -> tuple[Any, ...]:
    facts = described(folder).table
    assert facts is not None
    return facts.version, facts.files, facts.bytes, said(folder).rows


def agreed(folder: Path) -> tuple[Any, ...]:
    """The counts, where delta-rs reads the same from the same log."""
    table = DeltaTable(str(folder))
    actions = pa.table(table.get_add_actions(flatten=True))
    found = counts(folder)
    sizes = actions.column("size_bytes").to_pylist()
    assert found[:3] == (str(table.version()), actions.num_rows, sum(sizes))
    assert as_spark(described(folder).schema.fields) == by_delta_rs(table)
    return found


def at(folder: Path, version: int, rest: str) -> Path:
    return folder / "_delta_log" / f"{version:020}.{rest}"


def test_the_newest_word_about_a_file_counts(tmp_path: Path) -> None:
    log(tmp_path, STATE, [remove("a"), add("d", 8, 80)], [add("a", 16, 1), remove("c")])
    assert agreed(tmp_path) == ("2", 4 - 1, 2 + 8 + 16, 20 + 80 + 1)


@pytest.mark.parametrize("parsed", [False, True])
def test_commits_count_more_than_a_checkpoint(tmp_path: Path, *, parsed: bool) -> None:
    checkpoint(at(tmp_path, 4, "checkpoint.parquet"), *STATE, remove("z"), parsed=parsed)
    assert agreed(tmp_path) == ("4", 3, 7, 70)
    wider = metadata(column("id"), column("x", "string"))
    log(tmp_path, [wider, remove("b"), add("c", 100, 1)], first=5)
    assert columns(tmp_path) == ["id INT64", "x STRING"]
    assert agreed(tmp_path) == ("5", 2, 101, 11)


def test_a_checkpoint_of_several_parts(tmp_path: Path) -> None:
    for part, one in enumerate((STATE[:2], STATE[2:4], STATE[4:]), 1):
        checkpoint(at(tmp_path, 4, f"checkpoint.{part:010}.{3:010}.parquet"), *one)
    assert agreed(tmp_path) == ("4", 3, 7, 70)


V2 = {"checkpointMetadata": {"version": 4}}
NEEDS_V2 = protocol(3, 7, reader=["v2Checkpoint"], writer=["v2Checkpoint"])


def sidecar(folder: Path, name: str, *actions: Action) -> Action:
    path = checkpoint(folder / "_delta_log/_sidecars" / name, *actions)
    held = {"path": name, "sizeInBytes": path.stat().st_size, "modificationTime": 0}
    return {"sidecar": held}


@pytest.mark.parametrize("form", ["json", "parquet", "plain"])
def test_a_checkpoint_with_sidecars(tmp_path: Path, form: str) -> None:
    sidecars = (
        sidecar(tmp_path, "one.parquet", *STATE[2:4]),
        sidecar(tmp_path, "two.parquet", STATE[4], remove("z")),
    )
    sidecar(tmp_path, "other.parquet", add("of another checkpoint"))
    actions = (V2, NEEDS_V2, CREATED[1], *sidecars)
    name = "checkpoint.parquet" if form == "plain" else f"checkpoint.{UNIQUE}.{form}"
    if form == "json":
        at(tmp_path, 4, name).write_bytes(lines(*actions))
    else:
        checkpoint(at(tmp_path, 4, name), *actions)
    assert agreed(tmp_path) == ("4", 3, 7, 70)


def test_rows_that_are_marked_as_deleted_are_not_counted(tmp_path: Path) -> None:
    needs = protocol(3, 7, reader=["deletionVectors"], writer=["deletionVectors"])
    log(tmp_path, [needs, *STATE[1:]])
    log(tmp_path, [remove("b"), add("b", 2, 20, **vector(1, 3))], first=1)
    assert agreed(tmp_path) == ("1", 3, 7, 67)
    log(tmp_path, [remove("b", **vector(1, 3)), add("b", 2, 20, **vector(9, 5))], first=2)
    assert agreed(tmp_path) == ("2", 3, 7, 65)
    facts = described(tmp_path).table
    assert facts is not None
    assert facts.properties == {"delta.filesWithDeletionVectors": 1}
    checkpoint(at(tmp_path, 2, "checkpoint.parquet"), *STATE[:3], add("b", 2, 20, **vector(9, 5)))
    assert counts(tmp_path) == ("2", 2, 3, 25)


@pytest.mark.parametrize(
    "stats",
    ["", "{}", "no JSON", '{"numRecords": "many"}', '{"numRecords": -1}', '{"minValues": {}}'],
)
def test_rows_are_told_only_where_every_file_tells_them(tmp_path: Path, stats: str) -> None:
    log(tmp_path, [*STATE, add("d", 8, None, stats=stats)])
    assert counts(tmp_path) == ("0", 4, 15, None)


@pytest.mark.parametrize(
    "stats",
    ['{"minValues":{"numRecords":7},"numRecords":5}', ' { "numRecords" : 5 , "a": 1}'],
)
def test_rows_however_statistics_are_written(tmp_path: Path, stats: str) -> None:
    log(tmp_path, [*CREATED, add("d", 8, None, stats=stats)])
    assert counts(tmp_path) == ("0", 1, 8, 5)


def test_statistics_never_leave_the_log(tmp_path: Path) -> None:
    stats = json.dumps({"numRecords": 1, "minValues": {"id": "hidden value"}})
    log(tmp_path, [*CREATED, add("day=hidden%20value/a", 8, None, stats=stats)])
    assert "hidden" not in said(tmp_path).schema


def test_nothing_is_counted_where_commits_speak_of_too_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta_replay, "MOST_FILES", 2)
    log(tmp_path, STATE)
    assert counts(tmp_path) == ("0", None, None, None)


def test_texts_of_statistics_in_a_huge_checkpoint_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta_checkpoint, "MOST_STATISTICS", 10)
    checkpoint(at(tmp_path, 4, "checkpoint.parquet"), *STATE)
    assert counts(tmp_path) == ("4", 3, 7, None)


def test_what_changes_with_time_alone_changes_no_evidence_of_columns(tmp_path: Path) -> None:
    log(tmp_path, STATE, [add("d"), {"commitInfo": {"timestamp": 1}}])
    before = described(tmp_path)
    log(tmp_path, [metadata(column("id"), createdTime=9), remove("d")], first=2)
    after = described(tmp_path)
    assert (before.schema, before.properties, before.storage) == (
        after.schema, after.properties, after.storage,
    )  # fmt: skip


def test_the_format_of_the_log_is_told(tmp_path: Path) -> None:
    log(tmp_path, [protocol(3, 7, reader=["columnMapping"], writer=[]), CREATED[1]])
    assert said(tmp_path).version == "delta reader 3 writer 7"


def test_helpers_of_readers_have_no_say(tmp_path: Path) -> None:
    log(tmp_path, STATE)
    before = said(tmp_path)
    place = tmp_path / "_delta_log"
    (place / "_last_checkpoint").write_text('{"version": 99}')
    (place / f"{0:020}.crc").write_text("no JSON")
    (place / f"{1:020}.json.tmp").write_text("half")
    (place / f"{0:020}.{3:020}.compacted.json").write_bytes(lines(*STATE, add("z")))
    (place / "_commits").mkdir()
    (place / "_commits" / f"{1:020}.{UNIQUE}.json").write_bytes(lines(add("z")))
    assert said(tmp_path) == before
