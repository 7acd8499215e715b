"""A lake inside the repository that git does not ignore: commands warn before it is committed."""

import pytest

from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]

FIX = "echo /lake/ >> .gitignore"


@pytest.fixture
def lake(place: Place) -> Place:
    """A lake that git would take."""
    (place.root / ".git/info/exclude").write_text("")
    place.parquet("a/part-0.parquet", id=[1])
    (place.root / "lumos.yaml").write_text("version: 1\nsources: [{name: lake, path: lake}]\n")
    return place


def _scan(lumos: Lumos) -> str:
    done = lumos("snap", "scan", "--engine", "local")
    assert done.code == 0, done.err
    return done.out


def test_a_scan_warns_and_offers_the_line(lake: Place, lumos: Lumos) -> None:
    (line,) = (line for line in _scan(lumos).splitlines() if FIX in line)
    assert line.startswith("lake/ lies in this repository, and git does not ignore it")
    (remark,) = lumos("snap", "scan", "--engine", "local", "--json").json["remarks"]
    assert FIX in remark


def test_the_doctor_warns(lake: Place, lumos: Lumos) -> None:
    (found,) = (one for one in lumos("doctor", "--json").json["checks"] if one["name"] == "lake")
    assert (found["health"], FIX in found["fix"]) == ("warning", True)


def test_init_warns(lake: Place, lumos: Lumos) -> None:
    assert lumos("snap", "init", "--json").json["data"] == ["lake"]
    assert FIX in lumos("snap", "init").out


@pytest.mark.parametrize("rule", ["/lake/", "lake/*", "*.parquet", "lake/**"])
def test_what_is_ignored_needs_no_warning(lake: Place, lumos: Lumos, rule: str) -> None:
    with (lake.root / ".gitignore").open("a") as file:
        file.write(f"{rule}\n")
    assert FIX not in _scan(lumos)
    assert FIX not in lumos("doctor").out
    assert lumos("snap", "init", "--json").json["data"] == []


def test_a_lake_elsewhere_needs_no_warning(lake: Place, lumos: Lumos) -> None:
    lake.lake.rename(lake.root.parent / "lake")
    (lake.root / "lumos.yaml").write_text("version: 1\nsources: [{name: lake, path: ../lake}]\n")
    assert "ignore" not in _scan(lumos)


def test_a_tree_below_the_top_names_the_path_from_the_top(lake: Place, lumos: Lumos) -> None:
    inner = lake.root / "deep"
    inner.mkdir()
    lake.lake.rename(inner / "lake")
    assert lumos("snap", "init", "deep", "--json").json["data"] == ["deep/lake"]
