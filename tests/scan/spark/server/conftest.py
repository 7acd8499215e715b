"""Users of Spark servers; whatever a test does, none is left."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.scan.spark.server.machine import User, processes, soon

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    """A user with a small lake and an empty tree."""
    made = make_user(tmp_path / "user")
    yield made
    made.run("spark", "stop")
    soon(lambda: not processes(str(made.home)))
    shutil.rmtree(made.home)


def make_user(home: Path) -> User:
    (home / "tree").mkdir(parents=True)
    (home / "tree/lumos.yaml").write_text("version: 1\nsources:\n  - {name: lake, path: ../lake}\n")
    for day in (1, 2):
        orders = home / f"lake/orders/dt=2026-01-0{day}"
        orders.mkdir(parents=True)
        pq.write_table(pa.table({"id": [day], "total": [1.5]}), orders / "part-0.parquet")
    (home / "lake/clicks.json").write_text('{"event": "view"}\n')
    (home / "lake/broken.parquet").write_bytes(b"PAR1")
    return User(home)
