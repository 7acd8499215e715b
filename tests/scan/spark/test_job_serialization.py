"""Workers have nothing of ours: what looks at files travels with the job, by value."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from lumos_snap.scan.executors.task import make_task
from lumos_snap.scan.grouping.extensions import suffixes_of
from lumos_snap.scan.spark import job
from lumos_snap.scan.stores.local import LocalStore
from tests.commands.scan.hostile_files import good, hostile

_ELSEWHERE = """
import base64, pickle, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("lumos_snap", "tests"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
task = pickle.loads(base64.b64decode(sys.stdin.readline()))
import pyarrow as pa
batch = pa.ipc.open_stream(base64.b64decode(sys.stdin.readline())).read_next_batch()
for found in task(iter([batch])):
    print(*found.column("line").to_pylist(), sep="\\n")
assert not any(name.startswith("lumos_snap") for name in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (*list(good())[:12], *list(hostile(seed=2))[::25]):
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_files_are_looked_at_where_this_package_is_not(folder: Path) -> None:
    task = make_task((LocalStore(str(folder)),))
    with job.carry_packages():
        shipped = cloudpickle.dumps(task)
    batch = _batch(folder)
    target = pa.BufferOutputStream()
    with pa.ipc.new_stream(target, batch.schema) as stream:
        stream.write_batch(batch)
    lines = [base64.b64encode(one).decode() for one in (shipped, target.getvalue().to_pybytes())]
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    here = [line for found in task(iter([batch])) for line in found.column("line").to_pylist()]
    assert done.stdout.splitlines() == here
    assert len(here) > 12
    assert {"avro", "parquet", "orc", "arrow", "csv", "json"} <= set(_formats(here))


def _batch(folder: Path) -> pa.RecordBatch:
    names = sorted(path.name for path in folder.iterdir())
    hints = [suffixes_of(name) for name in names]
    return pa.record_batch(
        {
            "dataset": pa.array(range(len(names)), pa.int32()),
            "number": pa.array(range(len(names)), pa.int32()),
            "store": pa.array([0] * len(names), pa.int32()),
            "path": pa.array([name.encode() for name in names], pa.binary()),
            "hint": [hint for hint, _ in hints],
            "suffix": [suffix for _, suffix in hints],
            "parts": pa.array([[]] * len(names), pa.list_(pa.binary())),
        }
    )


def _formats(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield json.loads(json.loads(line)["evidence"]).get("format", "")
