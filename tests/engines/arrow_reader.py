"""Arrow as a witness: a dataset of Parquet files that is told a schema."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from lumos_snap.engines import ReadOutcome
from tests.engines.matrix import Cell, judged, worst
from tests.engines.parquet import arrow_type
from tests.engines.samples import Sample
from tests.engines.values import Value, clock, day, instant, local, span, value

NOT_IN_ARROW = ("INTERVAL(year-month)", "INTERVAL(day-time)")
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def read(paths: Sequence[Path], old: Sample, new: Sample) -> Cell:
    """What becomes of each value of a sample, told another type: the worst of it."""
    if new.name in NOT_IN_ARROW:
        return Cell(ReadOutcome.REFUSED, f"Arrow has no type for {new.name} in Parquet")
    schema = pa.schema([("c", arrow_type(new))])
    return worst(_read(path, one, schema) for path, one in zip(paths, old.values, strict=True))


def _read(path: Path, stored: Value, schema: pa.Schema) -> Cell:
    try:
        column = ds.dataset(path, schema=schema).to_table()["c"]
    except (pa.ArrowException, TypeError) as refusal:
        return Cell(ReadOutcome.REFUSED, _reason(refusal))
    return judged([stored], values(column))


def values(column: pa.ChunkedArray) -> list[Value]:
    """The values of a column, in full: Python's own types end at microseconds and year 9999."""
    arrow = column.type
    if pa.types.is_date32(arrow):
        return [_known(raw, day) for raw in column.cast(pa.int32()).to_pylist()]
    if pa.types.is_temporal(arrow):
        step = _NANOSECONDS[arrow.unit]
        means = _meaning(arrow)
        whole = pa.int32() if arrow.bit_width == 32 else pa.int64()
        ticks = (tick for chunk in column.chunks for tick in chunk.view(whole).to_pylist())
        return [_known(raw, lambda tick: means(tick * step)) for raw in ticks]
    return [value(_plain(raw, arrow)) for raw in column.to_pylist()]


def _meaning(arrow: pa.DataType) -> Any:
    if pa.types.is_timestamp(arrow):
        return local if arrow.tz is None else instant
    return span if pa.types.is_duration(arrow) else clock


def _known(raw: int | None, means: Any) -> Value:
    return value(None) if raw is None else means(raw)


def _plain(raw: Any, arrow: pa.DataType) -> Any:
    if isinstance(raw, uuid.UUID):
        return raw.bytes
    if isinstance(raw, list) and pa.types.is_map(arrow):
        return dict(raw)  # a map
    return list(raw.values()) if isinstance(raw, dict) else raw


def _reason(refusal: Exception) -> str:
    """The first line of what Arrow says."""
    return f"{type(refusal).__name__}: {refusal}".partition("\n")[0].partition(". ")[0]
