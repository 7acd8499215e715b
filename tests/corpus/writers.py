"""Files of many writers, versions of formats, codecs and quirks; the same for the same number."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import avro.datafile
import avro.io
import avro.schema
import duckdb
import fastavro
import orjson
import polars
import pyarrow as pa
from fastavro.utils import generate_many
from pyarrow import feather, ipc, orc
from pyarrow import parquet as pq

from tests.corpus import schemas
from tests.corpus.schemas import Leaves, make_avro_schema, make_schema


class CorpusFile(NamedTuple):
    """A file, with the program and the settings that wrote it."""

    path: Path
    format: str
    made: str


def _table(chance: random.Random, schema: pa.Schema) -> pa.Table:
    """A table of nulls, or without rows where a column may not be null."""
    rows = chance.choice((0, 3)) if all(_may_be_null(one) for one in schema) else 0
    return pa.table([pa.nulls(rows, one.type) for one in schema], schema=schema)


def _may_be_null(one: pa.Field) -> bool:
    """Whether the column and all that is nested in it may be null; keys of maps may not."""
    kind = one.type
    if pa.types.is_map(kind):
        return bool(one.nullable and _may_be_null(kind.item_field))
    nested = [kind.field(at) for at in range(kind.num_fields)]
    return bool(one.nullable and all(map(_may_be_null, nested)))


def _parquet_arrow(chance: random.Random, path: Path) -> str:
    leaves: Leaves = (
        *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.UNSIGNED, *schemas.BYTES, *schemas.FIXED,
        *schemas.DECIMALS, *schemas.TIMES, *schemas.ARROW_ONLY,
    )  # fmt: skip
    table = _table(chance, make_schema(chance, leaves))
    options: dict[str, Any] = {
        "version": chance.choice(("1.0", "2.4", "2.6")),
        "compression": chance.choice(("none", "snappy", "gzip", "brotli", "zstd", "lz4")),
        "data_page_version": chance.choice(("1.0", "2.0")),
        "use_dictionary": chance.random() < 0.5,
        "store_schema": chance.random() < 0.5,
        "use_compliant_nested_type": chance.random() < 0.7,
        "use_deprecated_int96_timestamps": chance.random() < 0.2,
        "write_page_index": chance.random() < 0.3,
    }
    pq.write_table(table, path, allow_truncated_timestamps=True, **options)
    return f"pyarrow {sorted(options.items())}"


def _parquet_duckdb(chance: random.Random, path: Path) -> str:
    leaves = (
        *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.UNSIGNED, *schemas.BYTES,
        *schemas.DECIMALS, *schemas.MICROS,
    )  # fmt: skip
    codec = chance.choice(("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"))
    version = chance.choice(("V1", "V2"))
    table = make_schema(chance, leaves, nests="ams").empty_table()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("made", table)
        options = f"FORMAT parquet, CODEC {codec}, PARQUET_VERSION {version}"
        connection.execute(f"COPY made TO '{path}' ({options})")
    return f"duckdb {codec} {version}"


def _polars_frame(chance: random.Random, leaves: Leaves, nests: str) -> polars.DataFrame:
    frame = polars.from_arrow(make_schema(chance, leaves, nests=nests).empty_table())
    assert isinstance(frame, polars.DataFrame)
    return frame


_POLARS: Leaves = (
    *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.UNSIGNED, *schemas.BYTES, *schemas.DECIMALS,
    lambda chance: pa.timestamp(chance.choice(("ms", "us", "ns"))),
)  # fmt: skip


def _parquet_polars(chance: random.Random, path: Path) -> str:
    codec: Any = chance.choice(("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"))
    _polars_frame(chance, _POLARS, "as").write_parquet(path, compression=codec)
    return f"polars {codec}"


def _orc_arrow(chance: random.Random, path: Path) -> str:
    leaves = (
        *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.BYTES, *schemas.DECIMALS,
        lambda _: pa.timestamp("ns"), lambda _: pa.timestamp("ns", "UTC"),
    )  # fmt: skip
    codec = chance.choice(("uncompressed", "snappy", "zlib", "zstd", "lz4"))
    version = chance.choice(("0.11", "0.12"))
    table = _table(chance, make_schema(chance, leaves, nests="ams"))
    orc.write_table(table, path, compression=codec, file_version=version)
    return f"pyarrow {codec} {version}"


_AVRO_CODECS = ("null", "deflate", "snappy", "bzip2", "xz")


def _avro_fastavro(chance: random.Random, path: Path) -> str:
    codec = chance.choice(_AVRO_CODECS)
    schema = make_avro_schema(chance)
    rows = list(generate_many(schema, 2)) if chance.random() < 0.5 else []
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows, codec)
    return f"fastavro {codec} {len(rows)} rows"


def _avro_official(chance: random.Random, path: Path) -> str:
    codec = chance.choice(("null", "deflate"))
    parsed = avro.schema.parse(orjson.dumps(make_avro_schema(chance)).decode())
    with (
        path.open("wb") as file,
        avro.datafile.DataFileWriter(file, avro.io.DatumWriter(), parsed, codec),
    ):
        pass
    return f"avro {codec}"


def _avro_polars(chance: random.Random, path: Path) -> str:
    codec: Any = chance.choice(("uncompressed", "snappy", "deflate"))
    _polars_frame(chance, (*schemas.PLAIN, *schemas.BYTES), "").write_avro(path, compression=codec)
    return f"polars {codec}"


def _arrow(chance: random.Random, path: Path, *, is_stream: bool) -> str:
    leaves = (
        *schemas.PLAIN, *schemas.SMALL_INTEGERS, *schemas.UNSIGNED, *schemas.BYTES, *schemas.FIXED,
        *schemas.DECIMALS, *schemas.TIMES, *schemas.ARROW_ONLY,
    )  # fmt: skip
    codec = chance.choice((None, "lz4", "zstd"))
    version = chance.choice((ipc.MetadataVersion.V4, ipc.MetadataVersion.V5))
    options = ipc.IpcWriteOptions(compression=codec, metadata_version=version)
    table = _table(chance, make_schema(chance, leaves))
    with path.open("wb") as file:
        make = ipc.new_stream if is_stream else ipc.new_file
        with make(file, table.schema, options=options) as writer:
            writer.write_table(table)
    return f"pyarrow {'stream' if is_stream else 'file'} {codec} {version.name}"


def _arrow_polars(chance: random.Random, path: Path) -> str:
    codec: Any = chance.choice(("uncompressed", "lz4", "zstd"))
    _polars_frame(chance, _POLARS, "as").write_ipc(path, compression=codec)
    return f"polars {codec}"


def _feather(chance: random.Random, path: Path) -> str:
    codec = chance.choice(("uncompressed", "lz4", "zstd"))
    table = _table(chance, make_schema(chance, schemas.PLAIN))
    feather.write_feather(table, path, compression=codec)
    return f"feather {codec}"


Writer = Callable[[random.Random, Path], str]

WRITERS: tuple[tuple[str, int, Writer], ...] = (
    ("parquet", 5, _parquet_arrow),
    ("parquet", 3, _parquet_duckdb),
    ("parquet", 3, _parquet_polars),
    ("orc", 4, _orc_arrow),
    ("avro", 3, _avro_fastavro),
    ("avro", 2, _avro_official),
    ("avro", 1, _avro_polars),
    ("arrow", 1, partial(_arrow, is_stream=False)),
    ("arrow", 1, partial(_arrow, is_stream=True)),
    ("arrow", 1, _arrow_polars),
    ("arrow", 1, _feather),
)
"""Format, share of the files, and function."""


def write_corpus(folder: Path, count: int) -> Iterator[CorpusFile]:
    """Write so many files, each from a seed of its own."""
    every = [(kind, write) for kind, share, write in WRITERS for _ in range(share)]
    for number in range(count):
        kind, write = every[number % len(every)]
        path = folder / f"{number:05}.{kind}"
        yield CorpusFile(path, kind, write(random.Random(number), path))
