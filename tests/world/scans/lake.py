"""A small lake that has some of everything: formats, tables, partitions, odd names, bad files."""

import gzip
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake
from pyarrow import feather, ipc, orc
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, LongType, NestedField

from tests.scan.tables.iceberg.iceberg_tables import catalog

ROWS = pa.table({"id": pa.array([1, 2], pa.int64()), "name": ["a", "b"], "price": [1.5, 2.5]})
PRICES = Schema(
    NestedField(1, "id", LongType(), required=True), NestedField(2, "price", DoubleType())
)
EVENT = {
    "type": "record",
    "name": "click",
    "fields": [
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "page", "type": ["null", "string"]},
    ],
}

DATASETS = frozenset(
    {
        "sales/orders", "sales/payments", "events/clicks", "crm/customers", "crm/a b+c 100%25",
        "crm/Größe & Maß/Daten", "web/log", "web/visits", "ml/features", "ml/scores",
        "tables/trips", "tables/prices",
    }
)  # fmt: skip
"""What can be described, by what its urns end with."""
BAD = frozenset({"sales/orders/year=2026/month=2/part-0.parquet", "crm/lost.orc", "crm/empty.csv"})


def build(top: Path) -> None:
    """Fill a folder; what lies beside it is of no use afterwards."""
    _columnar(top)
    _text(top)
    _hidden(top)
    write_deltalake(top / "tables/trips", ROWS, partition_by=["name"])
    write_deltalake(top / "tables/trips", ROWS, mode="append")
    with catalog(top.parent) as tables:
        place = f"file://{top}/tables/prices"
        table = tables.create_table("n.prices", PRICES, location=place)
        required = pa.schema([pa.field("id", pa.int64(), nullable=False), ("price", pa.float64())])
        table.append(pa.table({"id": [1], "price": [9.5]}, schema=required))


def _put(top: Path, path: str, content: bytes) -> None:
    file = top / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _columnar(top: Path) -> None:
    for month in ("year=2025/month=12", "year=2026/month=1"):
        place = top / "sales/orders" / month
        place.mkdir(parents=True)
        pq.write_table(ROWS, place / "part-0.parquet")
    whole = (top / "sales/orders/year=2026/month=1/part-0.parquet").read_bytes()
    _put(top, "sales/orders/year=2026/month=2/part-0.parquet", whole[: len(whole) // 2])
    for folder in ("sales/payments", "ml", "events/clicks/dt=2026-01-01"):
        (top / folder).mkdir(parents=True)
    orc.write_table(ROWS, top / "sales/payments/part-0.orc")
    _put(top, "crm/lost.orc", b"ORC" + b"\x00" * 40)
    feather.write_feather(ROWS, str(top / "ml/scores.feather"))
    with ipc.new_file(top / "ml/features.arrow", ROWS.schema) as file:
        file.write_table(ROWS)
    clicks: list[Any] = [{"at": 1_700_000_000_000, "page": None}]
    with (top / "events/clicks/dt=2026-01-01/a.avro").open("wb") as target:
        fastavro.writer(target, EVENT, clicks)


def _text(top: Path) -> None:
    people = "id,name,since\n1,Köln,2026-01-01\n2,Brno,2026-01-02\n".encode()
    for path in ("customers.csv", "a b+c 100%.csv", "Größe & Maß/Daten.csv"):
        _put(top, f"crm/{path}", people)
    _put(top, "crm/empty.csv", b"")
    for day in (1, 2):
        said = json.dumps({"day": day, "tags": ["x"], "where": {"lat": 1.5}}).encode()
        _put(top, f"web/log/2026/01/0{day}/log.json", said)
    _put(top, "web/visits.jsonl.gz", gzip.compress(b'{"id": 1}\n{"id": null}\n', mtime=0))


def _hidden(top: Path) -> None:
    for path in ("_SUCCESS", ".part-0.parquet.crc", "_temporary/0/part-0.parquet"):
        _put(top, f"sales/orders/{path}", b"nothing to read")
    _put(top, "crm/readme.md", b"# Customers\n")
