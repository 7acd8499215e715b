"""Smaller promises of a scan, each of which was broken once."""

import os
import shutil
from pathlib import Path

import pytest

from lumos_snap.cli import main
from lumos_snap.report.scan import ScanOutcome
from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place

__all__ = ["lumos"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def test_a_column_that_left_the_sample_is_not_gone(place: Place, scanned: Scan) -> None:
    for number in range(40):
        place.text(f"x/part-{100 + number}.csv", "a,b\n1,2\n")
    place.text("x/part-140.csv", "a,b,c\n1,2,3\n")
    scanned()
    place.text("x/part-141.csv", "a,b\n1,2\n")
    os.utime(place.lake / "x/part-141.csv", (2e9, 2e9))
    scanned()
    assert place.columns("x") == ["a", "b", "c"]
    scanned(reinfer=True)
    assert place.columns("x") == ["a", "b"]


def test_a_column_that_no_header_has_is_gone(place: Place, scanned: Scan) -> None:
    place.text("x/part-0.csv", "a,b\n1,2\n")
    scanned()
    place.text("x/part-0.csv", "a\n1\n2\n")
    scanned()
    assert place.columns("x") == ["a"]


def test_words_that_git_could_not_give_back_are_not_removed(place: Place, lumos: Lumos) -> None:
    for name in "abc":
        place.parquet(f"{name}/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake").code == 0
    place.edit("a", documentation={"description": "never committed"})
    for name in "ab":
        (place.lake / name / "part-0.parquet").unlink()
    done = lumos("snap", "scan", "lake", "--prune", "--commit", "--json")
    assert done.code == 0
    assert done.json["removed"] == [
        "observations/file/lake/b.json",
        "snapshots/file/lake/b.json",
    ]
    assert "never committed" in done.json["remarks"][0]
    assert (place.root / "snapshots/file/lake/a.json").exists()


def test_after_a_hook_has_refused_git_commit_goes_on(place: Place, lumos: Lumos) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    hook = place.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    done = lumos("snap", "scan", "lake", "--commit")
    assert done.code == 3
    assert "`git commit`: all is staged" in done.err
    hook.unlink()
    place.git("commit", "-qm", "Scan")
    assert place.status() == ""


@pytest.mark.parametrize("path", ["", "lake/a", "lake", "../elsewhere/x.csv"])
def test_only_files_of_a_source_can_be_explained(place: Place, lumos: Lumos, path: str) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake", "--explain", path).code == 2


def test_an_unknown_home_is_named(place: Place, lumos: Lumos) -> None:
    text = "version: 1\nsources:\n  - {name: a, path: '~nobody-at-all/x'}\n"
    (place.root / "lumos.yaml").write_text(text)
    done = lumos("snap", "scan")
    assert done.code == 2
    assert "nobody's home" in done.err


def test_a_clock_that_is_out_of_its_mind_says_nothing(scanned: Scan, place: Place) -> None:
    file = place.parquet("a/part-0.parquet", id=[1])
    os.utime(file, ns=(0, -(10**18)))
    assert scanned().counts["added"] == 1
    text = (place.root / "observations/file/lake/a.json").read_text()
    assert "modified" not in text


def test_a_link_to_a_neighbour_is_no_second_file(scanned: Scan, place: Place) -> None:
    file = place.parquet("a/part-0.parquet", id=[1, 2])
    (place.lake / "a/part-1.parquet").symlink_to(file)
    (found,) = scanned().datasets
    assert (found.files, found.rows) == (1, 2)


def test_a_column_in_the_path_and_in_the_files_is_named(scanned: Scan, place: Place) -> None:
    place.parquet("a/k=1/part-0.parquet", k=[1], id=[1])
    (found,) = scanned().datasets
    assert found.notes == ("k stands in the path and in the files: readers take one of the two",)
    (partition,) = place.document("a")["storage"]["partitioning"]
    assert (partition["source"], partition["transform"]) == ("k", "identity")


def test_a_long_name_pushes_no_other_row(place: Place, lumos: Lumos) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.parquet(f"{'b' * 150}/part-0.parquet", id=[1])
    lines = lumos("snap", "scan", "lake").out.splitlines()
    assert lines[0] == "added  file/lake/a  parquet  1 column, 1 file, 1 row"


def test_a_moved_dataset_is_told_by_its_size_where_its_name_is_another(
    place: Place, scanned: Scan
) -> None:
    place.parquet("old/part-0.parquet", id=[1], a=[1])
    scanned()
    (place.lake / "old").rename(Path(place.lake / "new"))
    report = scanned()
    assert {one.urn.rpartition("/")[2]: one.outcome for one in report.datasets} == {
        "old": ScanOutcome.VANISHED,
        "new": ScanOutcome.MOVED,
    }


def test_objects_whose_names_are_data_are_maps(place: Place, scanned: Scan) -> None:
    def write(number: int) -> None:
        names = ", ".join(f'"user-{number}-{key}": {key}' for key in range(5))
        place.text(f"x/part-{number}.json", f'{{"id": {number}, "m": {{{names}}}}}\n')

    for number in range(60):
        write(number)
    scanned()
    assert [one["type"] for one in place.document("x")["schema"]["fields"]] == ["INT64", "MAP"]
    place.commit("Scan")
    for number in range(60, 80):
        write(number)
    scanned()
    assert place.status() == ""


@pytest.fixture
def deep(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A tree in a folder of a bigger repository."""
    inner = Place(place.root / "deep/tree")
    inner.lake.mkdir(parents=True)
    monkeypatch.chdir(inner.root)
    (place.root / ".git/info/exclude").write_text("/deep/tree/lake/\n")
    assert main(["snap", "init"]) == 0
    place.commit("A tree inside")
    return inner


def test_a_tree_in_a_bigger_repository_is_committed_too(deep: Place, lumos: Lumos) -> None:
    deep.parquet("a/part-0.parquet", id=[1])
    deep.parquet("b/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake", "--commit").code == 0
    (deep.lake / "b/part-0.parquet").unlink()
    assert lumos("snap", "scan", "lake", "--prune", "--branch", "n").code == 0
    assert deep.git("show", "--name-status", "--format=%D", "HEAD").split() == [
        *("HEAD", "->", "n", "D", "deep/tree/snapshots/file/lake/b.json"),
    ]
    assert deep.status() == ""


def test_a_commit_that_a_hook_refused_is_made_up_for(place: Place, lumos: Lumos) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    hook = place.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho nope >&2\nexit 1\n")
    hook.chmod(0o755)
    done = lumos("snap", "scan", "lake", "--branch", "n")
    assert (done.code, "nope" in done.err) == (3, True)
    assert place.git("branch", "--show-current") == "n\n"
    hook.unlink()
    assert lumos("snap", "scan", "lake", "--branch", "n").code == 0
    assert place.git("log", "-1", "--format=%s") == "Scan storage: 1 of an earlier scan\n"
    assert place.status() == ""


def test_a_branch_of_the_remote_goes_on(place: Place, lumos: Lumos, tmp_path: Path) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.git("clone", "-q", "--bare", str(place.root), str(tmp_path / "remote.git"))
    place.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    assert lumos("snap", "scan", "lake", "--branch", "n").code == 0
    place.git("push", "-q", "origin", "n")
    place.git("switch", "-q", "main")
    place.git("branch", "-D", "n")
    place.git("fetch", "-q", "origin")
    place.parquet("a/part-0.parquet", id=[1], b=[1])
    assert lumos("snap", "scan", "lake", "--branch", "n").code == 0
    place.git("push", "-q", "origin", "n")
    assert len(place.git("log", "--oneline", "main..n").splitlines()) == 2


@pytest.mark.parametrize("name", ["@", "refs/heads/x"])
def test_odd_names_of_branches_are_refused(place: Place, lumos: Lumos, name: str) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake", "--branch", name).code == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("day=2024-01-15", "day=20240115"),
        ("2024-01-15", "20240115"),
        ("year=2024/month=01", "year=2024/month=1"),
        ("at=2024-01-15 10%3A00%3A00", "at=2024-01-15"),
        ("year=2024", "year=30000"),
        ("k=1", "k=x"),
    ],
)
def test_types_of_partitions_come_to_rest(
    place: Place, scanned: Scan, first: str, second: str
) -> None:
    seen = []
    for folder in (first, second) * 3:
        shutil.rmtree(place.lake / "a", ignore_errors=True)
        place.parquet(f"a/{folder}/part-0.parquet", id=[1])
        scanned()
        seen.append(place.document("a")["storage"]["partitioning"])
    assert seen[1] == seen[2] == seen[3] == seen[4] == seen[5]


def test_a_folder_of_many_tables_moves_with_all_words(place: Place, scanned: Scan) -> None:
    for number in range(8):
        place.parquet(f"old/t{number}/part-0.parquet", id=[1])
    scanned()
    (place.lake / "old").rename(place.lake / "new")
    assert scanned().counts["moved"] == 8


def test_a_move_is_told_though_guessed_types_were_wider(place: Place, scanned: Scan) -> None:
    place.text("a/orders/part-0.csv", "id,v\n1,x\n")
    scanned()
    place.text("a/orders/part-0.csv", "id,v\n1,2\n")
    scanned()
    place.edit("a/orders", documentation={"description": "mine"})
    (place.lake / "a").rename(place.lake / "b")
    assert scanned().counts["moved"] == 1
    assert place.document("b/orders")["documentation"] == {"description": "mine"}


def test_what_globs_leave_out_is_not_gone(place: Place, scanned: Scan) -> None:
    place.text("raw/orders.csv", "id,v\n1,x\n")
    place.text("raw/clicks.csv", "id,v\n1,x\n")
    text = "version: 1\nsources:\n  - {{name: lake, path: lake, exclude: [{}]}}\n"
    (place.root / "lumos.yaml").write_text(text.format(""))
    scanned("lake")
    (place.root / "lumos.yaml").write_text(text.format("'**/orders.csv'"))
    assert scanned("lake", prune=True).counts["removed"] == 0


def test_bytes_that_are_no_gzip_are_no_table_either(place: Place, scanned: Scan) -> None:
    place.text("a/part-0.csv.gz", b"\x1f\x8bxx")
    assert [one.reason for one in scanned().bad_files] in (["damaged"], ["truncated"])


def test_a_broken_snapshot_is_never_committed(place: Place, lumos: Lumos) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.parquet("b/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake").code == 0
    (place.root / "snapshots/file/lake/a.json").write_text("{ broken")
    assert lumos("snap", "scan", "lake", "--commit").code == 1
    assert place.git("show", "--name-only", "--format=", "HEAD") == "snapshots/file/lake/b.json\n"
