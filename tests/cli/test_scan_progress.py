"""`lumos snap scan` shows how far each of its stages is, on a terminal and nowhere else."""

import os
import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lumos_snap import open_tree
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions, ScanStage
from tests.cli.conftest import Lumos
from tests.terminal import shown

FILES, ALONE = 11_000, 600
"""Files of one dataset in one folder, and datasets with a folder each."""

STAGES = [one for one in ScanStage if one is not ScanStage.WAITING]
"""Of a scan that need not wait for a cluster."""


@pytest.fixture
def lake(tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lake of small files, and a tree beside it."""
    folder = tmp_path / "lake/events"
    folder.mkdir(parents=True)
    first = folder / "part-0.csv"
    first.write_text("id,total\n1,2.5\n")
    for number in range(1, FILES):
        os.link(first, folder / f"part-{number}.csv")
    for number in range(ALONE):
        table = tmp_path / f"lake/tables/table_{number}"
        table.mkdir(parents=True)
        os.link(first, table / "part-0.csv")
    assert lumos("snap", "init", str(tmp_path / "home")).code == 0
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "lake"


def test_every_stage_moves(lake: Path) -> None:
    steps: dict[ScanStage, list[int]] = defaultdict(list)

    def progress(
        stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        del pages, note
        assert total is None or done <= total
        steps[stage].append(done)

    asked = ScanOptions(sources=(str(lake),), engine="local")
    scan(open_tree(Path()), asked, now=datetime.now(UTC), progress=progress)
    assert all(found == sorted(found) for found in steps.values())
    last = {stage: found[-1] for stage, found in steps.items()}
    assert last == {
        ScanStage.LISTED: FILES + ALONE,
        ScanStage.GROUPED: FILES + ALONE,
        ScanStage.READ: 20 + ALONE,
        ScanStage.MERGED: 1 + ALONE,
        ScanStage.WRITTEN: 2 * (1 + ALONE),
        ScanStage.CACHED: FILES + ALONE,
    }
    assert list(steps) == STAGES
    assert {stage: len(set(found)) > 2 for stage, found in steps.items()} == dict.fromkeys(
        STAGES, True
    )


def test_a_terminal_shows_every_stage(lake: Path) -> None:
    lines = shown(Path(), "snap", "scan", str(lake), "--engine", "local")
    stages = [line.partition(" ")[0] for line in lines if line]
    assert list(dict.fromkeys(stages)) == STAGES
    files = rf"{FILES + ALONE:,}"
    assert any(re.match(rf"grouped {files} of {files} files", line) for line in lines)
    assert any(re.match(rf"cached {files} of {files} files", line) for line in lines)


def test_without_a_terminal_nothing_is_shown(lake: Path, lumos: Lumos) -> None:
    assert shown(Path(), "snap", "scan", str(lake), "--engine", "local", CI="true") == [""]
    assert lumos("snap", "scan", str(lake), "--engine", "local").err == ""
