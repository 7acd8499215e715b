"""A mixed lake beside a tree, and Spark that runs elsewhere: one of each for all tests here."""

import gzip
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from tests.world.clusters.tree import Tree
from tests.world.servers.clusters import (
    Cluster,
    Server,
    alone,
    server_of_connect,
    standalone,
    worker_python,
)


@pytest.fixture(scope="session")
def python() -> Path:
    """What runs tasks: it has what PySpark needs, and nothing of ours."""
    python = worker_python()
    asked = [str(python), "-c", "import pyarrow, pandas, lumos_snap"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False, cwd="/", env=alone())
    assert "No module named 'lumos_snap'" in ran.stderr
    return python


@pytest.fixture(scope="session")
def cluster(python: Path) -> Iterator[Cluster]:
    with standalone(python) as started:
        yield started


@pytest.fixture(scope="session")
def server(python: Path) -> Iterator[Server]:
    with server_of_connect(python) as started:
        yield started


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty tree."""
    root = tmp_path / "tree"
    root.mkdir()
    (root / "lumos.yaml").write_text("version: 1\n")
    return Tree(root)


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some files of most kinds, one of them bad."""
    top = tmp_path_factory.mktemp("mixed") / "lake"
    for day in range(1, 7):
        table = pa.table({"id": pa.array([day], pa.int64()), "total": [1.5]})
        orders = top / f"raw/orders/dt=2026-01-0{day}"
        orders.mkdir(parents=True)
        pq.write_table(table, orders / "part-0.parquet")
        (top / "raw/payments").mkdir(exist_ok=True)
        orc.write_table(table, top / f"raw/payments/part-{day}.orc")
        (top / "web").mkdir(exist_ok=True)
        (top / f"web/clicks-2026-01-0{day}.json").write_text('{"event": "view", "value": 1.5}\n')
    (top / "crm").mkdir()
    (top / "crm/stores.csv").write_text("id,name\n1,Köln\n2,Brno\n")
    (top / "crm/broken.parquet").write_bytes(b"PAR1 and no end")
    return top


@pytest.fixture(scope="session")
def slow_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So much text to look at that a scan takes many seconds."""
    top = tmp_path_factory.mktemp("slow") / "lake"
    top.mkdir()
    line = "2026-01-15T10:00:00Z,{},some words,1.5,true,x,y,z\n"
    text = "at,id,note,value,flag,a,b,c\n" + "".join(map(line.format, range(20_000)))
    packed = gzip.compress(text.encode(), mtime=0)
    for number in range(1_200):
        folder = top / f"area_{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"table_{_word(number)}.csv.gz").write_bytes(packed)
    return top


def _word(number: int) -> str:
    """A name without digits, which would look like a part of one table."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")
