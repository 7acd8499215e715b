"""`scan --commit` takes what scans wrote and nobody committed, and leaves what people edited."""

import signal
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]

SNAPSHOT = "snapshots/file/lake/{}.json"


@pytest.fixture
def lake(place: Place, lumos: Lumos) -> Place:
    """Three datasets, scanned and committed."""
    for name in ("a", "b", "c"):
        place.parquet(f"{name}/part-0.parquet", id=[1])
    _scan(lumos, "--commit")
    assert place.status() == ""
    return place


def _scan(lumos: Lumos, *words: str) -> Ran:
    ran = lumos("snap", "scan", "lake", "--engine", "local", *words)
    assert ran.code == 0, ran.err
    return ran


def _committed(place: Place) -> list[str]:
    return place.git("show", "--no-renames", "--name-only", "--format=", "HEAD").split()


def test_what_a_plain_scan_has_changed_is_committed_by_the_next_one(
    lake: Place, lumos: Lumos
) -> None:
    lake.parquet("a/part-0.parquet", id=[1], more=[2])
    (lake.lake / "b/part-0.parquet").unlink()
    lake.parquet("d/part-0.parquet", id=[1])
    _scan(lumos, "--prune")
    assert lake.status() != ""
    ran = _scan(lumos, "--commit")
    assert lake.status() == ""
    assert _committed(lake) == [SNAPSHOT.format(name) for name in ("a", "b", "d")]
    assert "not committed" not in ran.out


def test_after_a_kill_everything_written_is_committed(lake: Place, lumos: Lumos) -> None:
    for number in range(300):
        lake.parquet(f"t{number}/part-0.parquet", id=[1])
    program = "import sys; from lumos_snap.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ("snap", "scan", "lake", "--engine", "local", "--commit")
    running = subprocess.Popen([sys.executable, "-c", program, *words], cwd=lake.root)
    first = lake.root / SNAPSHOT.format("t0")
    until = time.monotonic() + 60
    while not first.exists() and running.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    running.wait()
    _scan(lumos, "--commit")
    assert lake.status() == ""
    assert len(lake.git("ls-files", "snapshots").split()) == 303


def test_what_only_people_edited_is_left_and_named(lake: Place, lumos: Lumos) -> None:
    lake.edit("a", documentation={"description": "mine"})
    lake.edit("b", documentation={"description": "mine"})
    ran = _scan(lumos, "--commit")
    (line,) = (line for line in ran.out.splitlines() if "not committed" in line)
    assert f"{SNAPSHOT.format('a')} and 1 more" in line
    assert lake.status().split() == ["M", SNAPSHOT.format("a"), "M", SNAPSHOT.format("b")]


def test_words_of_people_in_a_file_that_a_scan_wrote_go_along(lake: Place, lumos: Lumos) -> None:
    lake.parquet("a/part-0.parquet", id=[1], more=[2])
    _scan(lumos)
    lake.edit("a", documentation={"description": "mine"})
    _scan(lumos, "--commit")
    assert lake.status() == ""
    assert '"description": "mine"' in lake.git("show", f"HEAD:{SNAPSHOT.format('a')}")


def test_another_source_is_left_alone(lake: Place, lumos: Lumos) -> None:
    other = lake.root / "lake2"
    (other / "x").mkdir(parents=True)
    (lake.root / ".git/info/exclude").write_text("/lake/\n/lake2/\n")
    (other / "x/q.csv").write_text("id,name\n1,a\n")
    assert lumos("snap", "scan", "lake2", "--engine", "local", "--commit").code == 0
    (written,) = (lake.root / "snapshots/file/lake2").rglob("*.json")
    written.unlink()
    before = lake.status()
    assert before
    _scan(lumos, "--commit")
    assert lake.status() == before
