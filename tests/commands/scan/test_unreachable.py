"""A source that cannot be reached is named; the others are scanned, and nothing of it is lost."""

from collections.abc import Callable
from pathlib import Path

from lumos_snap.report.scan import ScanReport
from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]

Scan = Callable[..., ScanReport]

_TWO = "version: 1\nsources:\n  - {name: lake, path: lake}\n  - {name: away, path: away}\n"


def _two(place: Place) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    (place.root / "lumos.yaml").write_text(_TWO)


def test_the_others_go_on_and_the_exit_code_tells(place: Place, lumos: Lumos) -> None:
    _two(place)
    done = lumos("snap", "scan")
    assert done.code == 3
    assert "not reached: away" in done.out
    assert list(place.snapshots()) == ["file/lake/a.json"]
    (told,) = lumos("snap", "scan", "--json").json["failed"]
    assert told["name"] == "away"
    assert told["hint"]


def test_nothing_of_it_is_pruned(place: Place, lumos: Lumos) -> None:
    _two(place)
    (place.root / "away/b").mkdir(parents=True)
    (place.lake / "a/part-0.parquet").rename(place.root / "away/b/part-0.parquet")
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos("snap", "scan").code == 0
    Path(place.root / "away").rename(place.root / "gone")
    done = lumos("snap", "scan", "--prune")
    assert done.code == 3
    assert sorted(place.snapshots()) == ["file/away/b.json", "file/lake/a.json"]


def test_where_none_can_be_reached_one_line_says_so(place: Place, lumos: Lumos) -> None:
    done = lumos("snap", "scan", place.root / "nowhere")
    assert done.code == 3
    assert done.out == ""
    assert "nowhere" in done.err
