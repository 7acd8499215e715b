"""What is described can be stored: it is valid, and comes back as it was."""

import pyarrow as pa
import pytest

from lumos_snap.canonical.api import decode
from lumos_snap.canonical.encode import encode
from lumos_snap.model.snapshot import Schema, Snapshot, Storage
from lumos_snap.model.types import MAX_LEVELS
from tests.scan.formats.parquet.descriptions import described
from tests.scan.formats.parquet.footers import Column, built, group, leaf
from tests.scan.formats.parquet.layouts import LAYOUTS
from tests.scan.formats.parquet.test_parquet_types import CONTRADICTING, FITTING
from tests.scan.formats.parquet.test_parquet_writers import ARROW, written


def _columns() -> list[Column]:
    deep = leaf("x")
    for _ in range(MAX_LEVELS + 5):
        deep = group("x", deep)
    return [*(one.column for one in LAYOUTS), *(one for _, one in FITTING + CONTRADICTING), deep]


def _stored(schema: Schema) -> Schema:
    urn = "lumos://s3/data/x"
    snapshot = Snapshot(
        lumos_version="1.0.0",
        urn=urn,
        name="x",
        platform="s3",
        schema=schema,
        storage=Storage(format="parquet"),  # a file may have two columns of one name
    )
    return decode(encode(snapshot)).schema


@pytest.mark.parametrize("column", _columns(), ids=lambda one: str(one.fields[4])[:8])
def test_every_column_built_by_hand_can_be_stored(column: Column) -> None:
    schema = described(built(column)).schema
    assert _stored(schema) == schema


def test_columns_of_one_name_can_be_stored() -> None:
    schema = described(built(*_columns())).schema
    assert _stored(schema) == schema


def test_arrows_types_can_be_stored() -> None:
    columns = [pa.field(f"c{n}", given) for n, (given, _) in enumerate(ARROW)]
    schema = described(written(pa.schema(columns))).schema
    assert _stored(schema) == schema
