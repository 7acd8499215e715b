"""How the evidence of each format becomes a schema: a row each."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.scan.schemas import arrow, avro, csv, delta, hudi, iceberg, orc, parquet, sparktable
from lumos_snap.scan.schemas import json as json_objects
from lumos_snap.scan.schemas.described import Described

SCHEMAS: Mapping[str, Callable[[Any], Described]] = {
    "delta": delta.schema_of,
    "iceberg": iceberg.schema_of,
    "hudi": hudi.schema_of,
    "spark": sparktable.schema_of,
    "parquet": parquet.schema_of,
    "orc": orc.schema_of,
    "avro": avro.schema_of,
    "arrow": arrow.schema_of,
    "json": json_objects.schema_of,
    "csv": csv.schema_of,
}
"""Where a dataset has files of several formats, the first of these is the one that it is called."""


@functools.lru_cache(maxsize=1024)
def described(file_format: str, evidence: str) -> Described:
    """What a kind of file says; many datasets may have the same."""
    return SCHEMAS[file_format](json.loads(evidence))
