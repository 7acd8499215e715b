"""Columns down to their leaves, in one notation: ours, and that of each independent reader."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import avro.datafile
import avro.io
import avro.schema
import duckdb
import fastavro
import polars
import pyarrow as pa
from pyarrow import ipc, orc
from pyarrow import parquet as pq

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Kind
from lumos_snap.scan.executors.file_task import read_evidence
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.registry import describe_evidence
from lumos_snap.scan.stores.local import LocalStore

Leaf: TypeAlias = tuple[str, str]
"""A path and a type."""


def read_ours(path: Path) -> list[Leaf]:
    """Read the columns with the product."""
    said = read_evidence(LocalStore(str(path.parent)), path.name, path.suffix[1:], path.suffix)
    assert isinstance(said, ProbeResult), said
    schema = describe_evidence(said.format, said.schema).schema
    named = {one.name: one for one in schema.definitions}
    return [leaf for one in schema.fields for leaf in _ours(one.name, one, named)]


def _ours(path: str, one: DataType, named: Mapping[str, DataType]) -> Iterator[Leaf]:
    if one.type is Kind.REF and one.ref is not None:
        one = named[one.ref]
    if one.type is Kind.STRUCT:
        for member in one.fields:
            yield from _ours(f"{path}.{member.name}", member, named)
    elif one.type is Kind.ARRAY and one.element is not None:
        yield from _ours(f"{path}[]", one.element, named)
    elif one.type is Kind.MAP and one.key is not None and one.value is not None:
        yield from _ours(f"{path}{{key}}", one.key, named)
        yield from _ours(f"{path}{{}}", one.value, named)
    elif one.type is Kind.UNION:
        for at, branch in enumerate(one.branches):
            yield from _ours(f"{path}<{at}>", branch, named)
    else:
        yield path, format_type(one)


def _arrow_leaves(path: str, kind: pa.DataType) -> Iterator[Leaf]:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_struct(kind):
        for member in kind:
            yield from _arrow_leaves(f"{path}.{member.name}", member.type)
    elif pa.types.is_map(kind):
        yield from _arrow_leaves(f"{path}{{key}}", kind.key_type)
        yield from _arrow_leaves(f"{path}{{}}", kind.item_type)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _arrow_leaves(f"{path}[]", kind.value_type)
    else:
        yield path, _arrow_scalar(kind)


_ARROW = {
    "bool": "BOOLEAN", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
    "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
    "halffloat": "FLOAT16", "float": "FLOAT32", "double": "FLOAT64", "string": "STRING",
    "large_string": "STRING", "string_view": "STRING", "binary": "BINARY",
    "large_binary": "BINARY", "binary_view": "BINARY", "date32[day]": "DATE",
    "date64[ms]": "DATE", "time32[s]": "TIME(s)", "time32[ms]": "TIME(ms)",
    "time64[us]": "TIME(us)", "time64[ns]": "TIME(ns)",
}  # fmt: skip


def _arrow_scalar(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if pa.types.is_fixed_size_binary(kind):
        return f"FIXED({kind.byte_width})"
    if pa.types.is_timestamp(kind):
        return f"TIMESTAMP({kind.unit}{f', {kind.tz}' if kind.tz else ''})"
    return _ARROW[str(kind)]


def read_with_pyarrow(path: Path) -> list[Leaf]:
    """Read the columns with Arrow's readers in C++; of Parquet, without its own notes."""
    match path.suffix:
        case ".parquet":
            with pq.ParquetFile(path) as file:
                schema = file.schema.to_arrow_schema()
        case ".orc":
            schema = orc.ORCFile(path).schema
        case _:
            with pa.memory_map(str(path)) as source:
                try:
                    schema = ipc.open_file(source).schema
                except pa.ArrowInvalid:
                    source.seek(0)
                    schema = ipc.open_stream(source).schema
    return [leaf for one in schema for leaf in _arrow_leaves(one.name, one.type)]


_DUCKDB = {
    "boolean": "BOOLEAN", "tinyint": "INT8", "smallint": "INT16", "integer": "INT32",
    "bigint": "INT64", "utinyint": "UINT8", "usmallint": "UINT16", "uinteger": "UINT32",
    "ubigint": "UINT64", "float": "FLOAT32", "double": "FLOAT64", "varchar": "STRING",
    "blob": "BINARY", "date": "DATE", "time": "TIME(us)", "timestamp": "TIMESTAMP(us)",
    "timestamp_s": "TIMESTAMP(s)", "timestamp_ms": "TIMESTAMP(ms)", "timestamp_ns": "TIMESTAMP(ns)",
    "time_ns": "TIME(ns)", "timestamp with time zone": "TIMESTAMP(us, UTC)",
    "timestamp_ns with time zone": "TIMESTAMP(ns, UTC)", "uuid": "UUID",
    "timestamptz_ns": "TIMESTAMP(ns, UTC)",
}  # fmt: skip


