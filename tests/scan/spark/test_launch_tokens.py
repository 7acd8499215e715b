"""For which HDFS clusters Spark gets tokens."""

from pathlib import Path

import pytest

from lumos_snap.scan.spark.launch import access_settings
from lumos_snap.scan.spark.settings import locate_spark

NAME = "spark.kerberos.access.hadoopFileSystems"
ONE, TWO = "hdfs://one:8020", "hdfs://two"


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("url", ["yarn", "k8s://https://host:6443", "spark://host:7077"])
def test_each_cluster_is_listed_once(url: str) -> None:
    settings = access_settings(locate_spark(url, {}), [ONE, "", TWO, ONE], {})
    assert settings == {NAME: f"{ONE},{TWO}"}


@pytest.mark.parametrize("url", ["local[2]", "sc://host:15002"])
def test_elsewhere_there_is_nothing_to_ask(url: str) -> None:
    assert access_settings(locate_spark(url, {}), [ONE], {}) == {}


def test_without_such_sources_nothing_is_set() -> None:
    assert access_settings(locate_spark("yarn", {}), ["", ""], {}) == {}


def test_what_the_user_lists_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = locate_spark("yarn", {})
    assert access_settings(place, [ONE], {NAME: TWO}) == {NAME: f"{TWO},{ONE}"}
    (tmp_path / "spark-defaults.conf").write_text(f"{NAME}   hdfs://three,{ONE}\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert access_settings(place, [ONE], {}) == {NAME: f"hdfs://three,{ONE}"}
    assert access_settings(place, [ONE], {NAME: TWO}) == {NAME: f"{TWO},{ONE}"}
