"""A lake of small files in five formats, made as fast as a disk allows.

python -m benchmarks.files FOLDER DATASETS
"""

import io
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

FILES_EACH = 10
ROWS = 50


def _table(columns: list[str]) -> pa.Table:
    ids = pa.array(range(ROWS), pa.int64())
    words = pa.array([f"word {number}" for number in range(ROWS)])
    return pa.table({name: words if at % 2 else ids for at, name in enumerate(columns)})


def _rows(columns: list[str]) -> list[dict[str, Any]]:
    return [
        {name: f"word {n}" if at % 2 else n for at, name in enumerate(columns)} for n in range(ROWS)
    ]


def _parquet(columns: list[str]) -> bytes:
    target = io.BytesIO()
    pq.write_table(_table(columns), target)
    return target.getvalue()


def _orc(columns: list[str]) -> bytes:
    target = io.BytesIO()
    orc.write_table(_table(columns), target)
    return target.getvalue()


def _avro(columns: list[str]) -> bytes:
    fields = [
        {"name": name, "type": "string" if at % 2 else "long"} for at, name in enumerate(columns)
    ]
    target = io.BytesIO()
    fastavro.writer(target, {"type": "record", "name": "row", "fields": fields}, _rows(columns))
    return target.getvalue()


def _csv(columns: list[str]) -> bytes:
    lines = [",".join(columns), *(",".join(map(str, row.values())) for row in _rows(columns))]
    return ("\n".join(lines) + "\n").encode()


def _json(columns: list[str]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in _rows(columns)).encode()


FORMATS: Mapping[str, Callable[[list[str]], bytes]] = {
    "parquet": _parquet,
    "orc": _orc,
    "avro": _avro,
    "csv": _csv,
    "json": _json,
}


def build(folder: Path, datasets: int) -> int:
    """Fill a folder; returns how many files it has."""
    formats = list(FORMATS)
    for number in range(datasets):
        suffix = formats[number % len(formats)]
        columns = [f"column_{number % 97}_{at}" for at in range(12)]
        content = FORMATS[suffix](columns)
        table = folder / f"area_{number % 20}" / f"table_{number}"
        for file in range(FILES_EACH):
            place = table / f"dt=2026-01-{file + 1:02d}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"part-0.{suffix}").write_bytes(content)
    time.sleep(0.1)  # what is fresh is read again
    return datasets * FILES_EACH


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), int(sys.argv[2])))
