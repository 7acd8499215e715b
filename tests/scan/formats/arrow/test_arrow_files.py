"""Arrow files and streams: what each type becomes, and why a file has no schema."""

import io
import json
import random
import warnings

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

from lumos_snap.canonical.api import decode
from lumos_snap.canonical.encode import encode
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import MAX_LEVELS, DataType, Field
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats import detect
from lumos_snap.scan.formats.arrow import probe as arrow_probe
from lumos_snap.scan.formats.arrow.schema import schema_of
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import BadFileError, RangedFile


def as_file(data: bytes) -> RangedFile:
    return RangedFile(len(data), lambda offset, length: data[offset : offset + length])


def probed(data: bytes) -> ProbeResult:
    is_stream = data.startswith(arrow_probe.MAGIC_STREAM)
    return (arrow_probe.probe_stream if is_stream else arrow_probe.probe)(as_file(data))


def described(data: bytes) -> DatasetSchema:
    return schema_of(json.loads(probed(data).schema))


def line(one: DataType) -> str:
    words = [format_type(one)]
    words += [f"as {one.physical}"] if one.physical else []
    words += [f"native {one.native}"] if one.native and one.type != "UNKNOWN" else []
    return " ".join(words)


def file_of(table: pa.Table) -> bytes:
    target = io.BytesIO()
    with pa.ipc.new_file(target, table.schema) as writer:
        writer.write_table(table)
    return target.getvalue()


def stream_of(table: pa.Table) -> bytes:
    target = io.BytesIO()
    with pa.ipc.new_stream(target, table.schema) as writer:
        writer.write_table(table)
    return target.getvalue()


def empty(schema: pa.Schema, *, stream: bool = False) -> bytes:
    target = io.BytesIO()
    (pa.ipc.new_stream if stream else pa.ipc.new_file)(target, schema).close()
    return target.getvalue()


TYPES: tuple[tuple[pa.DataType, str], ...] = (
    (pa.null(), "NULL"),
    (pa.bool_(), "BOOLEAN"),
    (pa.int8(), "INT8"),
    (pa.int16(), "INT16"),
    (pa.int32(), "INT32"),
    (pa.int64(), "INT64"),
    (pa.uint8(), "UINT8"),
    (pa.uint16(), "UINT16"),
    (pa.uint32(), "UINT32"),
    (pa.uint64(), "UINT64"),
    (pa.float16(), "FLOAT16"),
    (pa.float32(), "FLOAT32"),
    (pa.float64(), "FLOAT64"),
    (pa.decimal32(5, 2), "DECIMAL(5,2)"),
    (pa.decimal64(15, -2), "DECIMAL(15,-2)"),
    (pa.decimal128(38, 0), "DECIMAL(38,0)"),
    (pa.decimal256(76, 5), "DECIMAL(76,5)"),
    (pa.string(), "STRING"),
    (pa.large_string(), "STRING"),
    (pa.string_view(), "STRING"),
    (pa.binary(), "BINARY"),
    (pa.large_binary(), "BINARY"),
    (pa.binary_view(), "BINARY"),
    (pa.binary(7), "FIXED(7)"),
    (pa.date32(), "DATE"),
    (pa.date64(), "DATE"),
    (pa.time32("s"), "TIME(s)"),
    (pa.time64("ns"), "TIME(ns)"),
    (pa.timestamp("us"), "TIMESTAMP(us)"),
    (pa.timestamp("s", "Europe/Berlin"), "TIMESTAMP(s, Europe/Berlin)"),
    (pa.duration("ms"), "INTERVAL(ms)"),
    (pa.month_day_nano_interval(), "INTERVAL(month-day-nano)"),
    (pa.list_(pa.field("e", pa.int8(), nullable=False)), "ARRAY<INT8 NOT NULL>"),
    (pa.large_list(pa.int8()), "ARRAY<INT8>"),
    (pa.list_(pa.int8(), 3), "ARRAY<INT8>(3)"),
    (pa.list_view(pa.int8()), "ARRAY<INT8>"),
    (pa.large_list_view(pa.int8()), "ARRAY<INT8>"),
    (pa.struct([pa.field("x", pa.int8(), nullable=False)]), "STRUCT<x: INT8 NOT NULL>"),
    (pa.struct([]), "STRUCT<>"),
    (pa.map_(pa.string(), pa.field("v", pa.int8(), nullable=False)), "MAP<STRING, INT8 NOT NULL>"),
    (
        pa.dense_union([pa.field("a", pa.int8()), pa.field("", pa.string())]),
        "UNION<a: INT8, STRING>",
    ),
    (pa.sparse_union([pa.field("a", pa.int8())]), "UNION<a: INT8>"),
    (pa.dictionary(pa.int8(), pa.list_(pa.int8())), "ARRAY<INT8>"),
    (pa.run_end_encoded(pa.int16(), pa.string()), "STRING"),
    (pa.uuid(), "UUID"),
    (pa.json_(), "JSON"),
    (pa.bool8(), "BOOLEAN as INT8"),
    (pa.opaque(pa.int32(), "x", "y"), "INT32 native arrow.opaque"),
    (pa.fixed_shape_tensor(pa.int32(), (2, 2)), "ARRAY<INT32>(4) native arrow.fixed_shape_tensor"),
)  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("given", "expected"), TYPES, ids=lambda one: str(one)[:30])
def test_types_of_arrow(given: pa.DataType, expected: str, stream: bool) -> None:
    found = described(empty(pa.schema([("c", given)]), stream=stream))
    assert [line(one) for one in found.schema.fields] == [expected]


