"""`lumos snap scan`, as it is typed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


@pytest.fixture(autouse=True)
def _default_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUMOS_ENGINE")


@pytest.fixture
def shop(place: Place) -> Place:
    """A lake of two datasets, one of them with a bad file."""
    place.parquet("orders/part-0.parquet", id=[1], total=[1.5])
    place.parquet("clicks/2026/01/01/part-0.parquet", id=[1])
    place.text("clicks/2026/01/02/part-0.parquet", b"")
    return place


def test_it_says_what_it_found_and_goes_on(shop: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", "lake")
    assert done.code == 0
    assert done.out.splitlines() == [
        "added  file/lake/clicks  parquet  1 column, 2 files, 1 read",
        "added  file/lake/orders  parquet  2 columns, 1 file, 1 row",
        "empty: lake: clicks/2026/01/02/part-0.parquet: holds no byte",
        "3 files listed, 3 read by Spark on local[2], 1 bad",
        "2 datasets: 2 added",
        "wrote 4 files",
    ]
    assert lumos("snap", "validate").code == 0


def test_strict_fails_where_a_file_is_bad(shop: Place, lumos: Lumos) -> None:
    assert lumos("snap", "scan", "lake", "--strict").code == 1
    assert sorted(shop.snapshots()) == ["file/lake/clicks.json", "file/lake/orders.json"]


def test_check_is_a_drift_gate(shop: Place, lumos: Lumos) -> None:
    assert lumos("snap", "scan", "lake", "--check").code == 1
    assert shop.snapshots() == {}
    assert lumos("snap", "scan", "lake").code == 0
    assert lumos("snap", "scan", "lake", "--check").code == 0
    shop.parquet("orders/part-0.parquet", id=["1"], total=[1.5])
    before = shop.snapshots()
    assert lumos("snap", "scan", "lake", "--check").code == 1
    assert shop.snapshots() == before


def test_a_dry_run_says_what_it_would_write(shop: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", "lake", "--dry-run", "--json")
    assert done.code == 0
    assert done.json["dry_run"] is True
    assert done.json["written"] == [
        "observations/file/lake/clicks.json",
        "observations/file/lake/orders.json",
        "snapshots/file/lake/clicks.json",
        "snapshots/file/lake/orders.json",
    ]
    assert shop.snapshots() == {}


def test_only_some_datasets_are_listed_and_read(shop: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", "lake", "--only", "file/lake/orders", "--json")
    assert [one["urn"] for one in done.json["datasets"]] == ["lumos://file/lake/orders"]
    assert done.json["sources"][0]["files"] == 1
    assert done.json["sources"][0]["passed_over"] == {}


def test_skipped_files_are_named_in_json(shop: Place, lumos: Lumos) -> None:
    for number in range(150):
        shop.text(f"orders/part-{number:03}.crc", "x")
    shop.text("orders/_SUCCESS", "")
    (source,) = lumos("snap", "scan", "lake", "--json").json["sources"]
    assert sum(source["passed_over"].values()) == 151
    paths = [one["path"] for one in source["passed_over_files"]]
    assert "orders/_SUCCESS" in paths
    crcs = [path for path in paths if path.endswith(".crc")]
    assert crcs == [f"orders/part-{number:03}.crc" for number in range(100)]
    assert {one["reason"] for one in source["passed_over_files"]} == set(source["passed_over"])


def test_a_commit_holds_what_was_written_and_nothing_else(shop: Place, lumos: Lumos) -> None:
    (shop.root / "mine.txt").write_text("mine")
    shop.git("add", "mine.txt")
    done = lumos("snap", "scan", "lake", "--commit", "--branch", "lumos/scan")
    assert done.code == 0
    assert shop.git("branch", "--show-current") == "lumos/scan\n"
    names = shop.git("show", "--name-only", "--format=%s", "HEAD").split()
    assert names[-2:] == ["snapshots/file/lake/clicks.json", "snapshots/file/lake/orders.json"]
    assert shop.git("log", "-1", "--format=%s") == "Scan storage: 2 added\n"
    assert shop.status() == "A  mine.txt\n"
    again = lumos("snap", "scan", "lake", "-m", "Nothing is new")
    assert again.code == 0
    assert shop.git("log", "-1", "--format=%s") == "Scan storage: 2 added\n"


def test_what_is_pruned_is_committed(shop: Place, lumos: Lumos) -> None:
    lumos("snap", "scan", "lake", "--commit")
    (shop.lake / "orders/part-0.parquet").unlink()
    done = lumos("snap", "scan", "lake", "--prune", "-m", "Orders are gone")
    assert done.code == 0
    assert shop.git("log", "-1", "--format=%s") == "Orders are gone\n"
    assert shop.git("show", "--name-status", "--format=", "HEAD") == (
        "D\tsnapshots/file/lake/orders.json\n"
    )
    assert shop.status() == ""


def test_sources_of_the_settings(shop: Place, lumos: Lumos) -> None:
    (shop.root / "lumos.yaml").write_text(
        "version: 1\nsources:\n"
        "  - name: mirror\n    path: lake\n    platform: s3\n    container: shop-lake/raw\n"
        "    location: s3://shop-lake/raw\n    exclude: ['clicks/**']\n"
        "spark:\n  spark.sql.shuffle.partitions: 2\n"
    )
    assert lumos("snap", "scan").code == 0
    assert list(shop.snapshots()) == ["s3/shop-lake/raw/orders.json"]
    raw = json.loads(shop.snapshots()["s3/shop-lake/raw/orders.json"])
    assert raw["storage"]["location"] == "s3://shop-lake/raw/orders"
    assert lumos("snap", "scan", "mirror").code == 0
    assert lumos("snap", "scan", "lake").out == lumos("snap", "scan", "mirror").out


def test_explain_says_why_a_file_belongs_to_its_dataset(shop: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", "lake", "--explain", "lake/clicks/2026/01/01/part-0.parquet")
    assert done.code == 0
    assert "dataset   lumos://file/lake/clicks" in done.out.splitlines()
    assert lumos("snap", "scan", "lake", "--explain", "lake/_SUCCESS").out.endswith(
        "is no data: hidden\n"
    )


MISTAKES = {
    "nothing says what to scan": ((), 2),
    "there is no folder": (("no/such",), 3),
    "is not a folder": (("lumos.yaml",), 2),
    "cannot be the name of a branch": (("lake", "--branch", "a..b"), 2),
    "the message is empty": (("lake", "-m", " "), 2),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_are_one_line_with_a_fix(shop: Place, lumos: Lumos, words: str) -> None:
    arguments, code = MISTAKES[words]
    done = lumos("snap", "scan", *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err.splitlines()[0]
    assert "→" in done.err
    assert shop.snapshots() == {}


def test_two_sources_of_one_name_are_refused(shop: Place, lumos: Lumos) -> None:
    twin = "  - {name: a, path: lake, container: x}\n  - {name: b, path: lake, container: x}\n"
    (shop.root / "lumos.yaml").write_text("version: 1\nsources:\n" + twin)
    done = lumos("snap", "scan")
    assert done.code == 2
    assert "both fill file/x" in done.err


@pytest.mark.parametrize(
    ("java", "words"),
    [("", "there is no Java that runs"), ("1.8.0_402", "Java 1.8.0 is too old")],
)
def test_without_a_fit_java_the_fix_is_named(
    shop: Place, tmp_path: Path, java: str, words: str
) -> None:
    for name in ("git", "env", "bash", "dirname"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / name).symlink_to(found)
    if java:
        (tmp_path / "java").write_text(
            f"#!{tmp_path}/bash\necho 'openjdk version \"{java}\"' >&2\n"
        )
        (tmp_path / "java").chmod(0o755)
    program = "from lumos_snap.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, "snap", "scan", "lake"],
        cwd=shop.root,
        env={**os.environ, "PATH": str(tmp_path), "JAVA_HOME": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(f"lumos: Spark does not start: {words}")
    assert "openjdk-17" in done.stderr
    assert "or scan without Java: `--engine local`" in done.stderr


def test_the_session_that_is_there_is_left_alone(
    shop: Place, lumos: Lumos, spark: SparkSession
) -> None:
    lumos("snap", "scan", "lake")
    assert spark.range(3).count() == 3
