"""One lake, wherever it lies: the same documents but for the words that say where."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.world.scans.lake import BAD, DATASETS, build
from tests.world.scans.places import SERVERS, Place, folder
from tests.world.scans.tree import Ran, Tree

pytestmark = pytest.mark.world


@dataclass(frozen=True)
class Scanned:
    """A lake at some place, scanned twice."""

    place: Place
    tree: Tree
    first: Ran
    second: Ran

    def documents(self) -> dict[str, Any]:
        """Snapshots by the names below the source.

        `urn` and `storage.location` are cut by what the source's own begin with, and `platform` is
        left out: all else must be the same, letter by letter.
        """
        return dict(map(self._placeless, self.tree.documents().values()))

    def _placeless(self, one: Any) -> tuple[str, Any]:
        place, storage = self.place, one["storage"]
        assert one["platform"] == place.platform
        name = one["urn"].removeprefix(f"{place.prefix}/")
        location = storage["location"].removeprefix(f"{place.location}/")
        assert location != storage["location"]
        kept = {key: said for key, said in one.items() if key != "platform"}
        return name, {**kept, "urn": name, "storage": {**storage, "location": location}}

    def bad(self) -> list[tuple[str, ...]]:
        """What could not be read, and why."""
        return [
            (one["path"], one["reason"], one["detail"]) for one in self.first.report["bad_files"]
        ]


def scanned(place: Place, root: Path) -> Scanned:
    tree = Tree(root)
    tree.set({"lake": place})
    first, second = (tree.scan("--json", env=place.environment) for _ in range(2))
    for ran in (first, second):
        assert ran.code == 0, ran.err + ran.out
    return Scanned(place, tree, first, second)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("everything") / "lake"
    top.mkdir()
    build(top)
    return top


@pytest.fixture(scope="module")
def here(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    """The lake as a folder of this machine."""
    with folder(lake) as place:
        return scanned(place, tmp_path_factory.mktemp("here"))


@pytest.fixture(scope="module", params=sorted(SERVERS))
def there(
    request: pytest.FixtureRequest, lake: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scanned]:
    """The same lake elsewhere."""
    with SERVERS[request.param](lake) as place:
        yield scanned(place, tmp_path_factory.mktemp(request.param))


def test_the_folder_has_something_of_everything(here: Scanned) -> None:
    documents = here.documents()
    assert set(documents) == DATASETS
    assert {one["storage"]["format"] for one in documents.values()} >= {
        "parquet", "orc", "avro", "arrow", "csv", "json", "delta", "iceberg",
    }  # fmt: skip
    assert {path for path, *_ in here.bad()} == BAD
    assert here.second.report["sources"][0]["looked_at"] == 0


def test_its_documents_are_the_same(here: Scanned, there: Scanned) -> None:
    assert there.documents() == here.documents()


def test_its_bad_files_are_the_same(here: Scanned, there: Scanned) -> None:
    assert there.bad() == here.bad()


def test_as_much_is_met_and_passed_over(here: Scanned, there: Scanned) -> None:
    (ours,), (theirs,) = here.first.report["sources"], there.first.report["sources"]
    assert theirs == ours


def test_spark_reads_the_same(there: Scanned) -> None:
    """Few files are read without it, unless somebody says where it runs."""
    shutil.rmtree(there.tree.root / ".lumos/scan")
    ran = there.tree.scan("--json", "--master", "local[2]", env=there.place.environment)
    assert ran.code == 0, ran.err + ran.out
    assert ran.report["sources"][0]["looked_at"] > 0
    assert ran.report["written"] == ran.report["removed"] == []
    assert ran.report["bad_files"] == there.first.report["bad_files"]


def test_a_second_scan_reads_nothing(there: Scanned) -> None:
    report = there.second.report
    assert report["sources"][0]["looked_at"] == 0
    assert report["written"] == report["removed"] == []
    assert report["bad_files"] == there.first.report["bad_files"]
