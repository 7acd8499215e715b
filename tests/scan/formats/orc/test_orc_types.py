import io
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc as pyarrow_orc

from lumos_snap.model.types import Branch, Element, Kind, MapKey, Unit
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.orc.schema import schema_of
from lumos_snap.scan.schemas.supertype import DatasetSchema
from tests.scan.formats.orc import footers
from tests.scan.formats.orc.descriptions import columns, field, file_of, problems


def probed(data: bytes) -> ProbeResult:
    return orc_probe.probe(file_of(data))


def described(data: bytes) -> DatasetSchema:
    return schema_of(json.loads(probed(data).schema))


def of_arrow(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pyarrow_orc.write_table(table, sink, **options)
    return sink.getvalue()


def of_type(arrow: pa.DataType, **options: Any) -> bytes:
    return of_arrow(pa.table({"c": pa.array([], arrow)}), **options)


ARROW = (
    (pa.bool_(), "BOOLEAN"),
    (pa.int8(), "INT8"),
    (pa.int16(), "INT16"),
    (pa.int32(), "INT32"),
    (pa.int64(), "INT64"),
    (pa.float32(), "FLOAT32"),
    (pa.float64(), "FLOAT64"),
    (pa.string(), "STRING"),
    (pa.large_string(), "STRING"),
    (pa.binary(), "BINARY"),
    (pa.binary(16), "BINARY"),
    (pa.date32(), "DATE"),
    (pa.decimal128(12, 2), "DECIMAL(12,2)"),
    (pa.decimal128(38, 0), "DECIMAL(38,0)"),
    (pa.timestamp("us"), "TIMESTAMP(ns)"),
    (pa.timestamp("ns", "Europe/Berlin"), "TIMESTAMP(ns, UTC)"),
    (pa.list_(pa.int32()), "ARRAY<INT32>"),
    (pa.map_(pa.string(), pa.int64()), "MAP<STRING, INT64>"),
    (
        pa.struct([("a", pa.int8()), ("b c", pa.list_(pa.date32()))]),
        "STRUCT<a: INT8, `b c`: ARRAY<DATE>>",
    ),
)


@pytest.mark.parametrize(("arrow", "expected"), ARROW, ids=str)
def test_types_that_arrow_writes(arrow: pa.DataType, expected: str) -> None:
    assert columns(described(of_type(arrow))) == {"c": expected}


def test_unions_that_arrow_writes() -> None:
    kinds, offsets = pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32())
    union = pa.UnionArray.from_dense(kinds, offsets, [pa.array([1]), pa.array(["a"])])
    found = described(of_arrow(pa.table({"c": union})))
    assert columns(found) == {"c": "UNION<INT64, STRING>"}


LEAVES = st.sampled_from([pair for pair in ARROW if not pa.types.is_nested(pair[0])])
Pairs = st.SearchStrategy[tuple[pa.DataType, str]]


def nested(inner: Pairs) -> Pairs:
    lists = inner.map(lambda one: (pa.list_(one[0]), f"ARRAY<{one[1]}>"))
    maps = st.tuples(LEAVES, inner).map(
        lambda two: (pa.map_(two[0][0], two[1][0]), f"MAP<{two[0][1]}, {two[1][1]}>")
    )
    structs = st.lists(inner, min_size=1, max_size=3).map(
        lambda members: (
            pa.struct([(f"f{index}", arrow) for index, (arrow, _) in enumerate(members)]),
            f"STRUCT<{', '.join(f'f{i}: {noted}' for i, (_, noted) in enumerate(members))}>",
        )
    )
    return lists | maps | structs


@settings(deadline=None, max_examples=50)
@given(st.lists(st.recursive(LEAVES, nested, max_leaves=6), min_size=1, max_size=8))
def test_whatever_arrow_writes_is_described_as_written(
    members: list[tuple[pa.DataType, str]],
) -> None:
    fields = [(f"c{index}", arrow) for index, (arrow, _) in enumerate(members)]
    found = described(of_arrow(pa.schema(fields).empty_table()))
    assert columns(found) == {f"c{index}": noted for index, (_, noted) in enumerate(members)}


@pytest.mark.parametrize("codec", ["uncompressed", "zlib", "snappy", "lz4", "zstd"])
def test_footers_of_every_codec(codec: str) -> None:
    # More than one block: the footer is decompressed in parts.
    names = [f"a_column_with_a_long_name_{number}" for number in range(1200)]
    table = pa.table({name: pa.array([1, 2, 3]) for name in names})
    data = of_arrow(table, compression=codec, compression_block_size=64 * 1024)
    found = probed(data)
    assert (found.rows, found.version, found.codecs) == (3, "0.12", (codec,))
    assert columns(described(data)) == dict.fromkeys(names, "INT64")


