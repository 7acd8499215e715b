"""The index says what the tree says, whatever became of the tree meanwhile."""

import os
import shutil
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.commands.search.command import LATELY
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import document_of
from tests.search.conftest import Put, Searcher, dataset, put
from tests.strategies import LAW
from tests.strategies.documents import snapshots

LONG_AGO = 1_000_000_000_000_000_000


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, searcher: Searcher) -> str:
    """A tree counts as large where each file is not looked at in each search."""
    size: str = request.param
    if size == "large":
        searcher.small = 0
    searcher.later = 5_000_000_000  # what was written is not written just now
    return size


def test_what_is_added_changed_moved_and_removed(searcher: Searcher, make: Put, size: str) -> None:
    a, b = make("a", documentation={"description": "red"}), make("deep/er/b")
    assert searcher.names("red") == ["a"]
    new = put(searcher.root / "elsewhere", dataset("a", documentation={"description": "green"}))
    new.replace(a)  # as git and lumos write
    assert (searcher.names("red"), searcher.names("green")) == ([], ["a"])
    make("deep/er/c")
    assert searcher.names("deep") == ["b", "c"]
    b.unlink()
    assert searcher.names("deep") == ["c"]
    shutil.rmtree(searcher.root / "snapshots/s3/lake/deep")
    assert searcher.names("deep") == []
    shutil.rmtree(searcher.root / "snapshots")
    assert searcher.names("green") == []
    make("a")
    assert searcher.names("a") == ["a"]


def test_a_file_that_is_rewritten_in_place(searcher: Searcher, make: Put) -> None:
    searcher.later = 5_000_000_000
    make("a", documentation={"description": "red"})
    assert searcher.names("red") == ["a"]
    make("a", documentation={"description": "tan"})
    assert (searcher.names("red"), searcher.names("tan")) == ([], ["a"])


class TestLargeTrees:
    @pytest.fixture(autouse=True)
    def _is_large(self, searcher: Searcher, make: Put) -> None:
        searcher.small = 0
        searcher.later = 5_000_000_000
        make("a", documentation={"description": "red"})
        make("b", documentation={"description": "red"})
        assert searcher.names("red") == ["a", "b"]

    def test_what_is_shown_is_what_the_files_say_now(self, searcher: Searcher, make: Put) -> None:
        make("a", documentation={"description": "tan"})
        assert searcher.names("red") == ["b"]

    def test_a_file_that_is_rewritten_in_place_is_found_soon(
        self, searcher: Searcher, make: Put
    ) -> None:
        make("a", documentation={"description": "tan"})
        searcher.later += LATELY + 1_000_000_000
        assert searcher.names("tan") == ["a"]

    def test_a_file_that_is_rewritten_in_place_is_found_at_once_where_asked(
        self, searcher: Searcher, make: Put
    ) -> None:
        make("a", documentation={"description": "tan"})
        assert [hit.name for hit in searcher("tan", thorough=True).hits] == ["a"]

    def test_a_clock_that_was_set_back_hides_nothing(self, searcher: Searcher, make: Put) -> None:
        make("a", documentation={"description": "tan"})
        searcher.later -= 4_000_000_000
        assert searcher.names("tan") == ["a"]


def test_a_file_of_the_same_size_written_in_the_same_moment(searcher: Searcher, make: Put) -> None:
    for word in ("red", "tan") * 5:
        file = make("a", documentation={"description": word})
        os.utime(file, ns=(LONG_AGO, LONG_AGO))
        assert searcher.names(word) == ["a"]


@pytest.mark.parametrize("how", ["link", "repository", "file", "hidden"])
def test_a_folder_that_becomes_something_else(
    searcher: Searcher, make: Put, how: str, size: str, tmp_path: Path
) -> None:
    make("deep/er/b")
    make("a")
    assert searcher.names("b") == ["b"]
    folder = searcher.root / "snapshots/s3/lake/deep"
    if how == "repository":
        (folder / ".git").mkdir()
    else:
        folder.rename(tmp_path / "away")
    if how == "link":
        folder.symlink_to(tmp_path / "away")
    elif how == "file":
        folder.write_text("no folder")
    elif how == "hidden":
        (tmp_path / "away").rename(folder.with_name(".deep"))
    found = searcher("b")
    assert found.total == 0
    assert len(found.findings) == (how != "hidden")
    assert searcher("b") == found


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"lumos_version": "9.0.0"}', "null", "\x00"])
def test_a_broken_snapshot_is_left_out_and_named_until_it_is_mended(
    searcher: Searcher, make: Put, content: str
) -> None:
    make("a")
    broken = make("b")
    broken.write_text(content)
    for _ in range(2):
        found = searcher("lake")
        assert [hit.name for hit in found.hits] == ["a"]
        assert [finding.path for finding in found.findings] == ["snapshots/s3/lake/b.json"]
    make("b")
    assert searcher("lake").findings == ()


