"""A small lake of which everything is known: what a scanner ought to say of each dataset.

Every dataset lies in a folder of its own, `table_00000` and so on; eight kinds take turns.
"""

import io
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

PARTS = 4
"""How many files a dataset has."""
_HOUR, _MINUTE = 3_600, 60

Files = Mapping[str, bytes]
"""By path; what comes first is older."""


@dataclass(frozen=True)
class Truth:
    """What is true of a dataset: columns, which of them may be null, members, partitions."""

    columns: frozenset[str]
    nullable: Mapping[str, bool]
    """Only where the files say it."""
    nested: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()


_NESTED = frozenset({"address.street", "address.geo", "address.geo.lat", "address.geo.lon"})
_GEO = pa.struct([pa.field("lat", pa.float64(), nullable=False), pa.field("lon", pa.float64())])
_ADDRESS = pa.struct([pa.field("street", pa.string()), pa.field("geo", _GEO)])
_ROW = {
    "id": 1,
    "name": "Ann",
    "day": "2026-01-15",
    "address": {"street": "High Street", "geo": {"lat": 51.5, "lon": 0.1}},
}


def _columns(number: int) -> list[str]:
    """Names of columns that no other dataset has, so that nothing can be shared."""
    return [f"amount_{number}_{at}" for at in range(8)]


def _table(number: int, *, extra: tuple[pa.Field, ...] = ()) -> pa.Table:
    fields = [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("address", _ADDRESS),
        *(pa.field(name, pa.float64()) for name in _columns(number)),
        *extra,
    ]
    rows = [{**_ROW, **dict.fromkeys(_columns(number), 1.5), "note": "x", "channel": "web"}] * 3
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def _parquet_bytes(table: pa.Table) -> bytes:
    target = io.BytesIO()
    pq.write_table(table, target)
    return target.getvalue()


def _truth(number: int, *, more: Mapping[str, bool] | None = None, **rest: Any) -> Truth:
    nullable = {"id": False, "name": True, "address": True, **(more or {})}
    nullable |= dict.fromkeys(_columns(number), True)
    return Truth(frozenset(nullable), nullable, _NESTED, **rest)


def _unsaid(number: int, nested: frozenset[str] = frozenset()) -> Truth:
    """Formats that know no NOT NULL: nothing is asked of them."""
    names = {"id", "name", *_columns(number), *(("address",) if nested else ())}
    return Truth(frozenset(names), {}, nested)


def _parts(content: bytes, suffix: str) -> Files:
    return {f"part-{part}.{suffix}": content for part in range(PARTS)}


def parquet(number: int) -> tuple[Files, Truth]:
    """Required, nullable and nested columns."""
    return _parts(_parquet_bytes(_table(number)), "parquet"), _truth(number)


def avro(number: int) -> tuple[Files, Truth]:
    """Unions with null, and a record in a record."""
    members = [{"name": "lat", "type": "double"}, {"name": "lon", "type": ["null", "double"]}]
    geo = {"type": "record", "name": "geo", "fields": members}
    inner = [{"name": "street", "type": ["null", "string"]}, {"name": "geo", "type": geo}]
    fields = [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"]},
        {
            "name": "address",
            "type": ["null", {"type": "record", "name": "address", "fields": inner}],
        },
        *({"name": name, "type": ["null", "double"]} for name in _columns(number)),
    ]
    target = io.BytesIO()
    rows = [{**_ROW, **dict.fromkeys(_columns(number), 1.5)}] * 3
    fastavro.writer(target, {"type": "record", "name": "row", "fields": fields}, rows)
    return _parts(target.getvalue(), "avro"), _truth(number)


def orc_files(number: int) -> tuple[Files, Truth]:
    """A struct in a struct; ORC knows no required columns."""
    target = io.BytesIO()
    orc.write_table(_table(number), target)
    return _parts(target.getvalue(), "orc"), _unsaid(number, _NESTED)


