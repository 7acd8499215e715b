"""A bucket that holds very much is listed by the workers of a cluster, and looks the same."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.world.clusters.tree import PATIENCE, Ran, Tree
from tests.world.servers.clusters import Cluster, alone
from tests.world.servers.object_stores import moto
from tests.world.servers.processes import Server, environment
from tests.world.stores.lakes import environment as credentials
from tests.world.stores.lakes import s3_client

pytestmark = pytest.mark.world
TABLES, DAYS, FILES = 40, 5, 15
_SCAN = """
import sys
from lumos_snap.cli import main
from lumos_snap.scan.spark import listing
from lumos_snap.scan.stores import prefix_listing

prefix_listing.WIDE, prefix_listing.PARTS = 1_200, 100
parse_page, told = listing.parse_page, []
listing.parse_page = lambda line: told.append(line) or parse_page(line)
code = main(sys.argv[1:])
print(*{line[-300:] for line in told if '"page"' not in line}, file=sys.stderr)
print("pages of workers:", sum('"page"' in line for line in told), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def with_boto3() -> Path:
    """A Python for workers that can list a bucket, and has nothing of ours."""
    home = environment("worker-s3", "pyarrow>=18", "pandas>=2.2,<3", "boto3")
    python = home / "bin/python"
    asked = [str(python), "-c", "import boto3, lumos_snap"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False, cwd="/", env=alone())
    assert "No module named 'lumos_snap'" in ran.stderr
    return python


@pytest.fixture(scope="module")
def bucket() -> Iterator[Server]:
    with moto() as server, credentials(server.environment):
        client = s3_client(server)
        client.create_bucket(Bucket="lake")
        keys = [
            f"raw/{_word(table)}/day={day}/f{file:03}.csv"
            for table in range(TABLES)
            for day in range(DAYS)
            for file in range(FILES)
        ]
        odd = ["raw/odd//1.csv", "raw/odd/ü +%20&.csv", "raw/_SUCCESS", "top.csv"]

        def put(key: str) -> None:
            client.put_object(Bucket="lake", Key=key, Body=b"id,name\n1,a\n")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(put, [*keys, *odd]))
        yield server


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, bucket: Server) -> tuple[Tree, Ran]:
    """What this machine alone writes."""
    tree = Tree(tmp_path_factory.mktemp("here"))
    ran = scanned(tree, bucket, "--master", "local[2]")
    assert ran.code == 0, ran.err
    assert "pages of workers: 0" in ran.err
    assert len(tree.snapshots()) > TABLES
    return tree, ran


def test_workers_list_what_this_machine_lists(
    tmp_path: Path, bucket: Server, here: tuple[Tree, Ran], cluster: Cluster, with_boto3: Path
) -> None:
    tree = Tree(tmp_path)
    ran = scanned(tree, bucket, "--master", cluster.url, PYSPARK_PYTHON=str(with_boto3))
    assert ran.code == 0, ran.err
    assert int(ran.err.rpartition("pages of workers: ")[2]) >= TABLES / 2, ran.err
    assert tree.snapshots() == here[0].snapshots()
    assert report(ran) == report(here[1])


def test_workers_without_boto3_are_not_needed(
    tmp_path: Path, bucket: Server, here: tuple[Tree, Ran], cluster: Cluster
) -> None:
    tree = Tree(tmp_path)
    ran = scanned(tree, bucket, "--master", cluster.url, PYSPARK_PYTHON=str(cluster.python))
    assert ran.code == 0, ran.err
    assert "pages of workers: 0" in ran.err
    assert tree.snapshots() == here[0].snapshots()
    assert report(ran) == report(here[1])


def scanned(tree: Tree, bucket: Server, *options: str, **env: str) -> Ran:
    """A scan to which some thousand files are very much."""
    access = {f"spark.executorEnv.{name}": said for name, said in bucket.environment.items()}
    small = {"spark.executor.cores": "1", "spark.executor.memory": "512m"}
    source = {"name": "lake", "path": "s3://lake", "store": {"endpoint": bucket.endpoint}}
    settings = {"version": 1, "sources": [{**source, "sample": 1}]}
    conf = [part for one in {**access, **small}.items() for part in ("--conf", "=".join(one))]
    (tree.root / "lumos.yaml").write_text(yaml.safe_dump(settings))
    done = subprocess.run(
        [sys.executable, "-c", _SCAN, "snap", "scan", "--json", *conf, *options],
        cwd=tree.root,
        env={**alone(), **bucket.environment, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def report(ran: Ran) -> object:
    """What a scan says of the sources."""
    said = json.loads(ran.out)
    return {name: said[name] for name in ("sources", "bad_files", "failed", "counts")}


def _word(number: int) -> str:
    """A name without digits, which would look like a part of one table."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03d}")