def test_what_is_described_can_be_stored() -> None:
    columns = [pa.field(f"c{n}", given) for n, (given, _) in enumerate(TYPES)]
    schema = described(empty(pa.schema(columns))).schema
    urn = "lumos://s3/data/x"
    snapshot = Snapshot(lumos_version="1.0.0", urn=urn, name="x", platform="s3", schema=schema)
    assert decode(encode(snapshot)).schema == schema


def test_every_kind_that_arrow_has_is_tried() -> None:
    tried = {given.id for given, _ in TYPES}
    old = {pa.lib.Type_INTERVAL_MONTHS, pa.lib.Type_INTERVAL_DAY_TIME}  # it cannot make these
    known = {number for name, number in vars(pa.lib).items() if name.startswith("Type_")}
    assert known - tried - old == set()


def test_types_of_polars() -> None:
    frame = pl.DataFrame(
        {
            "s": ["x"],
            "c": pl.Series(["a"], dtype=pl.Categorical),
            "e": pl.Series(["a"], dtype=pl.Enum(["a", "b"])),
            "a": pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)),
            "m": pl.Series([1], dtype=pl.Datetime("ns", "Europe/Berlin")),
            "st": [{"x": 1.5}],
        }
    )
    whole, stream = io.BytesIO(), io.BytesIO()
    frame.write_ipc(whole)
    frame.write_ipc_stream(stream)
    for data in (whole.getvalue(), stream.getvalue()):
        assert [line(one) for one in described(data).schema.fields] == [
            "STRING",
            "STRING",
            "STRING",
            "ARRAY<INT8>(2)",
            "TIMESTAMP(ns, Europe/Berlin)",
            "STRUCT<x: FLOAT64>",
        ]


def test_what_fields_say_of_themselves_is_kept() -> None:
    inner = pa.field("x", pa.int8(), metadata={"description": "inside"})
    key = pa.field("key", pa.string(), nullable=False, metadata={"PARQUET:field_id": "5"})
    of_map = pa.map_(key, pa.field("value", pa.int8(), metadata={"PARQUET:field_id": "6"}))
    extension = {"ARROW:extension:name": "geoarrow.point"}
    schema = pa.schema(
        [
            pa.field("a", pa.int8(), nullable=False, metadata={"comment": "first"}),
            pa.field("s", pa.struct([inner]), metadata={"PARQUET:field_id": "3"}),
            pa.field("m", of_map, metadata={"PARQUET:field_id": "-1"}),
            pa.field("g", pa.binary(), metadata=extension),
            pa.field("a", pa.string()),
        ]
    )
    a, s, m, g, again = described(empty(schema)).schema.fields
    assert (a.name, a.nullable, a.description) == ("a", False, "first")
    assert (s.id, s.fields[0].description) == (3, "inside")
    assert m.id is None
    assert m.key is not None
    assert m.value is not None
    assert (m.key.id, m.value.id) == (5, 6)
    assert line(g) == "BINARY native geoarrow.point"
    assert (again.name, again.nullable) == ("a", True)


