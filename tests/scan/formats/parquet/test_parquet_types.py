"""Scalar types: each annotation on what it may stand on, and on what it may not."""

from collections.abc import Mapping

import pytest

from tests.scan.formats.parquet.descriptions import described, types
from tests.scan.formats.parquet.footers import (
    BOOLEAN,
    BYTES,
    DECIMAL,
    DOUBLE,
    EMPTY,
    FIXED,
    FLOAT,
    INT32,
    INT64,
    INT96,
    LIST,
    Byte,
    Column,
    Raw,
    Value,
    built,
    group,
    leaf,
    struct,
)

MILLIS, MICROS, NANOS = (struct({number: EMPTY}) for number in (1, 2, 3))


def logical(number: int, said: Mapping[int, Value] | None = None) -> Mapping[int, Value]:
    return {number: struct(said or {})}


def stamp(number: int, unit: Value, *, utc: bool) -> Mapping[int, Value]:
    return logical(number, {1: utc, 2: unit})


def integer(bits: int, *, signed: bool) -> Mapping[int, Value]:
    return logical(10, {1: Byte(bits), 2: signed})


FITTING: tuple[tuple[str, Column], ...] = (
    ("BOOLEAN", leaf("c", BOOLEAN)),
    ("INT32", leaf("c", INT32)),
    ("INT64", leaf("c", INT64)),
    ("TIMESTAMP(ns) as INT96", leaf("c", INT96)),
    ("FLOAT32", leaf("c", FLOAT)),
    ("FLOAT64", leaf("c", DOUBLE)),
    ("BINARY", leaf("c", BYTES)),
    ("FIXED(7)", leaf("c", FIXED, length=7)),
    ("STRING", leaf("c", BYTES, converted=0)),
    ("STRING", leaf("c", BYTES, logical=logical(1))),
    ("ENUM", leaf("c", BYTES, converted=4)),
    ("ENUM", leaf("c", BYTES, logical=logical(4))),
    ("DECIMAL(9,2)", leaf("c", INT32, converted=DECIMAL, precision=9, scale=2)),
    ("DECIMAL(18,0)", leaf("c", INT64, converted=DECIMAL, precision=18)),
    ("DECIMAL(4,4)", leaf("c", FIXED, converted=DECIMAL, precision=4, scale=4, length=2)),
    ("DECIMAL(38,10)", leaf("c", FIXED, logical=logical(5, {1: 10, 2: 38}), length=16)),
    ("DECIMAL(90,1)", leaf("c", BYTES, logical=logical(5, {1: 1, 2: 90}))),
    ("DATE", leaf("c", INT32, converted=6)),
    ("NULL", leaf("c", INT32, converted=24)),
    ("DATE", leaf("c", INT32, logical=logical(6))),
    ("TIME(ms, UTC)", leaf("c", INT32, converted=7)),
    ("TIME(us, UTC)", leaf("c", INT64, converted=8)),
    ("TIME(ms)", leaf("c", INT32, logical=stamp(7, MILLIS, utc=False))),
    ("TIME(ns, UTC)", leaf("c", INT64, logical=stamp(7, NANOS, utc=True))),
    ("TIMESTAMP(ms, UTC)", leaf("c", INT64, converted=9)),
    ("TIMESTAMP(us, UTC)", leaf("c", INT64, converted=10)),
    # What old readers are told must not win over what new ones are.
    ("TIMESTAMP(us)", leaf("c", INT64, converted=10, logical=stamp(8, MICROS, utc=False))),
    ("TIMESTAMP(ns)", leaf("c", INT64, logical=stamp(8, NANOS, utc=False))),
    ("UINT8", leaf("c", INT32, converted=11)),
    ("UINT64", leaf("c", INT64, converted=14)),
    ("INT8", leaf("c", INT32, converted=15)),
    ("INT64", leaf("c", INT64, converted=18)),
    ("INT16", leaf("c", INT32, logical=integer(16, signed=True))),
    ("UINT32", leaf("c", INT32, logical=integer(32, signed=False))),
    ("NULL", leaf("c", INT32, logical=logical(11))),
    ("JSON", leaf("c", BYTES, converted=19)),
    ("JSON", leaf("c", BYTES, logical=logical(12))),
    ("BINARY native BSON", leaf("c", BYTES, converted=20)),
    ("BINARY native BSON", leaf("c", BYTES, logical=logical(13))),
    ("INTERVAL", leaf("c", FIXED, converted=21, length=12)),
    ("UUID", leaf("c", FIXED, logical=logical(14), length=16)),
    ("FLOAT16", leaf("c", FIXED, logical=logical(15), length=2)),
    ("UNKNOWN('geometry')", leaf("c", BYTES, logical=logical(17))),
    ("UNKNOWN('geometry(EPSG:4326)')", leaf("c", BYTES, logical=logical(17, {1: "EPSG:4326"}))),
    (
        "UNKNOWN('geography(EPSG:4326, karney)')",
        leaf("c", BYTES, logical=logical(18, {1: "EPSG:4326", 2: 4})),
    ),
)


