"""Avro for Java does what its profile says: real files, every pair of sample types."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lumos_snap.engines import ReadOutcome, profile
from tests.engines.avro import AVRO, write_each
from tests.engines.java_avro import JavaAvro
from tests.engines.proof import compare_golden, disagreements, unreadable, wrong_witnesses
from tests.engines.samples import Sample

pytestmark = pytest.mark.slow


# One test: the measurement takes half a minute, and parallel workers share nothing.
def test_java_does_what_its_profile_says(
    spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    java = JavaAvro(spark._jvm)
    files = {sample.name: write_each(tmp_path, sample) for sample in AVRO}
    matrix = {
        (old.name, new.name, ""): java.read(files[old.name], old, new)
        for old in AVRO
        for new in AVRO
    }

    def error(old: Sample, new: Sample, _: str) -> str:
        return matrix[old.name, new.name, ""].shows

    compare_golden("avro", matrix, AVRO, rewrite=request.config.getoption("--rewrite-golden"))
    assert list(disagreements("avro", matrix, AVRO)) == []
    assert unreadable(matrix) == set()
    assert list(wrong_witnesses("avro", matrix, AVRO, error)) == []
    # What is worse than a refusal: the check that schema registries use lets all of them pass.
    held_back = [
        f"{old.name} → {new.name}"
        for old in AVRO
        for new in AVRO
        if matrix[old.name, new.name, ""].outcome is ReadOutcome.CHANGED
        and not java.compatible(old, new)
    ]
    assert held_back == []


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ({"name": "b", "type": "int", "default": 7}, 7),
        ({"name": "b", "type": "int", "aliases": ["c"]}, 2147483647),
        ({"name": "c", "type": ["null", "int"]}, 2147483647),
        ({"name": "C", "type": "int"}, "refused"),
        ({"name": "b", "type": "int"}, "refused"),
        ({"name": "b", "type": ["null", "int"]}, "refused"),
        ({"name": "b", "type": ["null", "int"], "default": None}, None),
    ],
)
def test_java_finds_fields_by_name_default_and_alias(
    spark: SparkSession, tmp_path: Path, told: dict[str, object], value: int | str | None
) -> None:
    sample = next(sample for sample in AVRO if sample.name == "INT32")
    first = write_each(tmp_path, sample)[0]
    assert JavaAvro(spark._jvm).field(first, told) == value
    traits = profile("avro").traits
    assert not traits.fills_nulls
    assert (traits.fills_defaults, traits.follows_aliases, traits.ignores_case) == (
        True,
        True,
        False,
    )
