"""Reads three files by Spark, as a scan does; one of them ends the process that reads it."""

import json
import sys

import pyarrow as pa
from pyspark import cloudpickle

from lumos_snap.scan.executors.task import make_task
from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.session import spark_session
from tests.scan.executors import deadly_stores
from tests.scan.executors.deadly_stores import LETHAL, Deadly, by_file


def main() -> None:
    cloudpickle.register_pickle_by_value(deadly_stores)
    with spark_session(None, master="local[2]", settings={}, why_not=lambda: None) as running:
        lines = list(job.read_in_tasks(running, _files(), make_task((Deadly(),)), job.ignore_tasks))
    details = {
        number: json.loads(said).get("detail") for number, (_, said, _) in by_file(lines).items()
    }
    sys.stdout.write(json.dumps(details))


def _files() -> pa.Table:
    return pa.table(
        {
            "dataset": pa.array(range(3), pa.int32()),
            "number": pa.array(range(3), pa.int32()),
            "store": pa.array([0] * 3, pa.int32()),
            "path": pa.array([b"a.csv", f"{LETHAL}.csv".encode(), b"c.csv"], pa.binary()),
            "hint": [""] * 3,
            "suffix": [".csv"] * 3,
            "parts": pa.array([[]] * 3, pa.list_(pa.binary())),
        }
    )


if __name__ == "__main__":
    main()
