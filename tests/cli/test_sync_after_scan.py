"""What a scan did not reach is deleted from no catalog."""

from pathlib import Path

import pytest

from tests.cli.conftest import Lumos, Ran
from tests.cli.lake import git

SETTINGS = """version: 1
sources: [{name: lake, path: ../lake}]
catalogs: [{name: copy, type: files, path: ../copy}]
"""


@pytest.fixture
def home(tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of two datasets, in line with its catalog."""
    for name in ("a", "b"):
        (tmp_path / "lake" / name).mkdir(parents=True)
        (tmp_path / "lake" / name / "part-0.csv").write_text("id,name\n1,x\n")
    folder = tmp_path / "home"
    folder.mkdir()
    git(folder, "init", "-qb", "main")
    (folder / "lumos.yaml").write_text(SETTINGS)
    monkeypatch.chdir(folder)
    assert lumos("snap", "scan").code == 0
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Start")
    assert lumos("snap", "sync", "--apply", "--yes").code == 0
    return folder


def without(home: Path, name: str, lumos: Lumos) -> Ran:
    """Somebody takes a dataset out of the tree, and syncs."""
    next(home.rglob(f"snapshots/**/{name}.json")).unlink()
    return lumos("snap", "sync", "--apply", "--yes")


def names(home: Path) -> set[str]:
    return {path.stem for path in (home / "../copy").rglob("snapshots/**/*.json")}


def test_after_a_scan_that_did_not_reach_its_source_nothing_is_deleted(
    home: Path, lumos: Lumos
) -> None:
    (home / "../lake").rename(home / "../away")
    assert lumos("snap", "scan").code == 3
    ran = without(home, "a", lumos)
    assert ran.code == 1
    assert "is not deleted: the last scan did not reach lake: scan again" in ran.out
    assert names(home) == {"a", "b"}
    assert git(home, "status", "--porcelain") == "D snapshots/file/lake/a.json"
    (home / "../away").rename(home / "../lake")
    (home / "../lake/a/part-0.csv").unlink()
    assert lumos("snap", "scan").code == 0
    assert lumos("snap", "sync", "--apply", "--yes").code == 0
    assert names(home) == {"b"}


def test_where_nobody_knows_of_a_scan_deletes_are_as_always(home: Path, lumos: Lumos) -> None:
    (home / ".lumos/scan/unreached.json").write_text("{")
    assert without(home, "a", lumos).code == 0
    assert names(home) == {"b"}


def test_a_committed_note_is_refused_and_nothing_is_deleted(home: Path, lumos: Lumos) -> None:
    (home / "../lake").rename(home / "../away")
    assert lumos("snap", "scan").code == 3
    (home / ".lumos/scan/unreached.json").write_text("[]")
    git(home, "add", "-f", ".lumos/scan/unreached.json")
    ran = without(home, "a", lumos)
    assert (ran.code, "is committed to the repository" in ran.err) == (3, True)
    assert names(home) == {"a", "b"}


def test_a_look_notes_nothing(home: Path, lumos: Lumos) -> None:
    (home / "../lake").rename(home / "../away")
    assert lumos("snap", "scan", "--check").code == 3
    assert without(home, "a", lumos).code == 0
