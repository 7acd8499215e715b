"""Which settings of Spark a file of the repository may make, and which only a command."""

import pytest

from lumos_snap.errors import LumosError
from lumos_snap.scan.spark.settings import check_file_settings, parse_command_settings


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.master": "local[2]"},
        {"spark.driver.memory": "4g", "spark.executor.instances": "10"},
        {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "true"},
        {"spark.dynamicAllocation.maxExecutors": "20", "spark.yarn.queue": "etl"},
    ],
)
def test_sizes_and_times_may_stand_in_the_file(settings: dict[str, str]) -> None:
    assert check_file_settings(settings) == settings


@pytest.mark.parametrize(
    "name",
    [
        "spark.pyspark.python",
        "spark.pyspark.driver.python",
        "spark.jars",
        "spark.jars.packages",
        "spark.jars.repositories",
        "spark.submit.pyFiles",
        "spark.archives",
        "spark.plugins",
        "spark.extraListeners",
        "spark.driver.extraJavaOptions",
        "spark.driver.defaultJavaOptions",
        "spark.driver.extraClassPath",
        "spark.driver.extraLibraryPath",
        "spark.executor.extraJavaOptions",
        "spark.executorEnv.LD_PRELOAD",
        "spark.hadoop.net.topology.script.file.name",
        "spark.sql.extensions",
        "spark.sql.catalog.lake",
        "spark.sql.adaptive.customCostEvaluatorClass",
        "spark.sql.warehouse.dir",
        "spark.hive.metastore.uris",
        "spark.eventLog.dir",
        "spark.remote",
        "spark.driver.memory\nspark.jars",
    ],
)
def test_what_starts_or_reaches_something_may_not(name: str) -> None:
    with pytest.raises(LumosError, match="any commit can change this file") as caught:
        check_file_settings({name: "x"})
    assert f"--conf {name}=" in (caught.value.hint or "")


@pytest.mark.parametrize("master", ["yarn", "spark://host:7077", "k8s://https://host", "localhost"])
def test_a_master_elsewhere_is_said_on_the_command_line(master: str) -> None:
    with pytest.raises(LumosError, match=r"spark\.master"):
        check_file_settings({"spark.master": master})


def test_a_command_may_set_all() -> None:
    given = ("spark.archives=hdfs:///envs/w.tar.gz#env", "spark.x=a=b")
    assert parse_command_settings(given) == {
        "spark.archives": "hdfs:///envs/w.tar.gz#env",
        "spark.x": "a=b",
    }


@pytest.mark.parametrize("given", ["spark.x", "x=1", "=1", ""])
def test_what_is_no_setting_is_named(given: str) -> None:
    with pytest.raises(LumosError, match="is no setting of Spark"):
        parse_command_settings([given])
