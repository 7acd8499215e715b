"""What a scan says of files by independent writers, byte for byte."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place
from tests.commands.scan.writers import writers

pytestmark = pytest.mark.slow
GOLDEN = Path(__file__).parent / "golden"


def test_snapshots_of_all_writers(
    place: Place, spark: SparkSession, scanned: Scan, request: pytest.FixtureRequest
) -> None:
    made = writers(spark)
    for name, write in made.items():
        file = place.lake / name / f"part-0.{name.partition('/')[0]}"
        file.parent.mkdir(parents=True)
        write(file)
    report = scanned()
    assert report.bad_files == ()
    found = {path.removeprefix("file/lake/"): raw for path, raw in place.snapshots().items()}
    assert set(found) == {f"{name}.json" for name in made}
    if request.config.getoption("--rewrite-golden"):
        for path, raw in found.items():
            (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / path).write_bytes(raw)
    golden = {str(path.relative_to(GOLDEN)): path.read_bytes() for path in GOLDEN.rglob("*.json")}
    assert {path: raw.decode() for path, raw in found.items()} == {
        path: raw.decode() for path, raw in golden.items()
    }
