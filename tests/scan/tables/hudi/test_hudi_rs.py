"""Hudi's own library for Python sees the same columns in the tables that these tests write."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.model.types import Field, Kind
from tests.scan.tables.hudi.hudi_tables import (
    META,
    TRIPS,
    avro,
    data_file,
    field,
    instants,
    table,
    write,
    write_8,
    write_bare,
)
from tests.scan.tables.lake import described
from tests.world.servers.processes import environment

pytestmark = pytest.mark.world  # brings a library of 300 MB into a place of its own

_SEEN = """
import json, sys
import pyarrow as pa
from hudi import HudiTableBuilder
table = HudiTableBuilder.from_base_uri(sys.argv[1]).build()
fields = pa.schema(table.get_schema_with_meta_fields())
print(json.dumps([[one.name, str(one.type), one.nullable] for one in fields]))
"""
_NAMES = {
    Kind.INT32: "int32", Kind.INT64: "int64", Kind.FLOAT64: "double", Kind.STRING: "string",
    Kind.BOOLEAN: "bool", Kind.BINARY: "binary", Kind.DATE: "date32[day]",
    Kind.TIMESTAMP: "timestamp[us, tz=UTC]",
}  # fmt: skip


@pytest.fixture(scope="module")
def python() -> str:
    """A Python that has Hudi's library."""
    return str(environment("hudi", "hudi==0.5.0", "pyarrow") / "bin/python")


EVERYTHING = avro(
    field("id"),
    field("flag", ["null", "boolean"], default=None),
    field("number", "int"),
    field("price", ["null", "double"], default=None),
    field("raw", "bytes"),
    field("day", {"type": "int", "logicalType": "date"}),
    field("dt", "string"),
)


def six(folder: Path) -> Path:
    first, last = instants(1, 2)
    return write(write(table(folder), first, TRIPS), last, EVERYTHING)


def eight(folder: Path) -> Path:
    first, last = instants(1, 2)
    versions = {"hoodie__table__version": "8", "hoodie__timeline__layout__version": "2"}
    return write_8(table(folder, **versions), first, last, EVERYTHING)


def seen(one: Field) -> list[Any]:
    return [one.name, _NAMES[one.type], one.nullable]


@pytest.mark.parametrize("make", [six, eight])
def test_columns_are_those_that_hudi_reads(make: Any, python: str, tmp_path: Path) -> None:
    make(tmp_path)
    run = [python, "-c", _SEEN, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=120)
    found = [seen(one) for one in described(tmp_path).schema.fields]
    assert found[len(META) :] == json.loads(done.stdout)[len(META) :]
    assert [one[0] for one in found] == [one[0] for one in json.loads(done.stdout)]


def test_columns_of_a_file_are_those_that_hudi_reads(python: str, tmp_path: Path) -> None:
    data_file(tmp_path, "dt=a/f-0_0-1-1_20260101000000000.parquet", "id", "dt")
    write_bare(table(tmp_path), instants(1)[0], "dt=a/f-0_0-1-1_20260101000000000.parquet")
    run = [python, "-c", _SEEN, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=120)
    found = [seen(one) for one in described(tmp_path).schema.fields]
    assert found == json.loads(done.stdout)
