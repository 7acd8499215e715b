"""Marks of fields that the newest partition lacks or has otherwise: a function of the data."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.type_syntax import parse_type
from lumos_snap.model.types import Field
from lumos_snap.scan.dataset import Evidence
from lumos_snap.scan.description import DatasetDescription, describe_dataset
from lumos_snap.scan.grouping.time_values import TimeValue
from lumos_snap.scan.newest_data import find_absent, find_newest_types
from lumos_snap.schema import document_of, value_of
from tests.strategies import LAW, SMALL

AVRO = {"boolean": "boolean", "int": "int", "long": "long", "string": "string"}
File = tuple[TimeValue, Mapping[str, Any]]
"""The time of a file's partition, and the types of its columns."""


def _line(columns: Mapping[str, Any]) -> dict[str, Any]:
    """What a task tells of an Avro file."""
    fields = [{"name": name, "type": kind} for name, kind in columns.items()]
    return {
        "format": "avro",
        "schema": json.dumps({"type": "record", "name": "R", "fields": fields}),
        "files": 1,
        "rows": 1,
        "versions": [],
        "codecs": [],
        "examples": [f"{sorted(columns)}"],
    }


def _described(files: Iterable[File], count: int = 1, doubt: str = "") -> DatasetDescription:
    evidence = Evidence(count)
    for time, columns in files:
        evidence.add(_line(columns), [time])
    return describe_dataset(evidence, doubt)


def _marked(found: DatasetDescription, before: Schema | None = None) -> Schema:
    assert found.newest is not None
    return found.newest.mark(found.united.schema, before or Schema())


def _absent(files: Iterable[File], count: int = 1) -> set[str]:
    return set(find_absent(_marked(_described(files, count))))


DAYS = tuple((2026, 1, day) for day in range(1, 6))
TYPES = st.sampled_from(sorted(AVRO))
COLUMNS = st.dictionaries(st.sampled_from("abcd"), TYPES, min_size=1)
HISTORIES = st.lists(st.tuples(st.sampled_from((*DAYS, ())), COLUMNS), min_size=1, max_size=12)


@SMALL
@given(HISTORIES, st.integers(1, 3), st.randoms())
def test_absent_is_what_no_file_of_the_newest_partitions_has(
    files: list[File], count: int, random: Any
) -> None:
    every = {name for _, columns in files for name in columns}
    newest = sorted({time for time, _ in files if time})[-count:]
    there = {name for time, columns in files if time in newest for name in columns}
    shuffled = [*files, *files[:2]]
    random.shuffle(shuffled)
    found = _described(shuffled, count)
    if not newest:
        assert found.newest is None
        return
    assert set(find_absent(_marked(found))) == every - there
    assert _marked(found) == _marked(_described(files, count))


@LAW
@given(HISTORIES, st.integers(1, 3))
def test_a_type_is_marked_where_the_newest_partitions_have_another(
    files: list[File], count: int
) -> None:
    newest = sorted({time for time, _ in files if time})[-count:]
    found = _described(files, count)
    if found.newest is None:
        return
    alone = _described([(time, one) for time, one in files if time in newest], count)
    own = {one.name: (one.type, one.native) for one in alone.united.schema.fields}
    merged = {one.name: (one.type, one.native) for one in found.united.schema.fields}
    marked = dict(find_newest_types(_marked(found)))
    assert set(marked) == {name for name in own if own[name] != merged[name]}


@LAW
@given(HISTORIES, st.lists(st.tuples(st.sampled_from(DAYS[:2]), COLUMNS)))
def test_late_data_neither_sets_nor_clears_a_mark(files: list[File], late: list[File]) -> None:
    """Only what is in the newest partition decides; older data can add columns that it lacks."""
    files = [*files, (DAYS[-1], {"a": "long"})]
    before, after = _absent(files), _absent([*files, *late])
    assert before <= after
    assert after - before <= {name for _, columns in late for name in columns}


