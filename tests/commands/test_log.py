"""What each commit changed of a dataset, or of a column."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.commands.blame import blame
from lumos_snap.commands.log import LogOptions, log
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.history import LogReport
from lumos_snap.tree import open_tree
from tests.history.conftest import CLICKS, URN, Scripted, column, document, scripted, struct

OLD = "lumos://s3/lake/old"
OLD_PATH = "snapshots/s3/lake/old.json"


def _log(made: Scripted, wanted: str = "clicks", **asked: Any) -> LogReport:
    return log(made.tree, wanted, LogOptions(**asked))


def _slugs(made: Scripted, report: LogReport) -> list[tuple[str, list[str]]]:
    return [(made.name(one.commit.id), [c.slug for c in one.changes]) for one in report.entries]


def test_every_change_is_told_newest_first(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32"), column("b")))
    made.commit(
        "words", document(column("a", "INT32"), column("b"), documentation={"description": "x"})
    )
    made.commit("breaks", document(column("a", "STRING")))
    report = _log(made)
    assert [name for name, _ in _slugs(made, report)] == ["breaks", "words", "first"]
    assert _slugs(made, report)[2][1] == ["dataset-added"]
    assert "field-removed" in _slugs(made, report)[0][1]
    assert report.entries[0].bump == "major"
    assert report.entries[0].commit.date == "2026-01-04T00:00:00Z"
    assert (report.urn, report.path, report.is_cut, report.ends_at) == (URN, CLICKS, False, None)


def test_the_version_of_each_commit_is_told(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    versioning = {"schema_version": "1.1.0", "cloud_version": "S-3"}
    made.commit("release", document(column("a"), column("b"), versioning=versioning))
    found = [(one.schema_version, one.cloud_version) for one in _log(made).entries]
    assert found == [("1.1.0", "S-3"), (None, None)]


def test_another_layout_is_no_change(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    raw = (made.root / CLICKS).read_bytes()
    made.commit("layout", raw.replace(b"  ", b"    "))
    assert [name for name, _ in _slugs(made, _log(made))] == ["first"]


def test_a_limit_says_that_there_is_more(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    made.commit("second", document(column("a"), column("b")))
    report = _log(made, limit=1)
    assert ([name for name, _ in _slugs(made, report)], report.is_cut) == (["second"], True)
    assert not _log(made, limit=2).is_cut


def test_a_removed_dataset_may_be_named_whole(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    made.commit("gone", gone=CLICKS)
    for wanted in (URN, CLICKS, f"./{CLICKS}"):
        assert _slugs(made, _log(made, wanted)) == [
            ("gone", ["dataset-removed"]),
            ("first", ["dataset-added"]),
        ]
    with pytest.raises(LumosError, match="no dataset 'clicks'"):
        _log(made)
    with pytest.raises(LumosError, match="no dataset"):
        _log(made, "lumos://s3/lake/never")


# A column


def test_a_column_is_followed_through_its_names(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32", id=1), column("x", id=2)))
    made.commit("wider", document(column("a", "INT64", id=1), column("x", id=2)))
    made.commit("other", document(column("a", "INT64", id=1), column("x", "BINARY", id=2)))
    made.commit("rename", document(column("b", "INT64", id=1), column("x", "BINARY", id=2)))
    found = _slugs(made, _log(made, column="b"))
    assert [name for name, _ in found] == ["rename", "wider", "first"]


def test_a_declared_rename_is_followed_inside_a_struct(made: Scripted) -> None:
    contract = {"fields": [{"path": "page.link", "renamed_from": "page.url"}]}
    made.commit("first", document(struct("page", column("url"), column("n"))))
    made.commit("other", document(struct("page", column("url"), column("n", "INT64"))))
    made.commit("type", document(struct("page", column("url", "BINARY"), column("n", "INT64"))))
    held = document(
        struct("page", column("link", "BINARY"), column("n", "INT64")), contract=contract
    )
    made.commit("rename", held)
    assert [n for n, _ in _slugs(made, _log(made, column="page.link"))] == [
        "rename",
        "type",
        "first",
    ]
    assert [n for n, _ in _slugs(made, _log(made, column="page.n"))] == ["other", "first"]
    names = [n for n, _ in _slugs(made, _log(made, column="page"))]
    assert names == ["rename", "type", "other", "first"]


def test_what_people_say_of_a_column_touches_it(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    governed = {"fields": [{"path": "a", "pii": True}]}
    made.commit("pii", document(column("a"), column("b"), governance=governed))
    assert [n for n, _ in _slugs(made, _log(made, column="a"))] == ["pii", "first"]
    assert [n for n, _ in _slugs(made, _log(made, column="b"))] == ["first"]


def test_a_column_that_came_later_begins_there(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    made.commit("more", document(column("a"), column("b")))
    assert _slugs(made, _log(made, column="b")) == [("more", ["field-added"])]


def test_a_column_that_is_gone_has_a_history(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.commit("gone", document(column("a")))
    assert [n for n, _ in _slugs(made, _log(made, column="b"))] == ["gone", "first"]


def test_a_column_that_never_was_is_refused(made: Scripted) -> None:
    made.commit("first", document(column("amount")))
    with pytest.raises(LumosError, match="no column `amonut`") as caught:
        _log(made, column="amonut")
    assert "`amount`" in caught.value.hint
    with pytest.raises(LumosError, match="not a field path"):
        _log(made, column="a..b")


# Merges


def test_a_merge_that_only_brings_together_repeats_nothing(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a", "INT64"), column("b")))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a"), column("b", "INT64"), column("c")))
    made.merge("side", "merge", document(column("a", "INT64"), column("b", "INT64"), column("c")))
    assert [n for n, _ in _slugs(made, _log(made))] == ["main", "side", "first"]


def test_what_a_merge_decides_is_told_once(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32"), column("b")))
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a", "INT64"), column("b")))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a", "FLOAT64"), column("b"), column("c")))
    merged = document(column("a", "STRING"), column("b"), column("c"), column("d"))
    made.merge("side", "merge", merged)
    found = _log(made).entries[0]
    assert made.name(found.commit.id) == "merge"
    assert sorted((c.field, c.slug) for c in found.changes) == [
        ("a", "type-family-changed"),
        ("d", "field-added"),
    ]


def test_what_one_branch_added_and_the_merge_changed_is_told(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a"), struct("page", column("url"))))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a", "INT64")))
    made.merge(
        "side", "merge", document(column("a", "INT64"), struct("page", column("url", "BINARY")))
    )
    found = _log(made).entries[0]
    assert [(c.field) for c in found.changes] == ["page.url"]


def test_a_column_keeps_its_name_on_a_branch_that_did_not_rename_it(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32", id=1)))
    made.git("checkout", "-qb", "side")
    made.commit("rename", document(column("b", "INT32", id=1)))
    made.git("checkout", "-q", "main")
    made.commit("wider", document(column("a", "INT64", id=1)))
    made.merge("side", "merge", document(column("b", "INT64", id=1)))
    names = {n for n, _ in _slugs(made, _log(made, column="b"))}
    assert names == {"rename", "wider", "first"}


# Broken versions, former names, ends


def test_a_broken_version_is_one_line_and_is_compared_across(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.commit("broken", b'{\n  "urn": }')
    made.commit("worse", b"{")
    made.commit("mended", document(column("a")))
    report = _log(made)
    assert _slugs(made, report) == [
        ("mended", ["field-removed"]),
        ("worse", []),
        ("broken", []),
        ("first", ["dataset-added"]),
    ]
    said = report.entries[2].unreadable
    assert said is not None
    assert said.startswith("2:10: is not valid JSON")


def test_any_number_of_broken_versions_is_looked_across(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    tip, lines = made.git("rev-parse", "HEAD"), []
    for number in range(1500):
        lines += [
            "commit refs/heads/main",
            f"committer T <t> {1_770_000_000 + number} +0000\ndata 1\nx",
            *([f"from {tip}"] if number == 0 else []),
            f"M 100644 inline {CLICKS}\ndata {len(str(number)) + 1}\n{{{number}",
        ]
    stream = "\n".join(lines).encode() + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=made.top, input=stream, check=True)
    made.git("reset", "-q", "--hard")
    made.commit("mended", document(column("a")))
    report = _log(made)
    assert [one.slug for one in report.entries[0].changes] == ["field-removed"]
    assert len(report.entries) == 1502
    assert [
        one.first.commit and made.name(one.first.commit.id) for one in blame(made.tree, URN).columns
    ] == ["first"]


def test_a_link_in_the_place_of_a_file_cannot_be_read(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    (made.root / CLICKS).unlink()
    (made.root / CLICKS).symlink_to("nowhere")
    made.commit("link")
    (made.root / CLICKS).unlink()
    made.commit("back", document(column("a")))
    report = _log(made)
    assert [one.unreadable for one in report.entries] == ["is a symlink, not a file", None]


def test_a_declared_former_name_is_followed(made: Scripted) -> None:
    made.commit("first", document(column("a"), urn=OLD))
    made.commit("more", document(column("a"), column("b"), urn=OLD))
    renamed = document(column("a"), column("b"), contract={"renamed_from": OLD})
    made.commit("rename", renamed, gone=OLD_PATH)
    made.commit("later", document(column("a"), contract={"renamed_from": OLD}))
    report = _log(made)
    assert [n for n, _ in _slugs(made, report)] == ["later", "rename", "more", "first"]
    assert report.entries[1].renamed_from == OLD
    assert "dataset-renamed" in _slugs(made, report)[1][1]
    assert [one.urn for one in report.entries] == [URN, URN, OLD, OLD]


def test_a_former_name_may_have_gone_earlier(made: Scripted) -> None:
    made.commit("first", document(column("a"), urn=OLD))
    made.commit("gone", gone=OLD_PATH)
    made.commit("rename", document(column("a"), contract={"renamed_from": OLD}))
    assert [n for n, _ in _slugs(made, _log(made))] == ["rename", "first"]


def test_the_id_of_a_store_tells_a_former_name(made: Scripted) -> None:
    made.commit("first", document(column("a"), urn=OLD, storage={"id": "t-1"}))
    made.commit("rename", document(column("a"), storage={"id": "t-1"}), gone=OLD_PATH)
    assert [n for n, _ in _slugs(made, _log(made))] == ["rename", "first"]


def test_another_id_is_another_dataset(made: Scripted) -> None:
    made.commit("first", document(column("a"), urn=OLD, storage={"id": "t-1"}))
    made.commit("other", document(column("a"), storage={"id": "t-2"}), gone=OLD_PATH)
    assert _slugs(made, _log(made)) == [("other", ["dataset-added"])]


def test_a_dataset_that_names_itself_as_former_ends(made: Scripted) -> None:
    made.commit("first", document(column("a"), contract={"renamed_from": URN}))
    made.commit("gone", gone=CLICKS)
    made.commit("back", document(column("a"), contract={"renamed_from": URN}))
    assert [n for n, _ in _slugs(made, _log(made))][-1] == "first"


def test_a_shallow_clone_says_where_it_ends(made: Scripted, tmp_path: Path) -> None:
    made.commit("first", document(column("a")))
    made.commit("second", document(column("a"), column("b")))
    made.commit("third", document(column("a")))
    made.git("clone", "-q", "--depth", "2", f"file://{made.top}", str(tmp_path / "clone"))
    report = log(open_tree(tmp_path / "clone"), "clicks", LogOptions())
    assert _slugs(made, report) == [("third", ["field-removed"])]
    assert report.ends_at == made.ids["second"]


# Periods and refs


def test_a_period_limits_a_log(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    made.commit("second", document(column("a"), column("b")))
    made.git("tag", "v1")
    made.commit("third", document(column("a"), column("b"), column("c")))

    def names(**asked: Any) -> list[str]:
        return [n for n, _ in _slugs(made, _log(made, **asked))]

    assert names(since="v1") == ["third"]
    assert names(until="v1") == ["second", "first"]
    assert names(since="2026-01-03") == ["third", "second"]
    assert names(until="2026-01-03") == ["second", "first"]
    assert names(since="2026-01-03", until="2026-01-03") == ["second"]
    assert names(ref="v1") == ["second", "first"]


@pytest.mark.parametrize("when", ["", " ", "v9", "no such", "--all", "2026-01-01\n", "release"])
def test_what_is_no_point_in_time_is_refused(made: Scripted, when: str) -> None:
    made.commit("first", document(column("a")))
    with pytest.raises(LumosError, match="neither a branch"):
        _log(made, since=when)


@pytest.mark.parametrize(
    "when",
    ["2 weeks ago", "yesterday", "last friday", "2026-01-01T00:00:00Z", "1.month", "jan 3 2026",
     "10am", "3 Sept 2025", "@1700000000"],
)  # fmt: skip
def test_dates_are_taken_as_git_takes_them(made: Scripted, when: str) -> None:
    made.commit("first", document(column("a")))
    _log(made, since=when)


@pytest.mark.parametrize(
    ("inside", "options"), [("data/tree", ()), ("", ("--object-format=sha256",))]
)
def test_a_tree_may_lie_anywhere_in_any_repository(
    tmp_path: Path, inside: str, options: tuple[str, ...]
) -> None:
    made = scripted(tmp_path / "other", inside=inside, options=options)
    made.commit("first", document(column("a"), urn=OLD, storage={"id": "1"}))
    made.commit("rename", document(column("a"), storage={"id": "1"}), gone=OLD_PATH)
    assert [n for n, _ in _slugs(made, _log(made))] == ["rename", "first"]


def test_a_bare_repository_is_asked_with_a_ref(
    made: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit("first", document(column("a")))
    made.git("clone", "-q", "--bare", str(made.top), str(tmp_path / "bare"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "bare"))
    report = log(open_tree(tmp_path / "bare").at("main"), "clicks", LogOptions(ref="main"))
    assert [n for n, _ in _slugs(made, report)] == ["first"]


def test_the_policy_of_the_working_tree_judges_the_past(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.commit("gone", document(column("a")))
    (made.root / "lumos.yaml").write_text(
        "version: 1\npolicy:\n  rules:\n    field-removed: informational\n"
    )
    assert _log(made).entries[0].changes[0].level == "informational"
    (made.root / "lumos.yaml").write_text("version: 1\npolicy:\n  rules:\n    nope: silent\n")
    with pytest.raises(LumosError, match="no rule `nope`"):
        _log(made)


def test_outside_a_repository_there_is_no_history(tmp_path: Path) -> None:
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    with pytest.raises(OutsideError, match="not in a git repository"):
        log(open_tree(tmp_path), "clicks", LogOptions())
