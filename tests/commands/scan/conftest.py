"""A tree in a repository beside a lake, and scans that share one Spark session."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lumos_snap import open_tree
from lumos_snap.cli import main
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions, ScanProgress, ignore_progress
from lumos_snap.report.scan import ScanReport
from tests.commands.scan.place import Place

NOW = datetime(2026, 1, 15, 10, tzinfo=UTC)
Scan = Callable[..., ScanReport]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A committed tree, as the current folder, and an empty lake in it that git ignores."""
    made = Place(tmp_path / "home")
    made.lake.mkdir(parents=True)
    monkeypatch.chdir(made.root)
    made.git("init", "-qb", "main")
    (made.root / ".git/info/exclude").write_text("/lake/\n")
    assert main(["snap", "init"]) == 0
    made.commit("Start")
    return made


@pytest.fixture
def scanned(place: Place, spark: SparkSession) -> Scan:
    """Scan the lake of the place."""

    def run(*sources: str, progress: ScanProgress = ignore_progress, **asked: Any) -> ScanReport:
        wanted = ScanOptions(sources=sources or (str(place.lake),), session=spark, **asked)
        return scan(open_tree(place.root), wanted, now=NOW, progress=progress)

    return run
