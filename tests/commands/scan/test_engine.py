"""Which engine reads files: the command counts most, then the environment, then `lumos.yaml`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lumos_snap import open_tree
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.sources import engine_name
from lumos_snap.config.settings import EngineName
from lumos_snap.errors import Exit
from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place

__all__ = ["lumos"]

YAML = {
    None: "version: 1\n",
    "spark": "version: 1\nscan: {engine: spark}\n",
    "local": "version: 1\nscan: {engine: local}\n",
}


@pytest.fixture
def shop(place: Place) -> Place:
    place.parquet("orders/part-0.parquet", id=[1], total=[1.5])
    place.text("clicks/day=2026-01-01/part-0.json", b'{"id": 1}\n')
    place.text("clicks/day=2026-01-02/part-0.json", b"{")
    return place


@pytest.mark.parametrize(
    ("asked", "settings", "expected"),
    [
        (ScanOptions(), None, "spark"),
        (ScanOptions(), "spark", "spark"),
        (ScanOptions(), "local", "local"),
        (ScanOptions(engine="local"), None, "local"),
        (ScanOptions(engine="local"), "spark", "local"),
        (ScanOptions(engine="spark"), "local", "spark"),
        (ScanOptions(master="yarn"), "local", "spark"),
        (ScanOptions(conf=("spark.executor.memory=1g",)), "local", "spark"),
    ],
)
def test_the_command_counts_more_than_settings(
    place: Place, asked: ScanOptions, settings: EngineName | None, expected: EngineName
) -> None:
    (place.root / "lumos.yaml").write_text(YAML[settings])
    assert engine_name(open_tree(place.root), asked) == expected


@pytest.mark.parametrize(
    ("environment", "options", "engine"),
    [
        ("local", (), {"name": "local"}),
        ("", ("--engine", "local"), {"name": "local"}),
        ("spark", ("--engine", "local"), {"name": "local"}),
        ("local", ("--engine", "spark"), {"name": "spark", "place": "local[2]"}),
        ("local", ("--conf", "spark.executor.memory=1g"), {"name": "spark", "place": "local[2]"}),
        ("", (), {"name": "spark", "place": "local[2]"}),
    ],
)
@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_the_command_counts_more_than_the_environment(
    shop: Place,
    lumos: Lumos,
    monkeypatch: pytest.MonkeyPatch,
    environment: str,
    options: tuple[str, ...],
    engine: dict[str, str],
) -> None:
    monkeypatch.setenv("LUMOS_ENGINE", environment)
    done = lumos("snap", "scan", str(shop.lake), "--json", *options)
    assert json.loads(done.out)["engine"] == engine


def test_what_is_no_engine_is_refused(place: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", "lake", "--engine", "flink")
    assert done.code == Exit.USAGE
    assert "'flink' is not one of 'spark', 'local'" in done.err
    (place.root / "lumos.yaml").write_text("version: 1\nscan:\n  engine: flink\n")
    done = lumos("snap", "scan", "lake")
    assert done.code == Exit.USAGE
    assert "lumos.yaml:3:3" in done.err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--master", "yarn", "--master or --connect"),
        ("--connect", "sc://h:1", "--master or --connect"),
        ("--conf", "a=b", "--conf"),
    ],
)
@pytest.mark.usefixtures("place")
def test_options_of_spark_contradict_the_local_engine(
    lumos: Lumos, option: str, value: str, said: str
) -> None:
    done = lumos("snap", "scan", "lake", "--engine", "local", option, value)
    assert done.code == Exit.USAGE
    assert f"--engine local runs without Spark, and {said} is for Spark" in done.err


@pytest.mark.slow
def test_both_engines_write_the_same_bytes(shop: Place, scanned: Scan) -> None:
    in_spark = scanned()
    written = shop.snapshots()
    shop.forget()
    local = scanned(engine="local")
    assert shop.snapshots() == written
    assert local.bad_files == in_spark.bad_files
    assert len(local.bad_files) == 1
    assert in_spark.engine is not None
    assert local.engine is not None
    assert (in_spark.engine.name, local.engine.name) == ("spark", "local")


@pytest.mark.slow
def test_where_no_file_is_read_no_engine_is_named(shop: Place, scanned: Scan) -> None:
    shop.text("clicks/day=2026-01-02/part-0.json", b'{"id": 1}\n')
    time.sleep(0.05)  # what is fresh is read again
    assert scanned().engine is not None
    assert scanned().engine is None


@pytest.mark.slow
def test_a_source_that_needs_spark_is_not_reached_by_the_local_engine(
    shop: Place, lumos: Lumos
) -> None:
    sources = "sources:\n  - {name: shop, path: lake}\n  - {name: hive, path: 'spark:default'}\n"
    (shop.root / "lumos.yaml").write_text(f"version: 1\n{sources}")
    done = lumos("snap", "scan")
    assert done.code == Exit.OUTSIDE
    assert "not reached: hive: only Spark can read this source: leave out" in done.out
    assert "added  file/shop/orders" in done.out


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False])
def test_java_starts_at_the_first_file_that_is_not_known(
    shop: Place, is_new: bool, tmp_path: Path
) -> None:
    """Even where Java is `false`: only a scan that needs it can say so."""
    java = tmp_path / "java/bin/java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "java")}
    command = [str(Path(sys.executable).parent / "lumos"), "snap", "scan", "lake", "--engine"]
    subprocess.run([*command, "local"], cwd=shop.root, env=environment, check=True)
    shop.text("clicks/day=2026-01-02/part-0.json", b'{"id": 1}\n')
    subprocess.run([*command, "local"], cwd=shop.root, env=environment, check=True)
    if is_new:
        shop.parquet("orders/part-1.parquet", id=[2], total=[2.5])
    done = subprocess.run(
        [*command, "spark"],
        cwd=shop.root,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == (Exit.OUTSIDE if is_new else Exit.CLEAN)
    assert ("there is no Java that runs" in done.stderr) == is_new


def test_a_session_of_the_caller_is_used(shop: Place, spark: SparkSession) -> None:
    (shop.root / "lumos.yaml").write_text(YAML["local"])
    assert engine_name(open_tree(shop.root), ScanOptions(session=spark)) == "spark"
