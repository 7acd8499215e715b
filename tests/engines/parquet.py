"""Samples as Parquet files, written by Arrow: one with dictionaries, one without."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.engines.samples import Sample
from tests.engines.values import DAY, Value

ENCODINGS: Mapping[str, Mapping[str, bool]] = {
    "dictionary": {"use_dictionary": True},
    "plain": {"use_dictionary": False},
    "integers": {"use_dictionary": False, "store_decimal_as_integer": True},  # as Spark does
}
NESTED = ("ARRAY", "MAP", "STRUCT")
_STEP = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_FLAT: dict[str, pa.DataType] = {
    "BOOLEAN": pa.bool_(),
    "INT8": pa.int8(),
    "INT16": pa.int16(),
    "INT32": pa.int32(),
    "INT64": pa.int64(),
    "UINT8": pa.uint8(),
    "UINT16": pa.uint16(),
    "UINT32": pa.uint32(),
    "UINT64": pa.uint64(),
    "FLOAT16": pa.float16(),
    "FLOAT32": pa.float32(),
    "FLOAT64": pa.float64(),
    "STRING": pa.string(),
    "CHAR": pa.string(),
    "VARCHAR": pa.string(),
    "ENUM": pa.string(),
    "BINARY": pa.binary(),
    "UUID": pa.uuid(),
    "DATE": pa.date32(),
    "JSON": pa.json_(),
    "NULL": pa.null(),
    "ARRAY": pa.list_(pa.int32()),
    "MAP": pa.map_(pa.string(), pa.int32()),
    "STRUCT": pa.struct([("a", pa.int32())]),
}


def arrow_type(sample: Sample) -> pa.DataType:
    """The type that Arrow has for a sample."""
    given = sample.type
    match given["type"]:
        case "DECIMAL":
            return pa.decimal128(given["precision"], given["scale"])
        case "FIXED":
            return pa.binary(given["length"])
        case "TIME":
            return (pa.time32 if given["unit"] == "ms" else pa.time64)(given["unit"])
        case "TIMESTAMP":
            return pa.timestamp(given["unit"], given.get("timezone"))
        case "INTERVAL":
            # Spark's own form of its intervals, which Parquet has no type for.
            spark = {"year-month": pa.int32(), "day-time": pa.int64()}
            return spark.get(given["unit"]) or pa.duration(given["unit"])
        case kind:
            return _FLAT[kind]


def arrow_array(sample: Sample) -> pa.Array:
    """The values of a sample."""
    arrow = arrow_type(sample)
    return pa.array([_stored(one, sample, arrow) for one in sample.values], arrow)


def _stored(one: Value, sample: Sample, arrow: pa.DataType) -> Any:
    raw: Any = one.key
    match one.family:
        case "number":
            return _number(raw, sample, arrow)
        case "octets":
            texts = ("STRING", "CHAR", "VARCHAR", "ENUM", "JSON")
            return raw.decode() if sample.type["type"] in texts else raw
        case "time" | "local" | "instant" | "span":
            step = DAY if sample.name == "DATE" else 1000  # Spark's intervals: microseconds
            return raw // _STEP.get(sample.type.get("unit", ""), step)
        case "list" | "map":
            return _nested(raw, arrow)
        case _:
            return raw


def _number(raw: Fraction, sample: Sample, arrow: pa.DataType) -> Any:
    if pa.types.is_floating(arrow):
        return float(raw)
    if pa.types.is_decimal(arrow):
        return Decimal(f"{int(raw * 10 ** sample.type['scale'])}E-{sample.type['scale']}")
    return int(raw)


def _nested(raw: Sequence[Any], arrow: pa.DataType) -> Any:
    if pa.types.is_map(arrow):
        pairs = zip(raw[::2], raw[1::2], strict=True)
        return [(name.key.decode(), int(one.key)) for name, one in pairs]
    inside = [int(item.key) for item in raw]
    return {"a": inside[0]} if pa.types.is_struct(arrow) else inside


def write(folder: Path, sample: Sample) -> None:
    """A file of the sample in each encoding: readers take other paths through them."""
    array = arrow_array(sample)
    table = pa.table({"n": pa.array(range(len(array)), pa.int32()), "c": array})
    for encoding in encodings(sample):
        path = folder / f"{sample.name}.{encoding}.parquet"
        pq.write_table(table, path, **ENCODINGS[encoding])


def encodings(sample: Sample) -> tuple[str, ...]:
    """The encodings that make a difference to a sample."""
    if sample.type["type"] in NESTED:
        return ("dictionary",)
    return tuple(ENCODINGS)[: 3 if sample.type["type"] == "DECIMAL" else 2]


def write_each(folder: Path, sample: Sample) -> list[Path]:
    """A file for each value: one that is refused must not hide another that is changed."""
    array = arrow_array(sample)
    paths = [folder / f"{sample.name}.{number}.parquet" for number in range(len(array))]
    for number, path in enumerate(paths):
        pq.write_table(pa.table({"c": array.slice(number, 1)}), path)
    return paths
