"""Makes a small lake to scan, and lets it grow older.

    python examples/lake.py FOLDER           the lake as it is in January
    python examples/lake.py FOLDER --later   the same lake a month on

It has files of every format, partitions of three sorts, nested data, and one broken file.
"""

import gzip
import json
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, orc

JANUARY = [date(2026, 1, day) for day in (13, 14, 15)]
FEBRUARY = date(2026, 2, 1)


def main(folder: Path, *, later: bool) -> None:
    """Write the lake, or what becomes of it; files that stay as they are are left alone."""
    for day in [*JANUARY, FEBRUARY] if later else JANUARY:
        orders(folder, day, later=later)
    for day in [FEBRUARY] if later else JANUARY:
        clicks(folder, day)
        payments(folder, day)
    crm(folder, later=later)
    if later:
        refunds(folder)
        broken(folder)
    else:
        features(folder)


def orders(folder: Path, day: date, *, later: bool, zone: str | None = None) -> None:
    """Parquet, nested, in folders by date. Later ids are wider, and the zone of times is lost."""
    zone = zone if later else "UTC"
    schema = pa.schema(
        [
            pa.field("order_id", pa.string(), nullable=False),
            pa.field("customer_id", pa.int64() if later else pa.int32(), nullable=False),
            pa.field("placed_at", pa.timestamp("us", zone), nullable=False),
            pa.field("total", pa.decimal128(10, 2)),
            pa.field(
                "items", pa.list_(pa.struct([("sku", pa.string()), ("quantity", pa.int32())]))
            ),
        ]
    )
    placed = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
    items = [{"sku": "A-1", "quantity": 2}]
    row = {"order_id": f"o-{day}", "customer_id": 7, "total": Decimal("19.90"), "items": items}
    row["placed_at"] = placed if zone else placed.replace(tzinfo=None)
    target = below(folder, f"raw/orders/{day:%Y/%m/%d}/part-0.parquet")
    pq.write_table(pa.Table.from_pylist([row], schema=schema), target)


def clicks(folder: Path, day: date) -> None:
    """JSON Lines, compressed, in hive partitions."""
    rows = [
        {"event": "view", "at": f"{day}T10:00:00Z", "page": {"url": "/shoes", "referrer": None}},
        {"event": "buy", "at": f"{day}T10:05:00Z", "page": {"url": "/cart"}, "value": 19.9},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    target = below(folder, f"raw/clicks/dt={day}/part-0.json.gz")
    target.write_bytes(gzip.compress(lines.encode(), mtime=0))


def payments(folder: Path, day: date) -> None:
    """ORC, in nested hive partitions."""
    table = pa.table({"payment_id": [1, 2], "amount": [19.9, 5.0], "method": ["card", "cash"]})
    path = f"raw/payments/year={day:%Y}/month={day:%m}/day={day:%d}/data_0.orc"
    orc.write_table(table, below(folder, path))


def crm(folder: Path, *, later: bool) -> None:
    """Several datasets in one flat folder: Avro and CSV. Later nobody knows a phone number."""
    fields: list[dict[str, object]] = [
        {"name": "customer_id", "type": "int", "doc": "never used twice"},
        {"name": "email", "type": ["null", "string"], "default": None},
    ]
    if not later:
        fields.append({"name": "phone", "type": ["null", "string"], "default": None})
    schema = {"type": "record", "name": "customer", "doc": "A customer", "fields": fields}
    row = {"customer_id": 7, "email": "jane.smith@example.com"}
    with below(folder, "crm/customers.avro").open("wb") as file:
        fastavro.writer(file, schema, [row], sync_marker=b"0123456789abcdef")
    stores = "store_id,zip,opened,open\n1,00712,2019-04-01,true\n2,80331,2021-10-15,false\n"
    below(folder, "crm/stores.csv").write_text(stores)


def features(folder: Path) -> None:
    """Arrow, as data scientists leave it."""
    table = pa.table({"customer_id": pa.array([7], pa.int32()), "score": pa.array([0.5])})
    feather.write_feather(table, below(folder, "ml/features/part-0.arrow"))


def refunds(folder: Path) -> None:
    """A dataset that is new."""
    table = pa.table({"refund_id": [1], "order_id": ["o-2026-01-13"], "amount": [19.9]})
    pq.write_table(table, below(folder, "raw/refunds/part-0.parquet"))


def broken(folder: Path) -> None:
    """A file whose writer was killed."""
    whole = (folder / "raw/refunds/part-0.parquet").read_bytes()
    below(folder, "raw/refunds/part-1.parquet").write_bytes(whole[: len(whole) // 2])


def below(folder: Path, path: str) -> Path:
    """A file to be, in a folder that is there."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


if __name__ == "__main__":
    main(Path(sys.argv[1]), later="--later" in sys.argv[2:])
