"""Children of a worker: a job reads on where a file ends its reader, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from lumos_snap.scan.executors.task import make_task
from lumos_snap.scan.spark import job
from lumos_snap.scan.spark.session import RunningSession
from tests.scan.executors import deadly_stores
from tests.scan.executors.deadly_stores import LETHAL, Closed, Deadly, asked, by_file, in_children

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")


def test_a_job_goes_on_where_a_file_ends_its_reader(spark: SparkSession) -> None:
    from pyspark import cloudpickle  # noqa: PLC0415 - as in workers

    bad = {3, 77, 400}
    paths = [f"{LETHAL if number in bad else 'fine'}/{number}.csv" for number in range(500)]
    cloudpickle.register_pickle_by_value(deadly_stores)
    try:
        lines = list(
            job.read_in_tasks(
                RunningSession(spark, "", "local[2]"),
                _table(paths),
                make_task((Deadly(),)),
                job.ignore_tasks,
            )
        )
    finally:
        cloudpickle.unregister_pickle_by_value(deadly_stores)
    found = by_file(lines)
    assert sorted(found) == list(range(500))
    lost = {number: json.loads(said) for number, (_, said, _) in found.items() if "reason" in said}
    assert set(lost) == bad
    assert {one["detail"] for one in lost.values()} == {
        "ends the process that reads it: ended by signal 9"
    }


def _table(paths: list[str]) -> pa.Table:
    count = len(paths)
    return pa.table(
        {
            "dataset": pa.array(range(count), pa.int32()),
            "number": pa.array(range(count), pa.int32()),
            "store": pa.array([0] * count, pa.int32()),
            "path": pa.array([path.encode() for path in paths], pa.binary()),
            "hint": [""] * count,
            "suffix": [".csv"] * count,
            "parts": pa.array([[]] * count, pa.list_(pa.binary())),
        }
    )


def test_where_no_store_can_be_opened_the_task_fails_with_the_reason() -> None:
    with pytest.raises(RuntimeError, match=r"cannot be read here: .*No module named 'elsewhere'"):
        in_children(asked("a"), Closed())


@pytest.mark.slow
def test_where_every_file_ends_its_reader_the_task_fails() -> None:
    with pytest.raises(RuntimeError, match="again and again: ended by signal 9"):
        in_children(asked(*(f"{LETHAL}/{number}" for number in range(300))), Deadly())


@LINUX
def test_a_file_that_takes_too_much_memory_is_reported() -> None:
    found = by_file(in_children(asked("fine", "greedy"), Deadly()))
    assert json.loads(found[0][1])["format"] == "csv"
    assert json.loads(found[1][1])["detail"] == "cannot be understood (MemoryError)"


def test_no_child_is_left() -> None:
    before = set(_children_of(os.getpid()))
    in_children(asked("fine", LETHAL, "wrong"), Deadly())
    assert set(_children_of(os.getpid())) == before


_WORKER = """
from lumos_snap.scan.executors.task import read_in_child
from tests.scan.executors.deadly_stores import Deadly, asked
read_in_child((Deadly(),), iter(asked("slow")))
"""


@LINUX
def test_a_child_ends_with_its_worker(root: Path) -> None:
    worker = subprocess.Popen([sys.executable, "-c", _WORKER], cwd=root, env=_environment(root))
    (child,) = _awaited(worker.pid)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    deadline = time.monotonic() + 60
    while _is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_running(child)


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root)}


def _awaited(parent: int) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := list(_children_of(parent)):
            time.sleep(0.5)  # until it reads
            return found
        time.sleep(0.05)
    return []


def _children_of(parent: int) -> Iterator[int]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(told[1]) == parent and told[0] != "Z":
            yield int(status.parent.name)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