def test_a_name_that_is_not_utf8_is_named(searcher: Searcher, make: Put) -> None:
    make("a")
    (searcher.root / "snapshots" / os.fsdecode(b"s3\xff.json")).write_text("{")
    for _ in range(2):
        (finding,) = searcher("a").findings
        assert finding.path == os.fsdecode(b"snapshots/s3\xff.json")


def test_an_empty_tree_has_nothing(searcher: Searcher) -> None:
    assert searcher("a").total == 0


def test_a_second_search_reads_no_snapshot_again(searcher: Searcher, make: Put) -> None:
    searcher.later = 5_000_000_000
    file = make("a")
    searcher("a")
    index = searcher.root / ".lumos/search.db"
    before = index.stat()
    os.utime(file, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))  # only the inode changes
    searcher("a")
    touched = index.stat()
    searcher("a")
    assert before.st_mtime_ns != touched.st_mtime_ns
    assert index.stat().st_mtime_ns == touched.st_mtime_ns


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "deep/a", "deep/er/c"]),
        st.sampled_from(["red", "green red", "blue", "broken", None]),
    ),
    max_size=8,
)


@LAW
@given(STEPS)
def test_an_index_that_follows_step_by_step_is_one_made_anew(
    steps: list[tuple[str, str | None]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "lumos.yaml").write_text("version: 1\n")
        searcher = Searcher(root)
        for where, word in steps:
            file = put(root, dataset(where, documentation={"description": word or "-"}))
            if word is None:
                file.unlink()
            elif word == "broken":
                file.write_text("{")
            followed = [searcher(text) for text in ("red", "lake", "a", "blue gren")]
            shutil.rmtree(root / ".lumos")
            assert [searcher(text) for text in ("red", "lake", "a", "blue gren")] == followed


def test_equals_come_by_path_whenever_they_came_into_the_index(searcher: Searcher) -> None:
    names = [f"{place}/t{number:03}" for place in ("b", "a~", "a", "ab") for number in range(80)]
    for name in names:
        put(searcher.root, dataset(name))
    assert searcher.names("lake", limit=3) == ["t000", "t001", "t002"]
    for added in ("a/t000a", "ab/t100", "a/t999"):
        put(searcher.root, dataset(added))
    (searcher.root / "snapshots/s3/lake/b/t079.json").unlink()  # the last one that was numbered
    for changed in ("a/t003", "b/t001"):
        put(searcher.root, dataset(changed, documentation={"description": "lake"}))
    put(searcher.root, dataset("zz"))
    for limit in (1, 5, 90, 0):
        followed = searcher("lake", limit=limit)
        index = searcher.root / ".lumos"
        index.rename(searcher.root / "kept")
        assert searcher("lake", limit=limit).hits == followed.hits
        shutil.rmtree(index)
        (searcher.root / "kept").rename(index)


OLD = unicodedata.ucd_3_2_0
"""SQLite knows the letters of an older Unicode: of newer ones nothing is promised."""


def words_of(document: object) -> list[str]:
    """Each word that stands in the text of a document, as somebody would type it."""
    if isinstance(document, dict):
        return [word for held in document.values() for word in words_of(held)]
    if isinstance(document, list):
        return [word for held in document for word in words_of(held)]
    if not isinstance(document, str):
        return []
    pieces = "".join(char if _is_of_a_word(char) else " " for char in document).split()
    return [
        word
        for word in pieces
        if all(OLD.category(char)[0] in "LNM" for char in word)
        and any(char.isalnum() for char in word)
    ]


def _is_of_a_word(char: str) -> bool:
    """Letters and numbers, and the accents on them."""
    return char.isalnum() or OLD.category(char)[0] == "M"


def searched_part(snapshot: Snapshot) -> list[object]:
    document = document_of(snapshot)
    fields = document.get("schema", {}).get("fields", [])
    governance = document.get("governance", {})
    return [
        document["name"],
        document["urn"].removeprefix("lumos://"),
        document["platform"],
        document.get("documentation", {}).get("description"),
        [field["name"] for field in fields],
        [field.get("description") for field in fields],
        [
            [owner.get("user"), owner.get("group")]
            for owner in document.get("ownership", {}).get("owners", [])
        ],
        governance.get("tags"),
        governance.get("terms"),
        governance.get("domain"),
    ]


@LAW
@given(st.lists(snapshots, min_size=1, max_size=3, unique_by=lambda one: one.urn))
def test_every_dataset_is_found_by_each_of_its_words(trees: list[Snapshot]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "lumos.yaml").write_text("version: 1\n")
        for snapshot in trees:
            put(root, document_of(snapshot))
        searcher = Searcher(root)
        for snapshot in trees:
            for word in set(words_of(searched_part(snapshot))):
                assert snapshot.urn in [hit.urn for hit in searcher(word, limit=0).hits], word
