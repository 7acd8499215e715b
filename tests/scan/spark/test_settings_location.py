"""Who says where Spark runs, and how the place is named to people."""

from pathlib import Path

import pytest

from lumos_snap.errors import LumosError
from lumos_snap.scan.spark.settings import locate_spark

SERVER = "sc://spark.example:15002"


@pytest.fixture(autouse=True)
def _unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_REMOTE", "MASTER", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_it_is_here_where_nobody_says() -> None:
    place = locate_spark(None, {})
    assert (place.url, place.is_local, place.is_remote) == (None, True, False)


@pytest.mark.parametrize("url", ["local", "local[2]", "local[*]", "local[2,3]"])
def test_here_by_name(url: str) -> None:
    assert locate_spark(url, {}).is_local
    assert locate_spark(None, {"spark.master": url}).is_local


@pytest.mark.parametrize(
    "url", ["spark://h:7077", "yarn", "k8s://https://h:6443", SERVER, "local-cluster[1,1,512]"]
)
def test_elsewhere(url: str) -> None:
    assert not locate_spark(url, {}).is_local


def test_a_command_counts_more_than_settings_and_these_more_than_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://variable")
    assert locate_spark("sc://command", {"spark.remote": "sc://setting"}).url == "sc://command"
    assert locate_spark(None, {"spark.remote": "sc://setting"}).url == "sc://setting"
    assert locate_spark(None, {"spark.master": "yarn"}).url == "yarn"
    assert locate_spark(None, {}).url == "sc://variable"


@pytest.mark.parametrize("name", ["SPARK_REMOTE", "MASTER", "PYSPARK_GATEWAY_PORT"])
def test_what_the_machine_says_is_not_ours_to_hurry(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert not locate_spark(None, {}).is_local


def test_the_configuration_of_the_machine_says_it_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert locate_spark(None, {}).is_local
    (tmp_path / "spark-defaults.conf").write_text("spark.master yarn\n")
    assert not locate_spark(None, {}).is_local


def test_two_settings_that_contradict_are_refused_unless_a_command_decides() -> None:
    both = {"spark.master": "yarn", "spark.remote": SERVER}
    with pytest.raises(LumosError, match=r"spark\.master and spark\.remote both"):
        locate_spark(None, both)
    assert locate_spark("local[2]", both).is_local


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sc://h:443/;token=geheim;use_ssl=true", "sc://h:443"),
        ("sc://user:geheim@h:443/", "sc://h:443"),
        ("spark://h:7077", "spark://h:7077"),
        ("k8s://https://h:6443", "k8s://https://h:6443"),
        ("yarn", "yarn"),
    ],
)
def test_secrets_are_not_said(url: str, said: str) -> None:
    assert locate_spark(url, {}).said == said
