"""Every version of PySpark that is supported: the same bytes, and a job that ends when it must."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lumos_snap.scan.spark.pyspark_versions import NEWEST, OLDEST, OLDEST_WITH_TOKEN, release
from tests.scan.spark.server.machine import soon
from tests.world.scans.lake import BAD, DATASETS, build
from tests.world.versions.sparks import ROOT, TRIED, VERSIONS, Spark, python_with

pytestmark = pytest.mark.world
STARTED = ROOT / "tests/scan/spark/short_job.py"
SLEEPING = ROOT / "tests/scan/spark/long_job.py"
DEADLY = Path(__file__).with_name("fatal_file.py")
SOON = 25
MISUSE = 2


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree, a lake of every format, and caches beside them."""
    top = tmp_path_factory.mktemp("versions")
    (top / "tree/lake").mkdir(parents=True)
    (top / "tree/lumos.yaml").write_text("version: 1\n")
    build(top / "tree/lake")
    return top


@pytest.fixture(scope="module", params=TRIED)
def spark(request: pytest.FixtureRequest, home: Path) -> Spark:
    return Spark(request.param, python_with(request.param), home)


@pytest.fixture(scope="module")
def expected(home: Path) -> dict[str, bytes]:
    """What the local engine writes: it needs no Spark."""
    newest = Spark(VERSIONS[-1], python_with(VERSIONS[-1]), home)
    documents, place = scanned(newest, "--engine", "local")
    assert place is None
    assert len(documents) == len(DATASETS)
    return documents


def scanned(spark: Spark, *options: str) -> tuple[dict[str, bytes], str | None]:
    """A first scan: its snapshots, and where Spark ran."""
    tree = spark.home / "tree"
    for name in ("snapshots", "observations", ".lumos"):
        subprocess.run(["rm", "-rf", str(tree / name)], check=True)
    ran = spark.lumos("snap", "scan", "tree/lake", "-C", "tree", "--json", *options)
    assert ran.returncode in {0, 1}, ran.stderr
    report = json.loads(ran.stdout)
    assert {one["path"] for one in report["bad_files"]} == BAD
    top = tree / "snapshots"
    documents = {str(one.relative_to(top)): one.read_bytes() for one in top.rglob("*.json")}
    return documents, report["engine"].get("place")


def test_the_versions_are_those_of_the_product() -> None:
    assert release(VERSIONS[0]) == OLDEST
    assert release(VERSIONS[-1]) == NEWEST


def test_scans_write_the_same_bytes(spark: Spark, expected: dict[str, bytes]) -> None:
    assert scanned(spark) == (expected, "local[*]")


def test_a_python_without_distutils_is_told_of(spark: Spark, home: Path) -> None:
    """As Python 3.12 is; only PySpark 3.5 needs it."""
    words = ("snap", "scan", "tree/lake", "-C", "tree", "--dry-run")
    program = (
        "import sys; sys.modules['distutils'] = None;"
        f"from lumos_snap.cli import main; sys.exit(main({words!r}))"
    )
    subprocess.run(["rm", "-rf", str(home / "tree/.lumos")], check=True)
    ran = spark.run("-c", program)
    if release(spark.version) < (4, 0):
        assert ran.returncode == MISUSE
        assert f"PySpark {spark.version} needs distutils" in ran.stderr
        assert "`pip install setuptools` brings it" in ran.stderr
    else:
        assert ran.returncode == 0, ran.stderr


def test_a_class_data_archive_is_made_and_used(spark: Spark) -> None:
    made = spark.lumos("doctor", "--warm", "--json")
    assert made.returncode in {0, 1}, made.stderr
    checks = {one["name"]: one for one in json.loads(made.stdout)["checks"]}
    assert checks["pyspark"]["found"].startswith(f"{spark.version}: supported")
    started = spark.run(STARTED, "local[2]")
    assert started.returncode == 0, started.stderr
    found = json.loads(started.stdout)
    assert (found["used"], found["rows"], found["notes"]) == (True, 10, [])


def test_a_file_that_ends_its_reader_is_named(spark: Spark) -> None:
    ran = spark.run(DEADLY)
    assert ran.returncode == 0, ran.stderr
    killed = "ends the process that reads it: ended by signal 9"
    assert json.loads(ran.stdout) == {"0": None, "1": killed, "2": None}


def test_ctrl_c_ends_a_long_job_soon(spark: Spark) -> None:
    running = subprocess.Popen(
        spark.command(SLEEPING),
        cwd=spark.home,
        env=spark.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    java = Path("/proc", running.stdout.readline().strip())
    time.sleep(3)  # the job runs
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert time.monotonic() - began < SOON
    assert err.rstrip().endswith("KeyboardInterrupt")
    soon(lambda: not java.exists())


def test_a_server_of_one_user_needs_a_version_with_tokens(
    spark: Spark, expected: dict[str, bytes]
) -> None:
    started = spark.lumos("spark", "start", "--json")
    if release(spark.version) < OLDEST_WITH_TOKEN:
        assert started.returncode == MISUSE
        assert f"PySpark {spark.version} has no server that asks for a token" in started.stderr
        return
    assert started.returncode == 0, started.stderr
    try:
        documents, place = scanned(spark)
    finally:
        stopped = spark.lumos("spark", "stop")
    assert stopped.returncode == 0, stopped.stderr
    assert place == f"{json.loads(started.stdout)['url']} (warm server)"
    assert documents == expected
