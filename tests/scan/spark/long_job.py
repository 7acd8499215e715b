"""Starts a session as a scan does, and a job in it that takes minutes.

python long_job.py NAME=SETTING...
"""

import sys
import time
from collections.abc import Iterator
from typing import Any

from lumos_snap.scan.spark.session import failures, spark_session


def _slowly(batches: Iterator[Any]) -> Iterator[Any]:
    time.sleep(120)
    yield from batches


def main() -> None:
    settings = dict(word.split("=", 1) for word in sys.argv[1:])
    with spark_session(None, master="local[2]", settings=settings, why_not=lambda: None) as running:
        gateway: Any = running.spark.sparkContext._gateway
        sys.stdout.write(f"{gateway.proc.pid}\n")
        sys.stdout.flush()
        try:
            running.spark.range(4).mapInArrow(_slowly, "id long").collect()
        except failures() as exc:
            assert running.interrupted.is_set()
            raise KeyboardInterrupt from exc


if __name__ == "__main__":
    main()