@pytest.mark.parametrize(("expected", "column"), FITTING, ids=lambda one: str(one)[:24])
def test_a_type_is_what_its_annotation_says(expected: str, column: Column) -> None:
    found = described(built(column))
    assert types(built(column)) == {"c": expected}
    assert found.notes == ()


CONTRADICTING: tuple[tuple[str, Column], ...] = (
    ("INT32", leaf("c", INT32, converted=0)),
    ("BINARY", leaf("c", BYTES, converted=6)),
    ("INT64", leaf("c", INT64, converted=6)),
    ("INT32", leaf("c", INT32, converted=9)),
    ("TIMESTAMP(ns) as INT96", leaf("c", INT96, converted=9)),
    ("INT32", leaf("c", INT32, logical=stamp(7, MICROS, utc=True))),
    ("INT64", leaf("c", INT64, logical=stamp(8, EMPTY, utc=True))),
    ("INT64", leaf("c", INT64, logical=logical(8, {2: "ms"}))),
    ("INT64", leaf("c", INT64, converted=15)),
    ("INT32", leaf("c", INT32, logical=integer(64, signed=True))),
    ("INT32", leaf("c", INT32, logical=integer(7, signed=True))),
    ("INT32", leaf("c", INT32, converted=DECIMAL, precision=10, scale=2)),
    ("INT64", leaf("c", INT64, converted=DECIMAL, precision=19)),
    ("INT64", leaf("c", INT64, converted=DECIMAL)),
    ("INT64", leaf("c", INT64, converted=DECIMAL, precision=2, scale=3)),
    ("INT64", leaf("c", INT64, converted=DECIMAL, precision=2, scale=-1)),
    ("INT64", leaf("c", INT64, logical=logical(5, {1: "2", 2: "9"}))),
    ("FIXED(2)", leaf("c", FIXED, converted=DECIMAL, precision=5, length=2)),
    ("FIXED(0)", leaf("c", FIXED, converted=DECIMAL, precision=1, length=0)),
    ("FLOAT64", leaf("c", DOUBLE, converted=DECIMAL, precision=1)),
    ("BINARY", leaf("c", BYTES, logical=logical(14))),
    ("FIXED(15)", leaf("c", FIXED, logical=logical(14), length=15)),
    ("FIXED(4)", leaf("c", FIXED, logical=logical(15), length=4)),
    ("FIXED(16)", leaf("c", FIXED, converted=21, length=16)),
    ("INT32", leaf("c", INT32, logical=logical(17))),
)


@pytest.mark.parametrize(("expected", "column"), CONTRADICTING, ids=lambda one: str(one)[:24])
def test_an_annotation_that_does_not_fit_leaves_the_stored_type(
    expected: str, column: Column
) -> None:
    found = described(built(column))
    assert types(built(column)) == {"c": expected}
    assert found.notes == ("`c` has an annotation that does not fit it",)


