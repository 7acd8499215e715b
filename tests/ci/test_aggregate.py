"""Several trees, told as one."""

from dataclasses import replace

import pytest

from lumos_snap.ci.aggregate import (
    describe_verdict,
    gate_trees,
    merge_diffs,
    new_waivers,
    policy_changes,
    state_of,
)
from lumos_snap.report.diff import BumpWord, Counts, NewWaiver, PolicyChange, Remark
from lumos_snap.report.envelope import FileFinding
from lumos_snap.report.gate import TreeResult
from tests.ci.differences import difference, finding, judged, undecided

WAIVER = NewWaiver(
    path="w.yaml", change="added", reason="r", owner="o", expires="2999-12-31", counts=True,
    decision="d",
)  # fmt: skip
SETTING = PolicyChange(
    path="lumos.yaml", setting="policy.preset", old="", new="draft", effect="looser"
)


def damage(path: str) -> FileFinding:
    return FileFinding(path=path, line=1, column=1, rule="unreadable", message="m", hint="h")


def tree(name: str, root: str | None) -> TreeResult:
    """A tree that has one of everything that names a file."""
    found = replace(
        difference("gone"),
        root=root,
        policy_changes=(SETTING,),
        new_waivers=(WAIVER,),
        entities=(finding("e.json"),),
        damaged=(damage("d.json"),),
        undecided=(damage("u.json"),),
        remarks=(Remark(path="r.json", message="m"),),
    )
    return TreeResult(name=name, difference=found, exit=1)


def test_every_path_is_told_from_the_top_of_the_repository() -> None:
    found = merge_diffs([tree("a", "teams/a"), tree("b", None)])
    assert found is not None
    assert found.root is None
    for held, name in (
        (found.policy_changes, "lumos.yaml"),
        (found.new_waivers, "w.yaml"),
        (found.entities, "e.json"),
        (found.damaged, "d.json"),
        (found.undecided, "u.json"),
        (found.remarks, "r.json"),
        (found.datasets, "gone"),
        (found.datasets[0].findings + found.datasets[1].findings, "gone"),
    ):
        assert [one.path for one in held] == [f"teams/a/{name}", name]


def test_one_tree_is_told_as_it_is() -> None:
    alone = tree("a", "teams/a")
    assert merge_diffs([alone]) == alone.difference


def test_all_is_counted() -> None:
    counts = Counts(datasets=1, silent=2, breaking=3, non_breaking=4, informational=5, waived=6)
    one = TreeResult(name="a", difference=replace(difference(), counts=counts), exit=0)
    lost = undecided("c", "lost")
    assert gate_trees([one, one, lost]).counts == Counts(
        datasets=2, silent=4, breaking=6, non_breaking=8, informational=10, waived=12
    )
    assert new_waivers([tree("a", None), tree("b", None), lost]) == 2
    assert policy_changes([tree("a", None), lost]) == 1


@pytest.mark.parametrize("order", [1, -1])
def test_the_largest_step_is_that_of_all(order: int) -> None:
    trees = [
        TreeResult(name=word, difference=replace(difference(), bump=word), exit=0)
        for word in (BumpWord.NONE, BumpWord.MAJOR, BumpWord.MINOR, BumpWord.PATCH)
    ]
    assert gate_trees(trees[::order]).bump is BumpWord.MAJOR
    assert gate_trees([]).bump is BumpWord.NONE


def test_a_status_has_github_s_words() -> None:
    words = [state_of([one]) for one in (judged("a"), judged("a", "x"), undecided("a", "lost"))]
    assert words == ["success", "failure", "error"]
    unread = TreeResult(name="a", difference=replace(difference(), verdict="undecided"), exit=3)
    assert describe_verdict([unread]) == "the base cannot be read"
    told = replace(difference("x"), verdict="pass", reasons=())
    assert describe_verdict([TreeResult(name="a", difference=told, exit=0)]) == (
        "nothing that blocks; next version step: major"
    )
