"""How a tree has changed over a period."""

from pathlib import Path

from lumos_snap.commands.log import build_evolution
from lumos_snap.report.history import EvolutionReport
from lumos_snap.tree import open_tree
from tests.history.conftest import CLICKS, Scripted, column, document

OTHER = "lumos://s3/lake/views"
OTHER_PATH = "snapshots/s3/lake/views.json"


def _numbers(report: EvolutionReport) -> dict[str, tuple[int, int, int, int]]:
    return {
        one.urn.rpartition("/")[2]: (
            one.changes.commits,
            one.changes.silent + one.changes.breaking,
            one.changes.non_breaking,
            one.changes.informational,
        )
        for one in report.datasets
    }


def _start(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")), document(column("a"), urn=OTHER))
    made.git("tag", "v1")


def test_what_breaks_most_often_comes_first(made: Scripted) -> None:
    _start(made)
    made.commit("more", document(column("a"), column("c"), urn=OTHER))
    made.commit("more still", document(column("a"), column("c"), column("d"), urn=OTHER))
    made.commit("breaks", document(column("a")))
    report = build_evolution(made.tree, "v1", None)
    assert list(_numbers(report).items()) == [("clicks", (1, 1, 0, 0)), ("views", (2, 0, 2, 0))]
    assert (report.totals.commits, report.totals.breaking, report.totals.non_breaking) == (3, 1, 2)
    assert (report.bumps.major, report.bumps.minor, report.bumps.patch) == (1, 2, 0)
    assert report.datasets[1].first == "2026-01-03T00:00:00Z"
    assert report.datasets[1].last == "2026-01-04T00:00:00Z"


def test_a_short_period_is_told_by_weeks_without_gaps(made: Scripted) -> None:
    _start(made)
    made.number = 20
    made.commit("later", document(column("a")))
    spans = build_evolution(made.tree, "2026-01-01", None).spans
    assert [(one.name, one.datasets, one.changes.commits) for one in spans] == [
        ("2026-W01", 2, 1),
        ("2026-W02", 0, 0),
        ("2026-W03", 0, 0),
        ("2026-W04", 1, 1),
    ]


def test_a_long_period_is_told_by_months(made: Scripted) -> None:
    _start(made)
    made.number = 150
    made.commit("later", document(column("a")))
    names = [one.name for one in build_evolution(made.tree, "2026-01-01", None).spans]
    assert names == ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"]


def test_a_period_without_changes_has_none(made: Scripted) -> None:
    _start(made)
    report = build_evolution(made.tree, "v1", None)
    assert (report.datasets, report.spans, report.totals.commits) == ((), (), 0)


def test_a_renamed_dataset_is_one_dataset(made: Scripted) -> None:
    _start(made)
    renamed = document(column("a"), urn="lumos://s3/lake/pages", contract={"renamed_from": OTHER})
    made.commit("rename", renamed, gone=OTHER_PATH)
    made.commit("more", {**renamed, "schema": {"fields": [column("a"), column("b")]}})
    report = build_evolution(made.tree, "v1", None)
    assert list(_numbers(report)) == ["pages"]
    assert report.datasets[0].changes.commits == 2


def test_a_removed_dataset_is_counted(made: Scripted) -> None:
    _start(made)
    made.commit("gone", gone=OTHER_PATH)
    assert _numbers(build_evolution(made.tree, "v1", None)) == {"views": (1, 1, 0, 0)}


def test_a_version_that_cannot_be_read_is_counted_and_compared_across(made: Scripted) -> None:
    _start(made)
    made.commit("broken", b"{")
    made.commit("mended", document(column("a")))
    report = build_evolution(made.tree, "v1", None)
    assert (report.totals.unreadable, report.totals.breaking) == (1, 1)


def test_a_merge_counts_only_what_it_decides(made: Scripted) -> None:
    _start(made)
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a"), column("b"), column("c")))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a"), column("b", "INT64")))
    made.merge("side", "merge", document(column("a"), column("b", "INT64"), column("c")))
    report = build_evolution(made.tree, "v1", None)
    assert report.totals.commits == 2
    assert report.totals.non_breaking == 1


def test_documents_that_are_no_datasets_play_no_part(made: Scripted) -> None:
    _start(made)
    (made.root / "entities/users").mkdir(parents=True)
    (made.root / "entities/users/a.json").write_text("{}")
    (made.root / "snapshots/README.md").write_text("x")
    made.commit("others")
    assert build_evolution(made.tree, "v1", None).datasets == ()


def test_a_shallow_clone_says_where_it_ends(made: Scripted, tmp_path: Path) -> None:
    _start(made)
    made.commit("second", document(column("a")))
    made.commit("third", document(column("a"), column("b")))
    made.git("clone", "-q", "--depth", "2", f"file://{made.top}", str(tmp_path / "clone"))
    report = build_evolution(open_tree(tmp_path / "clone"), "2020-01-01", None)
    assert _numbers(report) == {"clicks": (1, 0, 1, 0)}
    assert report.ends_at == made.ids["second"]


def test_progress_counts_every_change(made: Scripted) -> None:
    _start(made)
    made.commit("second", document(column("a")))
    seen: list[tuple[int, int]] = []
    build_evolution(made.tree, "2020-01-01", None, progress=lambda *counts: seen.append(counts))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_until_ends_a_period(made: Scripted) -> None:
    _start(made)
    made.commit("second", document(column("a")))
    assert _numbers(build_evolution(made.tree, None, "v1")) == {
        "clicks": (1, 0, 1, 0),
        "views": (1, 0, 1, 0),
    }
    assert CLICKS in {one.path for one in build_evolution(made.tree, None, "2026-12-31").datasets}