def _duckdb_leaves(path: str, kind: Any) -> Iterator[Leaf]:
    match kind.id:
        case "struct":
            for name, member in kind.children:
                yield from _duckdb_leaves(f"{path}.{name}", member)
        case "list":
            yield from _duckdb_leaves(f"{path}[]", kind.children[0][1])
        case "map":
            yield from _duckdb_leaves(f"{path}{{key}}", kind.children[0][1])
            yield from _duckdb_leaves(f"{path}{{}}", kind.children[1][1])
        case "decimal":
            yield path, str(kind).replace(" ", "")
        case name:
            yield path, _DUCKDB.get(name, name)


def read_with_duckdb(path: Path) -> list[Leaf]:
    """Read the columns of Parquet with DuckDB's own reader."""
    with duckdb.connect() as connection:
        found = connection.read_parquet(str(path))
        pairs = zip(found.columns, found.types, strict=True)
        return [leaf for name, kind in pairs for leaf in _duckdb_leaves(name, kind)]


def _polars_leaves(path: str, kind: Any) -> Iterator[Leaf]:
    if isinstance(kind, polars.Struct):
        for member in kind.fields:
            yield from _polars_leaves(f"{path}.{member.name}", member.dtype)
    elif isinstance(kind, polars.List):
        yield from _polars_leaves(f"{path}[]", kind.inner)
    elif isinstance(kind, polars.Map):
        yield from _polars_leaves(f"{path}{{key}}", kind.key)
        yield from _polars_leaves(f"{path}{{}}", kind.value)
    elif isinstance(kind, polars.Decimal):
        yield path, f"DECIMAL({kind.precision},{kind.scale})"
    elif isinstance(kind, polars.Datetime):
        zone = f", {kind.time_zone}" if kind.time_zone else ""
        yield path, f"TIMESTAMP({kind.time_unit}{zone})"
    else:
        yield path, _POLARS_NAMES[str(kind)]


_POLARS_NAMES = {
    "Boolean": "BOOLEAN", "Int8": "INT8", "Int16": "INT16", "Int32": "INT32", "Int64": "INT64",
    "UInt8": "UINT8", "UInt16": "UINT16", "UInt32": "UINT32", "UInt64": "UINT64",
    "Float16": "FLOAT16", "Float32": "FLOAT32", "Float64": "FLOAT64", "String": "STRING",
    "Categorical": "STRING", "Binary": "BINARY", "Date": "DATE", "Time": "TIME(ns)",
}  # fmt: skip


def read_with_polars(path: Path) -> list[Leaf]:
    """Read the columns of Arrow files with the reader of polars, in Rust."""
    try:
        schema = polars.read_ipc_schema(path)
    except polars.exceptions.PolarsError:
        schema = polars.read_ipc_stream(path, n_rows=0).schema
    return [leaf for name, kind in schema.items() for leaf in _polars_leaves(name, kind)]


_AVRO = {
    "boolean": "BOOLEAN", "int": "INT32", "long": "INT64", "float": "FLOAT32", "double": "FLOAT64",
    "bytes": "BINARY", "string": "STRING", "null": "NULL",
}  # fmt: skip
_LOGICAL = {
    "date": "DATE", "time-millis": "TIME(ms)", "time-micros": "TIME(us)",
    "timestamp-millis": "TIMESTAMP(ms, UTC)", "timestamp-micros": "TIMESTAMP(us, UTC)",
    "local-timestamp-millis": "TIMESTAMP(ms)", "local-timestamp-micros": "TIMESTAMP(us)",
    "uuid": "UUID",
}  # fmt: skip


def _avro_leaves(path: str, kind: Any) -> Iterator[Leaf]:
    if isinstance(kind, list):
        yield from _branches(path, [one for one in kind if one != "null"], _avro_leaves)
        return
    held = {"type": kind} if isinstance(kind, str) else kind
    yield from _AVRO_NESTED.get(held["type"], _avro_scalar)(path, held)


def _branches(
    path: str, branches: Sequence[Any], leaves: Callable[[str, Any], Iterator[Leaf]]
) -> Iterator[Leaf]:
    """One alternative besides null is the column itself."""
    for at, branch in enumerate(branches):
        yield from leaves(path if len(branches) == 1 else f"{path}<{at}>", branch)


