"""The floor of a cold scan: a session as Spark starts it, and every footer or head opened once.

python floor_scan.py FOLDER
"""

import os
import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

os.environ["PYSPARK_PYTHON"] = sys.executable
HEAD = 64 * 1024


def look(path: str) -> str:
    """Open one file as its own library does."""
    import fastavro  # noqa: PLC0415 - in workers
    import pyarrow.parquet as pq  # noqa: PLC0415 - likewise
    from pyarrow import orc  # noqa: PLC0415 - likewise

    with open(path, "rb") as file:  # noqa: PTH123 - the floor is bare
        if path.endswith(".parquet"):
            return str(pq.read_schema(file))
        if path.endswith(".orc"):
            return str(orc.ORCFile(file).schema)
        if path.endswith(".avro"):
            return str(fastavro.reader(file).writer_schema)
        return str(len(file.read(HEAD)))


def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What Spark maps."""
    for batch in batches:
        found = [look(path) for path in batch.column("path").to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(found)], ["found"])


def main() -> None:
    """List, look, collect."""
    paths = [
        os.path.join(folder, name)  # noqa: PTH118 - likewise
        for folder, _, names in os.walk(sys.argv[1])
        for name in names
    ]
    spark = SparkSession.builder.getOrCreate()
    files = spark.createDataFrame(pa.table({"path": paths}))
    print(files.mapInArrow(task, "found string").toArrow().num_rows)
    spark.stop()


main()
