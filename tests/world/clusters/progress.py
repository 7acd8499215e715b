"""Runs a job of eight tasks at a server of Spark Connect, and prints the progress as JSON.

python progress.py URL
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.session import spark_session


def _slowly(batches: Iterator[Any]) -> Iterator[Any]:
    time.sleep(0.7)
    yield from batches


def main() -> None:
    seen: list[tuple[int, int]] = []
    with spark_session(None, master=sys.argv[1], settings={}, why_not=lambda: None) as running:
        job.run_job(
            running,
            lambda spark: spark.range(0, 8, 1, 8).mapInArrow(_slowly, "id long").toArrow(),
            lambda done, tasks: seen.append((done, tasks)),
        )
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