def _avro_scalar(path: str, held: Mapping[str, Any]) -> Iterator[Leaf]:
    logical = held.get("logicalType")
    if logical == "decimal":
        yield path, f"DECIMAL({held['precision']},{held['scale']})"
    else:
        yield path, _LOGICAL.get(logical or "", _AVRO.get(held["type"], held["type"]))


def _avro_record(path: str, held: Mapping[str, Any]) -> Iterator[Leaf]:
    for member in held["fields"]:
        yield from _avro_leaves(f"{path}.{member['name']}", member["type"])


def _avro_map(path: str, held: Mapping[str, Any]) -> Iterator[Leaf]:
    yield f"{path}{{key}}", "STRING"
    yield from _avro_leaves(f"{path}{{}}", held["values"])


_AVRO_NESTED: Mapping[str, Callable[[str, Any], Iterator[Leaf]]] = {
    "record": _avro_record,
    "array": lambda path, held: _avro_leaves(f"{path}[]", held["items"]),
    "map": _avro_map,
    "enum": lambda path, held: iter([(path, _enum(held["symbols"]))]),
    "fixed": lambda path, held: iter([(path, f"FIXED({held['size']})")]),
}


def _enum(symbols: Iterable[str]) -> str:
    return f"ENUM({','.join(map(repr, symbols))})"


def read_with_fastavro(path: Path) -> list[Leaf]:
    """Read the columns of Avro files with fastavro."""
    with path.open("rb") as file:
        schema: Any = fastavro.reader(file).writer_schema
    return [leaf for one in schema["fields"] for leaf in _avro_leaves(one["name"], one["type"])]


def read_with_avro(path: Path) -> list[Leaf]:
    """Read the columns of Avro files with Avro's own package, by its parsed objects."""
    with (
        path.open("rb") as file,
        avro.datafile.DataFileReader(file, avro.io.DatumReader()) as reader,
    ):
        schema: Any = avro.schema.parse(reader.schema)
    return [leaf for one in schema.fields for leaf in _object_leaves(one.name, one.type)]


def _object_leaves(path: str, kind: Any) -> Iterator[Leaf]:
    found = next((leaves for cls, leaves in _OBJECTS if isinstance(kind, cls)), None)
    if found is None:
        yield from _avro_leaves(path, {"type": kind.type, **kind.other_props})
    else:
        yield from found(path, kind)


def _object_record(path: str, kind: Any) -> Iterator[Leaf]:
    for member in kind.fields:
        yield from _object_leaves(f"{path}.{member.name}", member.type)


def _object_map(path: str, kind: Any) -> Iterator[Leaf]:
    yield f"{path}{{key}}", "STRING"
    yield from _object_leaves(f"{path}{{}}", kind.values)


def _object_union(path: str, kind: Any) -> Iterator[Leaf]:
    branches = [one for one in kind.schemas if one.type != "null"]
    return _branches(path, branches, _object_leaves)


_OBJECTS: tuple[tuple[type, Callable[[str, Any], Iterator[Leaf]]], ...] = (
    (avro.schema.UnionSchema, _object_union),
    (avro.schema.RecordSchema, _object_record),
    (avro.schema.ArraySchema, lambda path, kind: _object_leaves(f"{path}[]", kind.items)),
    (avro.schema.MapSchema, _object_map),
    (avro.schema.EnumSchema, lambda path, kind: iter([(path, _enum(kind.symbols))])),
    (avro.schema.FixedSchema, lambda path, kind: iter([(path, f"FIXED({kind.size})")])),
)


def parse_spark(schema: Mapping[str, Any]) -> list[Leaf]:
    """Convert a schema of Spark, as JSON."""
    return [leaf for one in schema["fields"] for leaf in _spark_leaves(one["name"], one["type"])]


_SPARK = {
    "boolean": "BOOLEAN", "byte": "INT8", "short": "INT16", "integer": "INT32", "long": "INT64",
    "float": "FLOAT32", "double": "FLOAT64", "string": "STRING", "binary": "BINARY",
    "date": "DATE", "timestamp": "TIMESTAMP(us, UTC)", "timestamp_ntz": "TIMESTAMP(us)",
}  # fmt: skip


def _spark_leaves(path: str, kind: Any) -> Iterator[Leaf]:
    if isinstance(kind, str):
        yield path, _SPARK.get(kind) or re.sub(r"^decimal", "DECIMAL", kind)
    elif kind["type"] == "struct":
        for member in kind["fields"]:
            yield from _spark_leaves(f"{path}.{member['name']}", member["type"])
    elif kind["type"] == "array":
        yield from _spark_leaves(f"{path}[]", kind["elementType"])
    else:
        yield from _spark_leaves(f"{path}{{key}}", kind["keyType"])
        yield from _spark_leaves(f"{path}{{}}", kind["valueType"])