def test_files_with_other_data_say_the_same() -> None:
    kind = pa.struct([("a", pa.decimal128(9, 2)), ("b", pa.list_(pa.string()))])
    values = [None, {"a": Decimal("1.25"), "b": ["x", None]}]
    written = [of_arrow(pa.table({"c": pa.array(values * n, kind)})) for n in (0, 1, 5000)]
    found = [probed(data) for data in written]
    assert len({one.schema for one in found}) == 1
    assert [one.rows for one in found] == [0, 2, 10000]


def test_metadata_of_columns_is_kept() -> None:
    said = {"comment": "what it is", "unit": "euro"}
    told = pa.schema([pa.field("c", pa.int8(), metadata=said), pa.field("d", pa.int8())])
    found = described(of_arrow(told.empty_table()))
    assert field(found, "c").description == "what it is"
    assert dict(field(found, "c").properties) == {"unit": "euro"}
    assert dict(field(found, "d").properties) == {}
    assert problems(found.schema) == ()


BUILT: tuple[tuple[bytes, str], ...] = (
    (footers.one_column("char", length=5), "CHAR(5)"),
    (footers.one_column("varchar", length=70000), "VARCHAR(70000)"),
    (footers.one_column("char"), "STRING"),
    (footers.one_column("decimal"), "DECIMAL"),
    (footers.one_column("decimal", precision=9), "DECIMAL(9,0)"),
    (footers.one_column("decimal", precision=4000, scale=2), "UNKNOWN('decimal(4000,2)')"),
    (footers.one_column("timestamp_instant"), "TIMESTAMP(ns, UTC)"),
    (footers.one_column("geometry", crs="OGC:CRS84"), "UNKNOWN('geometry(OGC:CRS84)')"),
    (
        footers.one_column("geography", crs="EPSG:4326", algorithm=4),
        "UNKNOWN('geography(EPSG:4326, karney)')",
    ),
    (footers.one_column("geometry"), "UNKNOWN('geometry')"),
    (footers.one_column(77), "UNKNOWN('kind 77')"),
)


@pytest.mark.parametrize(("footer", "expected"), BUILT, ids=[pair[1] for pair in BUILT])
def test_types_that_few_writers_write(footer: bytes, expected: str) -> None:
    found = columns(described(footers.file_with(footer)))["c"]
    assert found == expected


ICEBERG = (
    ("long", {"iceberg.long-type": "TIME"}, "TIME(us)"),
    ("long", {"iceberg.long-type": "LONG"}, "INT64"),
    ("binary", {"iceberg.binary-type": "UUID"}, "UUID"),
    ("binary", {"iceberg.binary-type": "FIXED", "iceberg.length": "7"}, "FIXED(7)"),
    ("binary", {"iceberg.binary-type": "FIXED", "iceberg.length": "x"}, "BINARY"),
    ("binary", {"iceberg.binary-type": "BINARY"}, "BINARY"),
    ("timestamp", {"iceberg.timestamp-unit": "MICROS"}, "TIMESTAMP(us)"),
    ("timestamp_instant", {"iceberg.timestamp-unit": "NANOS"}, "TIMESTAMP(ns, UTC)"),
    ("struct", {"iceberg.struct-type": "VARIANT"}, "VARIANT"),
)


@pytest.mark.parametrize(("kind", "said", "expected"), ICEBERG)
def test_attributes_of_iceberg(kind: str, said: dict[str, str], expected: str) -> None:
    said |= {"iceberg.id": "12", "iceberg.required": "true"}
    found = described(footers.file_with(footers.one_column(kind, attributes=said)))
    assert columns(found) == {"c": f"{expected} NOT NULL"}
    assert field(found, "c").id == 12
    assert not field(found, "c").properties


def test_ids_and_nullability_inside_of_types() -> None:
    def said(number: int, *, required: bool) -> dict[str, str]:
        return {"iceberg.id": str(number), "iceberg.required": str(required).lower()}

    found = described(
        footers.file_with(
            footers.footer(
                footers.type_of("struct", 1, 3, names=["m", "l"]),
                footers.type_of("map", 2, 5, attributes=said(1, required=False)),
                footers.type_of("string", attributes=said(3, required=True)),
                footers.type_of("list", 4, attributes=said(2, required=True)),
                footers.type_of("int", attributes=said(4, required=True)),
                footers.type_of("int", attributes=said(5, required=False)),
            )
        )
    )
    assert columns(found) == {"m": "MAP<STRING, INT32>", "l": "ARRAY<INT32 NOT NULL> NOT NULL"}
    column = field(found, "m")
    assert column.key == MapKey(type=Kind.STRING, id=3)
    assert column.value == Element(type=Kind.INT32, nullable=True, id=5)
    assert field(found, "l").element == Element(type=Kind.INT32, nullable=False, id=4)