def test_evidence_does_not_follow_the_data() -> None:
    def table(rows: int) -> pa.Table:
        values = [f"a value {number}" for number in range(rows)]
        small = pa.int8() if rows < 100 else pa.int16()
        coded = pa.array(values).dictionary_encode().cast(pa.dictionary(small, pa.string()))
        found = pa.table({"s": values, "c": coded})
        return found.replace_schema_metadata({"pandas": f'{{"stop": {rows}}}'})

    for write in (file_of, stream_of):
        one, other = probed(write(table(3))), probed(write(table(1000)))
        assert one == other
        assert "a value" not in one.schema
        assert "pandas" not in one.schema


def test_a_file_and_a_stream_say_the_same() -> None:
    table = pa.table({"a": [1]})
    one, other = probed(file_of(table)), probed(stream_of(table))
    assert (one.format, one.schema) == (other.format, other.schema)
    assert (one.version, other.version) == ("", "stream")


def test_a_stream_of_old_arrow_has_no_signature_and_is_read_by_its_name() -> None:
    """Before 0.15, a stream began with the length of its schema."""
    table = pa.table({"a": [1], "b": ["x"]})
    target = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(
        use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4
    )
    with pa.ipc.new_stream(target, table.schema, options=options) as stream:
        stream.write_table(table)
    data = target.getvalue()
    found = detect.probe_file(as_file(data), "arrow", "")
    assert found == probed(stream_of(table))
    with pytest.raises(BadFileError, match="does not begin like it"):
        detect.probe_file(as_file(b"not arrow at all, and no text either"), "arrow", "")


def test_only_the_footer_is_read() -> None:
    data = file_of(pa.table({"n": range(200_000)}))
    read = []

    def range_of(offset: int, length: int) -> bytes:
        read.append(length)
        return data[offset : offset + length]

    assert arrow_probe.probe(RangedFile(len(data), range_of)).schema
    assert sum(read) < 150_000 < len(data)


def _nested(levels: int) -> pa.Schema:
    given = pa.int8()
    for _ in range(levels - 1):
        given = pa.struct([("x", given)])
    return pa.schema([("x", given)])


def _depth(one: Field) -> int:
    return 1 + (_depth(one.fields[0]) if one.fields else 0)


def test_what_nests_too_deep_is_unknown_and_noted() -> None:
    message = _nested(MAX_LEVELS).serialize().to_pybytes()
    fits = schema_of({"fields": arrow_probe.decode_fields(message)})
    assert fits.notes == ()
    field = json.loads(json.dumps(arrow_probe.decode_fields(message)))[0]
    deep = schema_of({"fields": [{"name": "x", "type": "struct", "members": [field]}]})
    assert deep.notes == ("types nest over 64 levels deep: what is below is left out",)
    assert _depth(fits.schema.fields[0]) == _depth(deep.schema.fields[0]) == MAX_LEVELS


def refusal(data: bytes) -> str:
    with pytest.raises(BadFileError) as caught:
        probed(data)
    assert caught.value.detail
    return caught.value.reason


