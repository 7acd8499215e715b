"""How pyarrow and fastavro find and fill columns, on real files."""

import io
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from lumos_snap.engines import profile


def test_arrow_finds_columns_by_exact_name_and_fills_with_null(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([1], pa.int32())}), tmp_path / "a.parquet")
    told = pa.schema([("A", pa.int32()), pa.field("b", pa.int32(), nullable=False)])
    table = ds.dataset(tmp_path, schema=told).to_table()
    assert table.to_pylist() == [{"A": None, "b": None}]
    traits = profile("pyarrow").traits
    assert traits.fills_nulls
    assert (traits.finds_fields, traits.ignores_case, traits.fills_defaults) == (
        "name",
        False,
        False,
    )


def resolved(told: dict[str, Any]) -> Any:
    """What fastavro makes of a record with one int, told another field."""
    old = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}
    file = io.BytesIO()
    fastavro.writer(file, old, [{"a": 1}])
    file.seek(0)
    return next(fastavro.reader(file, {"type": "record", "name": "r", "fields": [told]}))


def test_fastavro_fills_defaults_and_follows_aliases() -> None:
    assert resolved({"name": "b", "type": "int", "default": 7}) == {"b": 7}
    assert resolved({"name": "b", "type": "int", "aliases": ["a"]}) == {"b": 1}
    traits = profile("fastavro").traits
    assert traits.fills_defaults
    assert traits.follows_aliases


@pytest.mark.parametrize("name", ["A", "b"])
def test_fastavro_refuses_another_name(name: str) -> None:
    with pytest.raises(fastavro.read.SchemaResolutionError):
        resolved({"name": name, "type": "int"})
    assert not profile("fastavro").traits.ignores_case


def test_fastavro_takes_null_only_as_a_default() -> None:
    with pytest.raises(fastavro.read.SchemaResolutionError):
        resolved({"name": "b", "type": ["null", "int"]})
    assert resolved({"name": "b", "type": ["null", "int"], "default": None}) == {"b": None}
    assert not profile("fastavro").traits.fills_nulls


def test_fastavro_finds_the_branch_of_a_union() -> None:
    assert resolved({"name": "a", "type": ["null", "int"]}) == {"a": 1}
    with pytest.raises(fastavro.read.SchemaResolutionError):
        resolved({"name": "a", "type": ["null", "string"]})
