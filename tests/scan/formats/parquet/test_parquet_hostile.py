"""Hostile bytes: every one ends soon, in a description or in a reason, and in nothing else."""

import io
import random
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import BadFileError
from tests.scan.formats.parquet.descriptions import described
from tests.scan.formats.parquet.footers import built, framed, leaf
from tests.scan.formats.parquet.layouts import LAYOUTS
from tests.scan.formats.parquet.test_parquet_types import FITTING

SOON = 1.0  # seconds of a processor: other programs may keep this one waiting


def real() -> bytes:
    schema = pa.schema(
        [
            pa.field("a", pa.int8(), metadata={"comment": "first"}),
            ("l", pa.list_(pa.struct([("x", pa.duration("ms")), ("y", pa.decimal128(9, 2))]))),
            ("m", pa.map_(pa.string(), pa.timestamp("us", "UTC"))),
            ("u", pa.uuid()),
        ]
    )
    rows = [{"a": 1, "l": [{"x": 1, "y": None}], "m": [("k", 1)], "u": b"u" * 16}]
    table = pa.Table.from_pylist(rows[:0], schema=schema)
    target = io.BytesIO()
    with pq.ParquetWriter(target, schema) as writer:
        writer.write_table(table)
        writer.write_table(pa.table({n: pa.nulls(2, schema.field(n).type) for n in schema.names}))
    return target.getvalue()


SEEDS = (
    real(),
    built(*(one.column for one in LAYOUTS), *(column for _, column in FITTING)),
    built(leaf("a"), words={"pandas": '{"index_columns": ["a"]}', "avro.schema": "{}"}),
)


def outcome(data: bytes) -> DatasetSchema | BadFileError:
    parquet_probe._known.clear()
    start = time.process_time()
    try:
        return described(data)
    except BadFileError as refusal:
        return refusal
    finally:
        assert time.process_time() - start < SOON


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_a_file_cut_anywhere_is_refused(seed: bytes) -> None:
    assert isinstance(outcome(seed), DatasetSchema)
    for end in range(len(seed)):
        assert isinstance(outcome(seed[:end]), BadFileError)


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_a_footer_cut_anywhere_is_described_or_refused(seed: bytes) -> None:
    footer = seed[-8 - int.from_bytes(seed[-8:-4], "little") : -8]
    found = [outcome(framed(footer[:end])) for end in range(len(footer))]
    assert {type(one) for one in found} == {DatasetSchema, BadFileError}


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_bytes_changed_at_random_are_described_or_refused(seed: bytes) -> None:
    chance = random.Random(7)
    start = len(seed) - 8 - int.from_bytes(seed[-8:-4], "little")
    found = set()
    for _ in range(700):
        data = bytearray(seed)
        for _ in range(chance.choice((1, 1, 2, 8))):
            data[chance.randrange(start, len(data) - 4)] = chance.choice(
                (0, 255, chance.randrange(256))
            )
        found.add(type(outcome(bytes(data))))
    assert found == {DatasetSchema, BadFileError}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_as_a_footer_are_described_or_refused(footer: bytes) -> None:
    outcome(framed(footer))
    outcome(framed(b"\x15\x02\x19" + footer))


# A schema without columns, and no rows.
EMPTY = b"\x15\x02\x19\x1c\x48\x01a\x00\x16\x00"


@pytest.mark.parametrize(
    "footer",
    [
        b"\x15\x02" + b"\x19\xfc\xff\xff\xff\x7f" + b"\x00" * 3_000_000,
        b"\x1c" * 3_000_000,
        b"\x1b\xff\xff\xff\x01\xcc" * 500_000,
        b"\x25" + b"\x80" * 3_000_000,
        # Row groups and columns by the million.
        EMPTY + b"\x19\xfc\xff\xff\x3f\x19\xfc\xff\xff\x3f" + b"\x00" * 3_000_000,
        # An entry that looks like metadata, again and again.
        EMPTY + b"\x19\x0c" + b"\x18\x06pandas\x18\xff\xff\xff\x7f" * 200_000,
        EMPTY + b"\x19\x0c" + b"\x18\x06pandas\x18\x02{}x" * 200_000,
    ],
    ids=range(7),
)  # fmt: skip
def test_millions_that_are_claimed_or_sent_end_soon(footer: bytes) -> None:
    outcome(framed(footer))
