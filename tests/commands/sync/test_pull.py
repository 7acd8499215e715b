"""Taking a catalog's edits into a tree in which somebody is at work."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.commands.sync.command import Sync, apply_sync, prepare_sync
from lumos_snap.commands.sync.options import SyncOptions
from lumos_snap.commands.sync.pull import PullResult, commit_edits, pull_edits
from lumos_snap.errors import OutsideError
from lumos_snap.tree import open_tree
from tests.cli.lake import Lake

SETTINGS = "version: 1\ncatalogs: [{name: copy, type: files, path: ../copy}]\n"
Pull = Callable[[Sync], PullResult]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A tree, and a folder that is its catalog, where somebody has described both datasets."""
    made = Lake(tmp_path / "home").start(settings=SETTINGS)
    for name in "ab":
        made.put(name, documentation={"description": "At first."})
    made.commit("Start")
    apply_sync(planned(made))
    for path in (tmp_path / "copy").rglob("snapshots/**/*.json"):
        path.write_text(path.read_text().replace("At first.", "Theirs."))
    return made


def planned(lake: Lake) -> Sync:
    return prepare_sync(open_tree(lake.folder), SyncOptions())


def said(lake: Lake, name: str) -> str:
    found: str = lake.read(name)["documentation"]["description"]
    return found


@pytest.mark.parametrize("pull", [pull_edits, commit_edits])
def test_what_somebody_writes_after_the_plan_is_not_written_over(lake: Lake, pull: Pull) -> None:
    sync = planned(lake)
    lake.put("b", documentation={"description": "Ours, just now."})
    head = lake.commit("Ours")
    with pytest.raises(OutsideError, match="was changed while it was pulled into"):
        pull(sync)
    assert (said(lake, "a"), said(lake, "b")) == ("At first.", "Ours, just now.")
    assert lake.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("pull", [pull_edits, commit_edits])
def test_a_document_that_is_not_canonical_is_left_alone(lake: Lake, pull: Pull) -> None:
    laid_out = json.dumps(lake.read("b"), indent=1)
    lake.file("b").write_text(laid_out)
    lake.commit("Laid out anew")
    plan = planned(lake)
    assert len(pull(plan).written) == 1
    assert said(lake, "a") == "Theirs."
    assert lake.file("b").read_text() == laid_out
    assert [one.path for one in plan.invalid] == ["snapshots/s3/lake/b.json"]
