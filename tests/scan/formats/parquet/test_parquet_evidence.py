"""The evidence: the same for the same schema, whatever the data; and why a file has none."""

import base64
import io
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.parquet import metadata as parquet_metadata
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.stores.store import BadFileError, RangedFile
from tests.scan.formats.parquet.descriptions import described, probed, types
from tests.scan.formats.parquet.footers import (
    INT32,
    Column,
    Long,
    Struct,
    built,
    framed,
    group,
    leaf,
    metadata,
    struct,
)


def arrow_file(rows: int) -> bytes:
    target = io.BytesIO()
    values = [f"a value {number}" for number in range(rows)]
    table = pa.table({"s": values, "d": pa.array(values).dictionary_encode(), "n": range(rows)})
    pq.write_table(table, target, row_group_size=100)
    return target.getvalue()


def pandas_file(rows: int) -> bytes:
    target = io.BytesIO()
    values = [f"a value {number}" for number in range(rows)]
    pd.DataFrame({"s": values, "c": pd.Categorical(values)}).to_parquet(target)
    return target.getvalue()


def polars_file(rows: int) -> bytes:
    target = io.BytesIO()
    values = [f"a value {number}" for number in range(rows)]
    frame = pl.DataFrame({"s": values, "c": pl.Series(values, dtype=pl.Categorical)})
    frame.write_parquet(target)
    return target.getvalue()


@pytest.mark.parametrize("write", [arrow_file, pandas_file, polars_file])
def test_evidence_does_not_follow_the_data(write) -> None:
    small, large = probed(write(3)), probed(write(1000))
    assert small.schema == large.schema
    assert (small.rows, large.rows) == (3, 1000)
    assert "a value" not in large.schema


def test_evidence_is_the_same_whether_or_not_the_schema_was_seen_before() -> None:
    data = [pandas_file(2), arrow_file(2), built(leaf("a")), built(leaf("a"), leaf("b"))]
    parquet_probe._known.clear()
    first = [probed(one) for one in data]
    assert [probed(one) for one in data] == first


def test_a_schema_that_begins_like_another_is_its_own() -> None:
    parquet_probe._known.clear()
    one, two = (probed(built(*[leaf(f"c{n}") for n in range(many)])).schema for many in (14, 15))
    assert len(json.loads(one)["columns"]) == 14
    assert len(json.loads(two)["columns"]) == 15


def test_what_is_remembered_stays_small() -> None:
    for number in range(3 * parquet_probe.MOST_KNOWN):
        probed(built(leaf(f"c{number}"), words={"pandas": f'{{"index_columns": ["{number}"]}}'}))
    wide = [leaf(f"column_{number}") for number in range(10_000)]
    probed(built(*wide))
    assert len(parquet_probe._known) <= parquet_probe.MOST_KNOWN
    assert max(map(len, parquet_probe._known)) <= parquet_probe.LARGEST_KNOWN
    assert len(parquet_metadata._known) <= parquet_metadata.MOST_KNOWN


def refusal(data: bytes) -> tuple[str, str]:
    with pytest.raises(BadFileError) as caught:
        probed(data)
    return caught.value.reason, caught.value.detail


def with_elements(*elements: Struct) -> bytes:
    return framed(struct({1: 1, 2: list(elements), 3: Long(0), 4: []}))


ROOT = struct({4: "schema", 5: 1})
HUGE = b"\xff\xff\xff\xff\x07"  # a number of 31 bits


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", error_codes.EMPTY),
        (b"PAR1", error_codes.DAMAGED),
        (b"PAR1PAR1", error_codes.DAMAGED),
        (b"PAR1\x00\x00\x00\x00PAR1", error_codes.DAMAGED),
        (b"PAR1" + b"\x00" * 100, error_codes.TRUNCATED),
        (b"PARE" + b"\x00" * 100, error_codes.TRUNCATED),
        (b"nothing of the kind", error_codes.DAMAGED),
        (b"PAR1" + b"\xff" * 4 + b"PAR1", error_codes.DAMAGED),
        (framed(b""), error_codes.DAMAGED),
        (framed(b"\x00"), error_codes.DAMAGED),
        (framed(b"\xff" * 50), error_codes.DAMAGED),
        (framed(b"\x15\x02\x19\xfc" + HUGE), error_codes.DAMAGED),
        (framed(b"\x15\x02\x19\xfc" + b"\xff" * 40), error_codes.DAMAGED),
        (framed(b"\x15\x02\x19\x1c\x48" + HUGE + b"x"), error_codes.DAMAGED),
        (framed(b"\x15\x02\x19\x0c"), error_codes.DAMAGED),
        (framed(b"\x15\x02\x19\x15\x02\x00"), error_codes.DAMAGED),
        (framed(b"\x1c" * 10_000), error_codes.DAMAGED),
        (framed(b"\x19" * 10_000), error_codes.DAMAGED),
        (with_elements(ROOT), error_codes.DAMAGED),
        (with_elements(ROOT, struct({4: "a"}), struct({4: "b"})), error_codes.DAMAGED),
        (with_elements(ROOT, struct({4: "a", 5: 3})), error_codes.DAMAGED),
        (with_elements(ROOT, struct({4: "a", 5: -1})), error_codes.DAMAGED),
        (with_elements(ROOT, struct({1: INT32})), error_codes.DAMAGED),
        (with_elements(ROOT, struct({3: 3, 4: "a"})), error_codes.DAMAGED),
        (with_elements(ROOT, struct({4: "a", 9: 2**40})), error_codes.DAMAGED),
        (with_elements(*[ROOT] * (parquet_probe.MOST_COLUMNS + 1)), error_codes.TOO_LARGE),
    ],
    ids=range(26),
)  # fmt: skip
def test_a_bad_file_has_a_reason(data: bytes, reason: str) -> None:
    assert refusal(data)[0] == reason