def csv(number: int) -> tuple[Files, Truth]:
    """Flat."""
    names = ["id", "name", *_columns(number)]
    lines = [names, *([["1", "Ann", *(["1.5"] * len(_columns(number)))]] * 3)]
    content = "".join(",".join(line) + "\n" for line in lines).encode()
    return _parts(content, "csv"), _unsaid(number)


def jsonl(number: int) -> tuple[Files, Truth]:
    """An object in an object."""
    row = {name: _ROW[name] for name in ("id", "name", "address")}
    line = json.dumps({**row, **dict.fromkeys(_columns(number), 1.5)}) + "\n"
    return _parts((line * 3).encode(), "jsonl"), _unsaid(number, _NESTED)


def hive(number: int) -> tuple[Files, Truth]:
    """Folders that are partitions."""
    content = _parquet_bytes(_table(number))
    days = [f"year=2026/month={part + 1:02d}" for part in range(PARTS)]
    files = {f"{day}/part-0.parquet": content for day in days}
    return files, _truth(number, partitions=frozenset({"year", "month"}))


def evolved(number: int) -> tuple[Files, Truth]:
    """Older files have a column that newer ones lack, and the other way round."""
    old = _table(number, extra=(pa.field("note", pa.string()),))
    new = _table(number, extra=(pa.field("channel", pa.string(), nullable=False),))
    files = {"part-0.parquet": _parquet_bytes(old), "part-1.parquet": _parquet_bytes(new)}
    return files, _truth(number, more={"note": True, "channel": True})


def delta(number: int) -> tuple[Files, Truth]:
    """A log, a partition column, and what an overwritten version has left behind."""
    content = _parquet_bytes(_table(number))
    paths = [f"day=2026-01-15/part-{part}.parquet" for part in range(PARTS)]
    left = {"part-0.parquet": _parquet_bytes(pa.table({"id": [1], "gone": ["x"]}))}
    live = [_file_action(path, len(content)) for path in paths]
    meta = {
        "id": f"00000000-0000-0000-0000-{number:012d}",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(_delta_type(_table(number).schema, day=True)),
        "partitionColumns": ["day"],
        "configuration": {},
        "createdTime": 0,
    }
    actions = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": meta}]
    log = "".join(json.dumps(action) + "\n" for action in [*actions, *live]).encode()
    truth = _truth(number, more={"day": True}, partitions=frozenset({"day"}))
    return {**left, **dict.fromkeys(paths, content), f"_delta_log/{0:020d}.json": log}, truth


def _file_action(path: str, size: int) -> dict[str, Any]:
    about = {"path": path, "partitionValues": {"day": "2026-01-15"}, "size": size}
    return {"add": {**about, "modificationTime": 0, "dataChange": True}}


def _delta_type(schema: "pa.Schema | pa.StructType", *, day: bool = False) -> dict[str, Any]:
    words = {"int64": "long", "string": "string", "double": "double"}
    fields = [
        {
            "name": one.name,
            "type": _delta_type(one.type) if pa.types.is_struct(one.type) else words[str(one.type)],
            "nullable": one.nullable,
            "metadata": {},
        }
        for one in schema
    ]
    last = {"name": "day", "type": "date", "nullable": True, "metadata": {}}
    return {"type": "struct", "fields": [*fields, last] if day else fields}


KINDS: tuple[Callable[[int], tuple[Files, Truth]], ...] = (
    parquet, avro, orc_files, csv, jsonl, hive, evolved, delta,
)  # fmt: skip


def build(folder: Path, datasets: int) -> dict[str, Truth]:
    """Fill a folder; what is true of each dataset in it."""
    truths, now = {}, time.time()
    for number in range(datasets):
        files, truth = KINDS[number % len(KINDS)](number)
        name = f"table_{number:05d}"
        for order, (path, content) in enumerate(files.items()):
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            made = now - _HOUR + order * _MINUTE
            os.utime(place, (made, made))
        truths[name] = truth
    return truths