def test_a_root_that_is_no_struct_is_one_column() -> None:
    found = described(
        footers.file_with(
            footers.footer(
                footers.type_of("union", 1, 2),
                footers.type_of("int"),
                footers.type_of("char", length=2),
            )
        )
    )
    assert columns(found) == {"value": "UNION<INT32, CHAR(2)>"}
    assert field(found, "value").branches == (
        Branch(type=Kind.INT32),
        Branch(type=Kind.CHAR, length=2),
    )


def test_a_struct_without_members_is_a_file_without_columns() -> None:
    assert columns(described(footers.file_with(footers.footer(footers.type_of("struct"))))) == {}


@pytest.mark.parametrize("levels", [63, 64, 500])
def test_types_end_at_the_64th_level(levels: int) -> None:
    lists = [footers.type_of("list", number + 2) for number in range(levels)]
    root = footers.type_of("struct", 1, names=["c"])
    footer = footers.footer(root, *lists, footers.type_of("int"))
    found = described(footers.file_with(footer))
    assert problems(found.schema) == ()
    assert len(found.notes) == (levels > 63)
    deepest = "INT32" if levels == 63 else "UNKNOWN('list')"
    assert columns(found)["c"] == "ARRAY<" * 63 + deepest + ">" * 63


def test_columns_without_names_are_noted() -> None:
    old = footers.footer(
        footers.type_of("struct", 1, 2, names=["_col0", "_col1"]),
        footers.type_of("int"),
        footers.type_of("string"),
    )
    found = described(footers.file_with(old))
    assert columns(found) == {"_col0": "INT32", "_col1": "STRING"}
    assert "positions for names" in found.notes[0]


def test_a_spark_type_that_is_not_known_is_named() -> None:
    said = {"spark.sql.catalyst.type": "time(3)"}
    found = described(footers.file_with(footers.one_column("long", attributes=said)))
    assert columns(found) == {"c": "INT64"}
    assert field(found, "c").native == "time(3)"


def test_spark_intervals_of_fewer_units_are_named() -> None:
    said = {"spark.sql.catalyst.type": "interval day to hour"}
    found = field(described(footers.file_with(footers.one_column("long", attributes=said))), "c")
    assert (found.type, found.unit, found.native) == (
        Kind.INTERVAL,
        Unit.DAY_TIME,
        "interval day to hour",
    )


INT = footers.one_column("int")


@pytest.mark.parametrize(
    ("data", "version"),
    [
        (footers.file_with(INT, version=[0, 12]), "0.12"),
        (footers.file_with(INT, head=b"", version=[0, 12]), "0.12"),
        (footers.file_with(INT, magic=b""), "0.11"),
        (footers.file_with(INT, magic=b"", version=[0, 12]), "0.12"),
        (footers.file_with(INT, version=[1, 9999 & 0x7F]), "1.15"),
    ],
    ids=["both ends", "only the end", "the oldest", "only the head", "a later version"],
)
def test_files_of_old_and_of_later_writers(data: bytes, version: str) -> None:
    found = probed(data)
    assert (found.version, found.rows, found.codecs) == (version, 3, ("uncompressed",))
    assert columns(described(data)) == {"c": "INT32"}


def test_chunks_that_are_not_compressed_are_read_whatever_the_codec() -> None:
    halves = footers.chunk(INT[:5], is_original=True) + footers.chunk(INT[5:], is_original=True)
    for number, codec in enumerate(("zlib", "snappy", "lzo", "lz4", "zstd", "brotli"), 1):
        found = probed(footers.file_with(halves, numbers={2: number}))
        assert (found.rows, found.codecs) == (3, (codec,))


def test_a_footer_in_brotli() -> None:
    raw = pa.compress(INT, "brotli", asbytes=True)
    assert probed(footers.file_with(footers.chunk(raw), numbers={2: 6})).rows == 3


def test_an_encrypted_column_still_says_its_type() -> None:
    data = footers.file_with(INT + footers.sized(10, b""))
    assert columns(described(data)) == {"c": "INT32"}
    assert "encrypted" in described(data).notes[0]


def test_a_footer_that_is_longer_than_what_is_read_at_once() -> None:
    names = [f"column_{number:05}" for number in range(20_000)]
    types = [footers.type_of("int")] * len(names)
    root = footers.type_of("struct", *range(1, len(names) + 1), names=names)
    found = described(footers.file_with(footers.footer(root, *types)))
    assert [one.name for one in found.schema.fields] == names
