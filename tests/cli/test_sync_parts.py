"""A sync of a part of the tree: what is not looked at counts all the same where something goes."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos, Ran
from tests.cli.lake import Lake

SETTINGS = "version: 1\ncatalogs: [{name: copy, type: files, path: ../copy}]\n"


class Part(Lake):
    """A tree in which `b` is made from `a`, and a folder that is its catalog."""

    def __init__(self, folder: Path, lumos: Lumos) -> None:
        super().__init__(folder / "home")
        self._copy = folder / "copy"
        self._lumos = lumos

    def apply(self, only: str) -> Ran:
        return self._lumos("snap", "sync", "-C", self.folder, "--apply", "--yes", "--only", only)

    def names(self) -> set[str]:
        return {path.stem for path in self._copy.rglob("snapshots/**/*.json")}


@pytest.fixture
def part(tmp_path: Path, lumos: Lumos) -> Part:
    made = Part(tmp_path, lumos)
    made.start(settings=SETTINGS)
    made.put("a")
    made.put("b", lineage={"upstream": [{"urn": "lumos://s3/lake/a"}]})
    made.put("c")
    made.commit("Start")
    assert made.apply("**").code == 0
    made.file("a").unlink()
    return made


@pytest.mark.parametrize("only", ["*/a", "*/[ac]"])
def test_what_the_rest_of_the_tree_refers_to_stays(part: Part, only: str) -> None:
    ran = part.apply(only)
    assert ran.code == 1
    assert "is not deleted: lumos://s3/lake/b still refers to it" in ran.out
    assert part.names() == {"a", "b", "c"}


def test_nothing_goes_while_a_file_of_the_rest_is_broken(part: Part) -> None:
    part.put("b")
    whole = part.file("c").read_bytes()
    part.file("c").write_bytes(whole[:-20])
    assert "is not deleted: the tree has invalid documents" in part.apply("*/a").out
    part.file("c").write_bytes(whole)
    assert part.apply("*/a").code == 0
    assert part.names() == {"b", "c"}


@pytest.mark.parametrize("linked", ["snapshots/s3", "snapshots/s3/lake/d.json"])
def test_nothing_is_written_through_links_of_a_folder(
    part: Part, tmp_path: Path, linked: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    theirs = elsewhere / "lake/d.json" if linked.endswith("s3") else elsewhere / "d.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("Somebody's.")
    at = tmp_path / "copy" / linked
    if at.exists():
        shutil.rmtree(at)
    at.symlink_to(elsewhere if linked.endswith("s3") else theirs)
    part.put("d")
    ran = part.apply("*/d")
    assert (ran.code, "is a link" in ran.out) == (3, True)
    assert theirs.read_text() == "Somebody's."


@pytest.mark.parametrize("path", ["snapshots", "entities/tags", "./observations/x.json"])
def test_a_catalog_among_the_documents_of_the_tree_is_refused(part: Part, path: str) -> None:
    (part.folder / "lumos.yaml").write_text(SETTINGS.replace("../copy", path))
    before = sorted(part.folder.rglob("*.json"))
    ran = part.apply("**")
    assert (ran.code, "is in the tree's own documents" in ran.err) == (2, True)
    assert sorted(part.folder.rglob("*.json")) == before
