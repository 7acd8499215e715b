"""Registry of formats: the function that converts the evidence of each to a schema."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.scan.formats.arrow import schema as arrow_schema
from lumos_snap.scan.formats.avro import schema as avro_schema
from lumos_snap.scan.formats.csv import schema as csv_schema
from lumos_snap.scan.formats.json import schema as json_objects
from lumos_snap.scan.formats.orc import schema as orc_schema
from lumos_snap.scan.formats.parquet import schema as parquet_schema
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.tables.delta import schema as delta_schema
from lumos_snap.scan.tables.hudi import schema as hudi_schema
from lumos_snap.scan.tables.iceberg import schema as iceberg_schema
from lumos_snap.scan.tables.spark import schema as spark_schema

SCHEMAS: Mapping[str, Callable[[Any], DatasetSchema]] = {
    "delta": delta_schema.schema_of,
    "iceberg": iceberg_schema.schema_of,
    "hudi": hudi_schema.schema_of,
    "spark": spark_schema.schema_of,
    "parquet": parquet_schema.schema_of,
    "orc": orc_schema.schema_of,
    "avro": avro_schema.schema_of,
    "arrow": arrow_schema.schema_of,
    "json": json_objects.schema_of,
    "csv": csv_schema.schema_of,
}
"""If a dataset has files of several formats, its format is the first of these."""


@functools.lru_cache(maxsize=1024)
def describe_evidence(file_format: str, evidence: str) -> DatasetSchema:
    """Convert evidence to a schema; cached, as many datasets may have the same."""
    return SCHEMAS[file_format](json.loads(evidence))
