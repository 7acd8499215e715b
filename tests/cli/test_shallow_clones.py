"""Commands in the clones that a CI makes: one commit deep, one branch, without other refs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos
from tests.cli.test_diff import ORDERS, commit, drop, edit, git

COMMANDS: dict[str, tuple[tuple[str, ...], int]] = {
    "gate": (("gate", "--base", "main"), 1),
    "check": (("check", "--base", "main"), 0),
    "diff": (("diff", "--base", "main"), 1),
    "comment": (("comment", "--base", "main", "--dry-run"), 0),
    "bump": (("bump", "--dry-run"), 0),
    "log": (("log", ORDERS), 0),
}
"""What a pipeline calls, and how each ends on a branch that drops a column."""
MISSING = [
    ("diff", "--base", "nowhere"),
    ("diff", "--base", "nowhere", "--no-merge-base"),
    ("diff", "--base", "nowhere", "--no-fetch"),
    ("gate", "--base", "nowhere"),
    ("check", "--base", "nowhere"),
    ("comment", "--base", "nowhere", "--dry-run"),
    ("explain", "0" * 12, "--base", "nowhere"),
    ("impact", "orders", "--base", "nowhere"),
    ("bump", "--dry-run", "--since", "nowhere"),
]


@pytest.fixture
def remote(shop: Path) -> Path:
    """A branch that left `main` some commits ago, and the merge of both as a forge makes it."""
    for number in range(3):
        (shop / "README.md").write_text(f"{number}\n")
        commit(shop, f"Main {number}")
    git(shop, "switch", "-qc", "feature")
    edit(shop / ORDERS, drop("coupon"))
    commit(shop, "Drop coupon")
    git(shop, "switch", "-q", "main")
    (shop / "README.md").write_text("more\n")
    commit(shop, "Main moves on")
    git(shop, "switch", "-q", "--detach")
    git(shop, "merge", "-q", "--no-ff", "-m", "Merge", "feature")
    git(shop, "update-ref", "refs/pull/7/merge", "HEAD")
    git(shop, "switch", "-q", "main")
    return shop


def one_commit(remote: Path, clone: Path) -> None:
    """As `git clone --depth=1`: one branch, one commit."""
    git(remote, "clone", "-q", "--depth=1", "--branch=feature", remote.as_uri(), str(clone))


def one_branch(remote: Path, clone: Path) -> None:
    """All commits of one branch."""
    git(remote, "clone", "-q", "--single-branch", "--branch=feature", remote.as_uri(), str(clone))


def merge_ref(remote: Path, clone: Path) -> None:
    """As actions/checkout does it: the merge commit alone, detached, with no branch at all."""
    clone.mkdir()
    git(clone, "init", "-q")
    git(clone, "remote", "add", "origin", remote.as_uri())
    ref = "refs/remotes/pull/7/merge"
    git(clone, "fetch", "-q", "--no-tags", "--depth=1", "origin", f"+refs/pull/7/merge:{ref}")
    git(clone, "checkout", "-q", "--force", ref)


CLONES = pytest.mark.parametrize("clone", [one_commit, one_branch, merge_ref])
Clone = Callable[[Path, Path], None]


ORDERS_OF_COMMANDS = [(*tuple(COMMANDS)[at:], *tuple(COMMANDS)[:at]) for at in range(len(COMMANDS))]


@CLONES
@pytest.mark.parametrize("order", ORDERS_OF_COMMANDS, ids=lambda order: f"{order[0]}-first")
def test_commands_work_one_after_another_in_any_order(
    remote: Path,
    tmp_path: Path,
    lumos: Lumos,
    monkeypatch: pytest.MonkeyPatch,
    clone: Clone,
    order: tuple[str, ...],
) -> None:
    clone(remote, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    for name in order:
        arguments, code = COMMANDS[name]
        ran = lumos("snap", *arguments)
        assert ran.code == code, (name, ran.err)
        if code:
            assert "coupon was removed" in ran.out


@CLONES
@pytest.mark.parametrize(
    "base", ["main", "origin/main", "refs/heads/main", "refs/remotes/origin/main"]
)
def test_every_spelling_of_a_branch_is_found_twice(
    remote: Path,
    tmp_path: Path,
    lumos: Lumos,
    monkeypatch: pytest.MonkeyPatch,
    clone: Clone,
    base: str,
) -> None:
    clone(remote, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    refs = git(tmp_path / "clone", "for-each-ref")
    for arguments in (("--base", base), ("--base", base), ("--base", base, "--no-merge-base")):
        ran = lumos("snap", "diff", *arguments)
        assert ran.code == 1, ran.err
        assert "coupon was removed" in ran.out
    assert git(tmp_path / "clone", "for-each-ref") == refs


@CLONES
def test_a_tag_and_a_commit_that_only_the_remote_has_are_found(
    remote: Path, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch, clone: Clone
) -> None:
    git(remote, "tag", "-a", "v1", "-m", "one", "main")
    clone(remote, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    git(tmp_path / "clone", "config", "remote.origin.tagOpt", "--no-tags")
    for base in ("v1", git(remote, "rev-parse", "main")):
        assert lumos("snap", "diff", "--base", base).code == 1


@pytest.mark.parametrize("arguments", MISSING, ids=" ".join)
def test_a_missing_base_is_never_a_decision(
    remote: Path,
    tmp_path: Path,
    lumos: Lumos,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    for clone in (one_commit, one_branch):
        clone(remote, tmp_path / clone.__name__)
        monkeypatch.chdir(tmp_path / clone.__name__)
        ran = lumos("snap", *arguments)
        assert ran.code == 3, (arguments, ran.err)
        assert "nowhere: no such branch, tag or commit" in ran.err + ran.out
        assert "→" in ran.err + ran.out


@pytest.mark.parametrize("command", sorted({arguments[0] for arguments in MISSING}))
def test_help_says_what_a_missing_base_is(lumos: Lumos, command: str) -> None:
    told = " ".join(lumos("snap", command, "--help").out.split())
    assert "3 if the base cannot be read" in told