def test_the_annotation_of_a_group_says_nothing_of_a_column() -> None:
    found = described(built(leaf("c", BYTES, converted=LIST)))
    assert found.notes == ("`c` has the annotation of a group",)
    assert types(built(leaf("c", BYTES, converted=LIST))) == {"c": "BINARY"}


def test_the_annotation_of_a_column_says_nothing_of_a_group() -> None:
    column = group("c", leaf("x"), converted=0)
    assert described(built(column)).notes == ("`c` has an annotation that does not fit it",)
    assert types(built(column)) == {"c": "STRUCT<x: INT32>"}


def test_an_annotation_of_the_future_is_unknown_and_keeps_its_number() -> None:
    column = leaf("c", FIXED, logical=logical(99, {1: "x", 2: [EMPTY]}), length=3)
    assert types(built(column)) == {"c": "UNKNOWN('logical type 99 (FIXED_LEN_BYTE_ARRAY(3))')"}
    assert described(built(column)).notes == ("`c` has an annotation that is not known yet",)


def test_an_annotation_of_the_future_beside_an_old_one_leaves_the_old_one() -> None:
    column = leaf("c", BYTES, logical=logical(99), converted=0)
    assert types(built(column)) == {"c": "STRING"}


LISTS, SETS, MAPS, BOOLS = 9, 10, 11, 2
MEMBERS = {
    "booleans": Raw(LISTS, bytes([2 << 4 | BOOLS, 1, 2])),
    "booleans as older writers number them": Raw(LISTS, bytes([2 << 4 | 1, 1, 0])),
    "sixteen booleans": Raw(LISTS, bytes([15 << 4 | BOOLS, 16, *[1] * 16])),
    "no booleans": Raw(LISTS, bytes([BOOLS])),
    "a set of booleans": Raw(SETS, bytes([2 << 4 | BOOLS, 1, 2])),
    "booleans by booleans": Raw(MAPS, bytes([2, BOOLS << 4 | BOOLS, 1, 2, 2, 1])),
    "booleans by names": Raw(MAPS, bytes([1, 8 << 4 | BOOLS, 1, ord("k"), 1])),
    "lists of booleans": Raw(LISTS, bytes([2 << 4 | LISTS, 1 << 4 | BOOLS, 1, 1 << 4 | BOOLS, 2])),
    "a struct with booleans": Raw(12, struct({1: True, 2: Raw(LISTS, b"\x12\x01"), 3: False})),
    "bytes": Raw(LISTS, bytes([3 << 4 | 3, 1, 2, 3])),
    "doubles": Raw(LISTS, bytes([1 << 4 | 7]) + b"\xff" * 8),
    "a UUID": Raw(13, b"\xff" * 16),
}  # fmt: skip


@pytest.mark.parametrize("says", MEMBERS)
def test_what_a_later_version_adds_to_a_column_is_skipped(says: str) -> None:
    """An element of a list of booleans takes a byte; as a member a boolean takes none."""
    a, b = leaf("a", INT32), leaf("b", BYTES, converted=0)
    odd = a._replace(fields={99: MEMBERS[says], **a.fields, 100: MEMBERS[says]})
    assert types(built(odd, b)) == {"a": "INT32", "b": "STRING"}


def test_a_stored_type_of_the_future_is_unknown() -> None:
    assert types(built(leaf("c", 8))) == {"c": "UNKNOWN('physical type 8')"}


def test_a_fixed_length_that_is_not_told_is_unknown() -> None:
    assert types(built(leaf("c", FIXED))) == {"c": "UNKNOWN('FIXED_LEN_BYTE_ARRAY')"}


def test_a_column_that_says_nothing_of_nulls_may_have_them() -> None:
    assert types(built(leaf("c", INT32, None))) == {"c": "INT32"}


def test_notes_come_to_an_end() -> None:
    columns = [leaf(f"c{number}", INT32, converted=0) for number in range(100)]
    notes = described(built(*columns)).notes
    assert len(notes) == 21
    assert notes[-1] == "more is odd in the same way"
