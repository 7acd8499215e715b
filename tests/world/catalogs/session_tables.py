"""A program that asks a session for its tables, in a process of its own: Java is started once.

It is told in a JSON document which session to have, what to run in it and which tables to ask for.
It writes what the catalog says of each, and what the session itself resolves.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from lumos_snap.scan.sources.catalog import CatalogTable
from lumos_snap.scan.sources.spark_catalog import SparkCatalog
from lumos_snap.scan.sources.spark_tables import SPARK, quote_name
from lumos_snap.scan.sources.urls import open_folder


def main(asked: Path, answer: Path) -> None:
    told = json.loads(asked.read_text())
    builder = SparkSession.builder
    for name, value in told["settings"].items():
        builder = builder.config(name, value)
    spark = (builder.remote(told["remote"]) if told["remote"] else builder).getOrCreate()
    try:
        for statement in told["statements"]:
            spark.sql(statement)
        found = list(
            SparkCatalog.at(told["address"]).on(spark, open_folder).tables(lambda _names: True)
        )
        resolved = {
            ".".join(one.names): json.loads(
                spark.table(told["within"] + quote_name(one.names)).schema.json()
            )
            for one in found
            if isinstance(one, CatalogTable) and one.format == SPARK
        }
        said = [one._asdict() for one in found]
        answer.write_text(json.dumps({"found": said, "resolved": resolved}))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