def test_the_first_version_of_feather_is_refused_with_words() -> None:
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        feather.write_feather(pa.table({"a": [1]}), target, version=1, compression=None)
    with pytest.raises(BadFileError, match="Feather V1") as caught:
        probed(target.getvalue())
    assert caught.value.reason == error_codes.DAMAGED


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", error_codes.EMPTY),
        (b"ARROW1", error_codes.TRUNCATED),
        (b"ARROW1\x00\x00" + bytes(100), error_codes.TRUNCATED),
        (b"ARROW1\x00\x00" + bytes(4) + b"ARROW1", error_codes.DAMAGED),
        (b"ARROW1\x00\x00" + b"\xff\xff\xff\x7f" + b"ARROW1", error_codes.DAMAGED),
        (b"ARROW1\x00\x00" + bytes(40) + b"\x20\x00\x00\x00ARROW1", error_codes.DAMAGED),
        (b"nothing of the kind", error_codes.DAMAGED),
        (arrow_probe.MAGIC_STREAM, error_codes.TRUNCATED),
        (arrow_probe.MAGIC_STREAM + bytes(4), error_codes.DAMAGED),
        (arrow_probe.MAGIC_STREAM + b"\xff\xff\xff\x7f" + bytes(100), error_codes.TRUNCATED),
        (arrow_probe.MAGIC_STREAM + b"\x20\x00\x00\x00" + bytes(100), error_codes.DAMAGED),
    ],
    ids=range(11),
)
def test_a_bad_file_has_a_reason(data: bytes, reason: str) -> None:
    assert refusal(data) == reason


def test_a_stream_without_schema_is_refused() -> None:
    with pytest.raises(BadFileError) as caught:
        arrow_probe.probe_stream(as_file(b""))
    assert caught.value.reason == error_codes.EMPTY


@pytest.mark.parametrize(
    ("probe", "head", "limit"),
    [
        (arrow_probe.probe, b"ARROW1\x00\x00", arrow_probe.MOST_FOOTER),
        (arrow_probe.probe_stream, b"", arrow_probe.MOST_SCHEMA),
    ],
    ids=["file", "stream"],
)
def test_what_is_beyond_the_limit_is_not_read(probe, head: bytes, limit: int) -> None:
    claimed = (limit + 1).to_bytes(4, "little")
    begins = head or arrow_probe.MAGIC_STREAM + claimed

    def read(offset: int, length: int) -> bytes:
        assert length <= 65_536
        return (
            begins.ljust(length, b"\x00")
            if offset == 0
            else bytes(length - 10) + claimed + arrow_probe.MAGIC
        )

    with pytest.raises(BadFileError) as caught:
        probe(RangedFile(2**40, read))
    assert caught.value.reason == error_codes.TOO_LARGE


def _seeds() -> list[bytes]:
    schema = pa.schema([pa.field(f"c{n}", given) for n, (given, _) in enumerate(TYPES)])
    table = pa.table({"d": pa.array(["x", "y"]).dictionary_encode(), "n": [1, 2]})
    return [empty(schema), empty(schema, stream=True), file_of(table), stream_of(table)]


SEEDS = _seeds()


def outcome(data: bytes) -> type:
    try:
        return type(described(data))
    except BadFileError as bad:
        return type(bad)


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_a_file_cut_anywhere_is_described_or_refused(seed: bytes) -> None:
    found = [outcome(seed[:end]) for end in range(0, len(seed), 1 + len(seed) // 2000)]
    assert BadFileError in found
    if seed.startswith(arrow_probe.MAGIC):
        assert set(found) == {BadFileError}


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_bytes_changed_at_random_are_described_or_refused(seed: bytes) -> None:
    chance = random.Random(7)
    found = set()
    for _ in range(1000):
        data = bytearray(seed)
        for _ in range(chance.choice((1, 2, 8, 30))):
            data[chance.randrange(len(data))] = chance.choice((0, 255, chance.randrange(256)))
        found.add(outcome(bytes(data)))
    assert found == {DatasetSchema, BadFileError}


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_behind_the_magic_are_described_or_refused(data: bytes) -> None:
    framed = data + len(data).to_bytes(4, "little")
    outcome(b"ARROW1\x00\x00" + framed + b"ARROW1")
    outcome(arrow_probe.MAGIC_STREAM + len(data).to_bytes(4, "little") + data)
