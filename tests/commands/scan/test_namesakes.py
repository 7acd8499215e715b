"""Two folders of one name: the second one never overwrites the datasets of the first."""

import shutil

import pytest

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.place import Place

__all__ = ["lumos"]


@pytest.fixture
def two(place: Place) -> Place:
    """`a/lake` and `b/lake`, each with a dataset `orders`."""
    (place.root / ".git/info/exclude").write_text("/a/\n/b/\n/lake/\n")
    for number, name in enumerate("ab"):
        place.parquet(f"../{name}/lake/orders/part-0.parquet", **{f"only_{name}": [number]})
    return place


def _scan(lumos: Lumos, folder: str) -> Ran:
    return lumos("snap", "scan", folder, "--engine", "local")


@pytest.mark.parametrize("has_cache", [True, False])
def test_a_namesake_is_refused(two: Place, lumos: Lumos, *, has_cache: bool) -> None:
    assert _scan(lumos, "a/lake").code == 0
    before = two.snapshots()
    if not has_cache:
        shutil.rmtree(two.root / ".lumos")
    ran = _scan(lumos, "b/lake")
    assert ran.code == 2
    assert "lake: its datasets are those of file:a/lake, and this is file:b/lake" in ran.err
    assert "`sources:`" in ran.err
    assert two.snapshots() == before
    assert _scan(lumos, "a/lake").code == 0
    assert two.snapshots() == before


def test_the_folder_at_the_top_has_namesakes_too(two: Place, lumos: Lumos) -> None:
    two.parquet("orders/part-0.parquet", id=[1])
    assert _scan(lumos, "lake").code == 0
    assert two.document("orders")["storage"]["location"] == "file:lake/orders"
    assert _scan(lumos, "a/lake").code == 2
    two.forget()
    assert _scan(lumos, "a/lake").code == 0
    assert _scan(lumos, "lake").code == 2


def test_names_in_the_settings_keep_them_apart(two: Place, lumos: Lumos) -> None:
    (two.root / "lumos.yaml").write_text(
        "version: 1\nsources:\n  - {name: a, path: a/lake}\n  - {name: b, path: b/lake}\n"
    )
    assert lumos("snap", "scan", "--engine", "local").code == 0
    assert list(two.snapshots()) == ["file/a/orders.json", "file/b/orders.json"]


def test_snapshots_of_earlier_versions_are_taken_over(two: Place, lumos: Lumos) -> None:
    assert _scan(lumos, "a/lake").code == 0
    two.edit(
        "orders", storage={**two.document("orders")["storage"], "location": "file:lake/orders"}
    )
    two.lake.rmdir()
    assert _scan(lumos, "a/lake").code == 0
    assert two.document("orders")["storage"]["location"] == "file:a/lake/orders"


def test_a_location_that_people_chose_is_no_other_folder(two: Place, lumos: Lumos) -> None:
    assert _scan(lumos, "a/lake").code == 0
    two.edit("orders", storage={**two.document("orders")["storage"], "location": "s3://shop/x"})
    assert _scan(lumos, "b/lake").code == 0


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"storage": 5}', '{"storage": {"location": 7}}']
)
def test_a_broken_snapshot_is_reported_and_not_compared(
    two: Place, lumos: Lumos, content: str
) -> None:
    assert _scan(lumos, "a/lake").code == 0
    (two.root / "snapshots/file/lake/orders.json").write_text(content)
    assert _scan(lumos, "a/lake").code == 1