@LAW
@given(HISTORIES)
def test_where_there_is_a_doubt_no_mark_is_added(files: list[File]) -> None:
    sure, unsure = _described(files), _described(files, doubt="a folder cannot be listed")
    if sure.newest is None:
        return
    assert _marked(unsure) == _marked(unsure, before=Schema())
    assert not find_absent(_marked(unsure))
    assert find_absent(_marked(unsure, before=_marked(sure))) == find_absent(_marked(sure))


def _nested(*names: str) -> dict[str, Any]:
    fields = [{"name": name, "type": "long"} for name in names]
    return {"type": "record", "name": names[0], "fields": fields}


def test_members_are_marked_where_their_struct_is_there() -> None:
    old = {"place": _nested("city", "zip"), "tags": {"type": "array", "items": _nested("x", "y")}}
    new = {"place": _nested("city"), "tags": {"type": "array", "items": _nested("x")}}
    assert _absent([(DAYS[0], old), (DAYS[1], new)]) == {"place.zip", "tags[].y"}
    assert _absent([(DAYS[0], old), (DAYS[1], {"id": "long"})]) == {"place", "tags"}


def test_a_type_inside_a_list_is_marked_at_the_field() -> None:
    def table(kind: str) -> dict[str, Any]:
        return {"tags": {"type": "array", "items": kind}}

    found = _marked(_described([(DAYS[0], table("long")), (DAYS[1], table("int"))]))
    assert find_newest_types(found) == (("tags", "ARRAY<INT32 NOT NULL>"),)


def test_a_file_without_columns_tells_nothing() -> None:
    files: Sequence[File] = [(DAYS[0], {"a": "long"}), (DAYS[1], {"b": "long"}), (DAYS[2], {})]
    assert _absent(files) == {"a"}


def test_a_bad_file_in_the_newest_partition_leaves_a_doubt() -> None:
    evidence = Evidence()
    evidence.add(_line({"a": "long", "b": "long"}), [DAYS[0]])
    evidence.add(_line({"a": "long"}), [DAYS[1]])
    evidence.add({"reason": "damaged", "detail": "x", "path": "p"}, [DAYS[0]])
    assert find_absent(_marked(describe_dataset(evidence))) == ("b",)
    evidence.add({"reason": "damaged", "detail": "x", "path": "q"}, [DAYS[1]])
    found = describe_dataset(evidence)
    assert find_absent(_marked(found)) == ()
    (note,) = found.notes
    assert note == (
        "b may be absent from the newest partition, 2026-01-02; the last partition with it is "
        "2026-01-01; some of its files cannot be read"
    )


def test_the_last_partition_is_the_newest_that_has_the_field() -> None:
    files = [(day, {"a": "long", "b": "long"}) for day in DAYS[:3]]
    found = _described([*files, (DAYS[3], {"a": "long"})])
    assert found.newest is not None
    assert found.newest.last == {"b": "2026-01-03"}
    (note,) = found.notes
    assert note == (
        "b is absent from the newest partition, 2026-01-04; the last partition with it is "
        "2026-01-03"
    )


def test_several_partitions_are_named() -> None:
    files = [(day, {"a": "long", **({"b": "long"} if day == DAYS[0] else {})}) for day in DAYS]
    (note,) = _described(files, 3).notes
    assert note == (
        "b is absent from the 3 newest partitions, 2026-01-03 to 2026-01-05; the last partition"
        " with it is 2026-01-01"
    )


@pytest.mark.parametrize("text", ["INT64", "DECIMAL(10,2)", "STRUCT<a: INT8>", "ARRAY<STRING>"])
def test_marks_are_stored(text: str) -> None:
    kind = parse_type(text)
    own = {
        name: getattr(kind, name) for name in ("type", "precision", "scale", "element", "fields")
    }
    one = Field(name="x", nullable=True, absent=True, newest_type="INT8", **own)
    schema = Schema(fields=(one,))
    assert value_of(document_of(schema), Schema) == schema
    assert [format_path(path) for path, held in walk(schema.fields) if held is one] == ["x"]
