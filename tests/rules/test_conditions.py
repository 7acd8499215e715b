"""Conditions of rules over all readers of a dataset, and over both sides of a change."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lumos_snap.config.settings import Policy
from lumos_snap.diff import compare
from lumos_snap.rules.contract_conditions import seconds
from lumos_snap.rules.judge import judge
from tests.rules.fixtures import TODAY

ID = {"name": "id", "type": "INT64", "nullable": False}
NOTE = {"name": "note", "type": "STRING", "nullable": True}
MORE = {"name": "more", "type": "STRING", "nullable": True}
PARQUET = {"format": "parquet"}
NO_HEADER = {"format": "csv", "options": {"header": "false"}}
HEADER = {"format": "csv", "options": {"header": "true", "enforceSchema": "false"}}


def dataset(
    *columns: Mapping[str, Any], storage: Mapping[str, Any] = PARQUET, **sections: Any
) -> dict[str, Any]:
    return {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/a",
        "name": "a",
        "platform": "s3",
        "storage": dict(storage),
        "schema": {"fields": list(columns)},
        **sections,
    }


def slugs(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    return {one.rule.slug for one in judge(compare("lumos://s3/lake/a", old, new), Policy(), TODAY)}


BY_ID, BY_NAME = "iceberg", "delta"
WITH_ALIASES, WITHOUT = "avro", "generic"
FILLS, LEAVES = "spark-4", "pyarrow"
IGNORES_CASE, TELLS_CASE = "spark-4", "pyarrow"


@pytest.mark.parametrize(
    ("old", "new", "readers", "rule"),
    [
        ({"id": 2}, {"id": 3}, [BY_ID, BY_NAME], "field-id-changed"),
        ({"id": 2}, {"id": 3}, [BY_NAME], "field-id-noted"),
        ({"id": 2}, {}, [BY_ID, BY_NAME], "field-id-lost"),
        ({"id": 2}, {}, [BY_NAME], "field-id-noted"),
        ({"aliases": ["n"]}, {}, [WITH_ALIASES, WITHOUT], "alias-removed"),
        ({"aliases": ["n"]}, {}, [WITHOUT], "alias-changed"),
        ({"id": 2}, {"id": 2, "name": "text"}, [BY_ID], "field-renamed"),
        ({"id": 2}, {"id": 2, "name": "text"}, [BY_ID, BY_NAME], "field-renamed-unread"),
        ({"id": 2}, {"id": 2, "name": "NOTE"}, [IGNORES_CASE], "field-case-changed"),
        (
            {"id": 2},
            {"id": 2, "name": "NOTE"},
            [IGNORES_CASE, TELLS_CASE],
            "field-case-unmatched",
        ),
    ],
)
def test_of_several_readers_the_one_that_is_worse_off_decides(
    old: Mapping[str, Any], new: Mapping[str, Any], readers: Sequence[str], rule: str
) -> None:
    contract = {"readers": list(readers)}
    sides = (dataset({**ID, "id": 1}, {**NOTE, **one}, contract=contract) for one in (old, new))
    assert slugs(*sides) == {rule}


@pytest.mark.parametrize(
    ("added", "readers", "rule"),
    [
        ({"name": "n", "nullable": False}, [FILLS], "required-field-added"),
        (
            {"name": "n", "nullable": False, "default": '"-"'},
            [FILLS],
            "required-field-added-with-default",
        ),
        (
            {"name": "n", "nullable": False, "default": '"-"'},
            [FILLS, LEAVES],
            "required-field-added",
        ),
        ({"name": "ID"}, [IGNORES_CASE, TELLS_CASE], "case-collision"),
        ({"name": "ID"}, [TELLS_CASE], "field-added"),
    ],
)
def test_an_added_column_must_suit_all_readers(
    added: Mapping[str, Any], readers: Sequence[str], rule: str
) -> None:
    contract = {"readers": list(readers)}
    assert slugs(
        dataset(ID, contract=contract), dataset(ID, {**NOTE, **added}, contract=contract)
    ) == {rule}


@pytest.mark.parametrize(
    ("before", "after", "found_by"),
    [
        (NO_HEADER, NO_HEADER, "position"),
        (NO_HEADER, HEADER, "header"),
        (HEADER, NO_HEADER, "position"),
        (HEADER, HEADER, "header"),
        (PARQUET, NO_HEADER, "position"),
        (NO_HEADER, PARQUET, "position"),
        (PARQUET, PARQUET, "name"),
    ],
)
def test_a_side_that_is_read_by_position_is_enough(
    before: Mapping[str, Any], after: Mapping[str, Any], found_by: str
) -> None:
    three, two = (ID, MORE, NOTE), (ID, NOTE)
    for old, new, rules in (
        (two, three, {"position": "field-inserted", "name": "field-added"}),
        (three, two, {"position": "field-cut-out", "name": "field-removed"}),
    ):
        found = slugs(dataset(*old, storage=before), dataset(*new, storage=after))
        known = {**rules, "header": "header-contradicted"}
        assert {by for by, rule in known.items() if rule in found} == {found_by}


def test_words_with_a_path_that_cannot_be_read_do_not_hide_what_breaks() -> None:
    words = {"fields": [{"path": "note[", "description": "x"}]}
    found = slugs(dataset(ID, NOTE, documentation=words), dataset(ID))
    assert found == {"field-removed", "documentation-changed"}


@pytest.mark.parametrize("name", ["day", "the day", "a.b"])
@pytest.mark.parametrize(
    ("form", "partition", "change", "rule"),
    [
        ("iceberg", {"source": "id"}, {"type": "INT32"}, "hidden-partition-changed"),
        ("hive", {"source": "id"}, {"type": "INT32"}, "derived-partition-retyped"),
        ("iceberg", {}, {"type": "INT32"}, "partition-retyped"),
        ("hive", {}, {"type": "INT32"}, "partition-retyped"),
        ("iceberg", {"source": "id"}, None, "hidden-partition-changed"),
        ("iceberg", {}, None, "partition-removed"),
    ],
)
def test_a_partition_is_judged_by_where_its_values_come_from_whatever_its_name(
    name: str, form: str, partition: dict[str, str], change: dict[str, str] | None, rule: str
) -> None:
    """One beside it gets its values in the other way."""
    held = {"name": name, "type": "DATE", **partition}
    other = {"name": "other", "type": "DATE", **({} if partition else {"source": "id"})}
    old, new = (
        dataset(ID, storage={"format": form, "partitioning": [*listed, other]})
        for listed in ([held], [] if change is None else [{**held, **change}])
    )
    assert rule in slugs(old, new)


@pytest.mark.parametrize(
    ("before", "after", "is_lower"),
    [
        ("internal", "public", True),
        ("public", "internal", False),
        ("internal", "unheard-of", True),
        ("public", "unheard-of", True),
        ("unheard-of", "restricted", True),
        ("unheard-of", "odd", True),
        ("internal", None, True),
        (None, "internal", False),
    ],
)
def test_a_class_that_may_be_less_secret_counts_as_less(
    before: str | None, after: str | None, is_lower: bool
) -> None:
    old, new = (
        dataset(ID, governance={} if one is None else {"classification": one})
        for one in (before, after)
    )
    assert ("classification-lowered" in slugs(old, new)) == is_lower


@pytest.mark.parametrize(
    ("duration", "known"),
    [
        ("PT0S", 0),
        ("PT60M", 3_600),
        ("PT1H", 3_600),
        ("P1D", 86_400),
        ("P1W", 604_800),
        ("P1Y", 31_557_600),
        ("P1M", 2_629_800),
        ("P1DT1H1M1.5S", 90_061.5),
        ("P", None),
        ("PT", None),
        ("soon", None),
    ],
)
def test_a_duration_is_so_many_seconds(duration: str, known: float | None) -> None:
    assert seconds(duration) == known


LETTERS = {"name": "e", "type": "ENUM", "symbols": ["a", "b"], "nullable": False}
FEWER = {**LETTERS, "symbols": ["a"]}
WITH_DEFAULT = {**LETTERS, "symbol_default": "a"}


def test_of_two_columns_of_one_name_a_change_is_judged_by_the_one_that_changed() -> None:
    def removal(*columns: Mapping[str, Any]) -> set[str]:
        return slugs(dataset(*columns), dataset(FEWER, *columns[1:]))

    assert removal(LETTERS, WITH_DEFAULT) == removal(LETTERS, LETTERS) == removal(LETTERS)


def test_a_column_of_a_struct_has_its_name_among_the_columns_of_that_struct() -> None:
    def struct(*columns: Mapping[str, Any]) -> dict[str, Any]:
        return {"name": "s", "type": "STRUCT", "fields": list(columns), "nullable": True}

    old = dataset(NOTE, struct(ID))
    assert "field-name-repeated" not in slugs(old, dataset(NOTE, struct(ID, NOTE)))
    old = dataset(struct(NOTE))
    assert "field-name-repeated" in slugs(old, dataset(struct(NOTE, NOTE)))


def test_where_every_column_goes_none_is_cut_out() -> None:
    day = {"name": "day", "type": "DATE", "nullable": True}
    sides = (dataset(*columns, storage=NO_HEADER) for columns in ((ID, NOTE), (day,)))
    found = slugs(*sides)
    assert "field-removed" in found
    assert "field-cut-out" not in found


MICROS = {"name": "at", "type": "TIMESTAMP", "unit": "us", "nullable": True}
NANOS = {**MICROS, "unit": "ns"}


@pytest.mark.parametrize(
    ("old", "new", "readers", "is_breaking"),
    [
        (MICROS, NANOS, ["spark-4"], True),
        (MICROS, NANOS, [], True),  # Parquet is asked as Spark reads it
        (MICROS, {**NANOS, "physical": "INT96"}, ["spark-4"], False),
        (None, NANOS, ["spark-4"], True),
        (None, {**NANOS, "physical": "INT96"}, ["spark-4"], False),
        (None, {**MICROS, "type": "TIME"}, ["spark-4"], True),
        (None, {**MICROS, "type": "TIME"}, ["pyarrow"], False),
    ],
)
def test_new_files_must_be_readable_too(
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any],
    readers: Sequence[str],
    is_breaking: bool,
) -> None:
    contract = {"contract": {"readers": list(readers)}} if readers else {}
    before = dataset(ID, *([old] if old else []), **contract)
    found = judge(
        compare("lumos://s3/lake/a", before, dataset(ID, new, **contract)), Policy(), TODAY
    )
    assert any(one.level.is_breaking for one in found) is is_breaking