def test_a_footer_beyond_the_limit_is_not_read() -> None:
    length = parquet_probe.MOST_FOOTER + 1
    tail = bytes(65_536 - 8) + length.to_bytes(4, "little") + b"PAR1"

    def read(offset: int, length: int) -> bytes:
        assert length <= 65_536
        return tail[-length:]

    with pytest.raises(BadFileError) as caught:
        parquet_probe.probe(RangedFile(2**40, read))
    assert caught.value.reason == error_codes.TOO_LARGE


def test_a_file_that_shrinks_while_it_is_read_is_truncated() -> None:
    data = built(*[leaf(f"a_rather_long_name_{number}") for number in range(5000)])
    size = len(data)
    with pytest.raises(BadFileError) as caught:
        parquet_probe.probe(
            RangedFile(size, lambda offset, _: data[offset:] if size - offset < 70_000 else b"")
        )
    assert caught.value.reason == error_codes.TRUNCATED


def test_what_the_system_refuses_passes_through() -> None:
    def read(offset: int, length: int) -> bytes:
        raise PermissionError(offset, length)

    with pytest.raises(PermissionError):
        parquet_probe.probe(RangedFile(100, read))


def test_only_the_footer_is_read() -> None:
    data = arrow_file(20_000)
    read = []

    def range_of(offset: int, length: int) -> bytes:
        read.append(length)
        return data[offset : offset + length]

    assert parquet_probe.probe(RangedFile(len(data), range_of)).rows == 20_000
    footer = int.from_bytes(data[-8:-4], "little")
    assert sum(read) <= 65_536 + footer + 8 < len(data)


class _Kms(pe.KmsClient):  # type: ignore[misc]
    def __init__(self) -> None:
        pe.KmsClient.__init__(self)

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        return base64.b64encode(master_key_identifier.encode() + key_bytes)


def encrypted(*, plaintext_footer: bool) -> bytes:
    factory = pe.CryptoFactory(lambda _: _Kms())
    settings = pe.EncryptionConfiguration(
        footer_key="f" * 16, column_keys={"c" * 16: ["a"]}, plaintext_footer=plaintext_footer
    )
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), settings)
    table, target = pa.table({"a": [1], "b": ["x"]}), io.BytesIO()
    with pq.ParquetWriter(target, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    return target.getvalue()


def test_an_encrypted_footer_says_nothing() -> None:
    assert refusal(encrypted(plaintext_footer=False))[0] == error_codes.ENCRYPTED


def test_encrypted_columns_under_an_open_footer_are_described() -> None:
    data = encrypted(plaintext_footer=True)
    assert types(data) == {"a": "INT64", "b": "STRING"}
    assert described(data).notes == ("columns are encrypted: their types are known all the same",)
    assert probed(data).codecs == ("snappy",)


def test_names_that_are_no_text_are_spelled_out() -> None:
    odd = Column({1: INT32, 3: 1, 4: b"a\xff"})
    assert types(built(odd)) == {"a\\xff": "INT32"}


def test_numbers_of_rows_that_cannot_be_are_none() -> None:
    assert probed(framed(metadata(leaf("a"), rows=-1))).rows is None


def test_fields_that_are_not_known_are_passed_over() -> None:
    more = struct({1: 1, 2: [struct({1: "x"})], 300: Long(1), 4: True, 5: b"\x00"})
    element = struct({1: INT32, 3: 1, 4: "a", 11: more, 12: [more], 400: 1})
    footer = struct({1: 1, 2: [ROOT, element], 3: Long(5), 4: [], 77: more})
    assert probed(framed(footer)) == ProbeResult("parquet", _A, 5, "1", ())


_A = '{"columns":[{"type":1,"repetition":1,"name":"a"}]}'


def test_maps_and_doubles_are_passed_over_too() -> None:
    # A map of numbers to texts, an empty map, a double and a set before the schema.
    odd = b"\x1b\x01\x58\x02\x01x" + b"\x1b\x00" + b"\x17" + bytes(8) + b"\x1a\x25\x02\x04"
    rest = metadata(leaf("a"))
    version, schema_on = rest[:2], rest[2:]
    assert version == b"\x15\x02"
    data = odd + b"\x09\x04" + schema_on[1:]
    assert probed(framed(data)).schema == _A


def test_a_codec_of_the_future_keeps_its_number() -> None:
    chunk = struct({2: Long(4), 3: struct({4: 42})})
    row_group = struct({1: [chunk], 2: Long(0)})
    element = struct({1: INT32, 3: 1, 4: "a"})
    footer = struct({1: 1, 2: [ROOT, element], 3: Long(5), 4: [row_group]})
    assert probed(framed(footer)).codecs == ("codec-42",)


def test_evidence_has_no_name_of_the_root() -> None:
    assert "schema" not in probed(built(group("g", leaf("a")))).schema
