"""Workers have nothing of ours: what reads logs travels with the job, by value."""

import base64
import functools
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from lumos_snap.scan.spark import job
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.tables.registry import read_table
from tests.scan.tables.delta.delta_tables import CREATED, add, checkpoint, log
from tests.scan.tables.hudi.hudi_tables import (
    TRIPS,
    block,
    data_file,
    instants,
    write_8,
    write_bare,
)
from tests.scan.tables.hudi.hudi_tables import table as hudi_table
from tests.scan.tables.iceberg.iceberg_tables import field, held, stored, view
from tests.scan.tables.lake import logs

_ELSEWHERE = """
import base64, pickle, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("lumos_snap", "tests"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
read = pickle.loads(base64.b64decode(sys.stdin.read()))
print(tuple(read()))
assert not any(name.startswith("lumos_snap") for name in sys.modules)
"""


def delta(folder: Path) -> None:
    checkpoint(folder / "_delta_log" / f"{3:020}.checkpoint.parquet", *CREATED, add("a"))
    log(folder, [add("b")], first=4)


def iceberg(folder: Path) -> None:
    stored(folder, held(field(1, "x")))


def hudi(folder: Path) -> None:
    first, last = instants(1, 2)
    write_8(hudi_table(folder), first, last, TRIPS, codec="deflate")


def iceberg_view(folder: Path) -> None:
    stored(folder, view(field(1, "x")))


def hudi_files(folder: Path) -> None:
    data_file(folder, "dt=a/f.parquet", "id")
    write_bare(hudi_table(folder), instants(1)[0], "dt=a/f.parquet")


def hudi_logs(folder: Path) -> None:
    (folder / "dt=a").mkdir()
    (folder / "dt=a/.f.log.1").write_bytes(block(3, schema=TRIPS))
    write_bare(hudi_table(folder), instants(1)[0], "dt=a/.f.log.1")


@pytest.mark.parametrize("make", [delta, iceberg, iceberg_view, hudi, hudi_files, hudi_logs])
def test_logs_are_read_where_this_package_is_not(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path)
    (((root, kind), found),) = logs(tmp_path).items()
    reader = LocalStore(str(tmp_path)).reader()
    read = functools.partial(read_table, reader, kind, root, [one.path for one in found.parts()])
    with job.carry_packages():
        shipped = cloudpickle.dumps(read)
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE],
        input=base64.b64encode(shipped).decode(),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.strip() == str(tuple(read()))
