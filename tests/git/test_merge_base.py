"""What `--base main` means."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import MergeBase, Repository, merge_base, open_repository
from tests.git.builder import Builder


def _silent(message: str) -> None:
    raise AssertionError(message)


def _base(built: Builder, base: str, *, head: str = "HEAD") -> MergeBase:
    return merge_base(open_repository(built.path), base, head=head, announce=_silent)


@pytest.fixture
def forked(built: Builder) -> Builder:
    """`feature` left `main` at the tag `fork`, and both went on."""
    built.commit(x="1")
    built.git("tag", "fork")
    built.git("switch", "--quiet", "--create", "feature")
    built.commit(y="feature")
    built.git("switch", "--quiet", "main")
    built.commit(z="main")
    built.git("switch", "--quiet", "feature")
    return built


def test_the_base_is_where_the_branch_left(forked: Builder):
    found = _base(forked, "main")
    assert found.commit == forked.git("rev-parse", "fork")
    assert (found.ref, found.tip) == ("main", forked.git("rev-parse", "main"))
    assert found.how == "merge base of main and HEAD"


@pytest.mark.parametrize("base", ["HEAD", "feature", "HEAD^0"])
def test_a_branch_is_its_own_base(forked: Builder, base: str):
    assert _base(forked, base).commit == forked.git("rev-parse", "HEAD")


def test_any_head_can_be_asked_for(forked: Builder):
    assert _base(forked, "feature", head="main").how == "merge base of feature and main"
    assert _base(forked, "fork", head="main").commit == forked.git("rev-parse", "fork")


def test_a_stale_local_branch_gives_way_to_its_remote_twin(forked: Builder):
    forked.git("update-ref", "refs/remotes/origin/main", "HEAD~0")
    found = _base(forked, "main")
    assert found.commit == forked.git("rev-parse", "HEAD")
    assert found.how == "merge base of origin/main and HEAD (newer than that of main)"


def test_a_stale_remote_twin_gives_way_to_the_local_branch(forked: Builder):
    root = forked.git("rev-parse", "fork")
    forked.git("switch", "--quiet", "main")
    forked.git("merge", "--quiet", "--message", "m", "feature")
    forked.git("update-ref", "refs/remotes/origin/main", root)
    found = _base(forked, "main", head="feature")
    assert found.ref == "main"
    assert found.commit == forked.git("rev-parse", "feature")


def test_of_several_twins_the_newest_merge_base_counts(forked: Builder):
    forked.git("update-ref", "refs/remotes/fork/main", "fork")
    forked.git("update-ref", "refs/remotes/upstream/main", "HEAD")
    assert _base(forked, "main").ref == "upstream/main"


def test_of_twins_with_the_same_merge_base_the_local_branch_is_named(forked: Builder):
    forked.git("switch", "--quiet", "main")
    forked.git("update-ref", "refs/remotes/a/main", "main")
    forked.commit(z="ahead")
    forked.git("update-ref", "refs/remotes/b/main", "main")
    assert _base(forked, "main", head="feature").how == "merge base of main and feature"


def test_a_tag_that_is_no_commit_hides_no_branch(forked: Builder):
    forked.git("update-ref", "refs/remotes/origin/release", "fork")
    forked.git("tag", "release", "HEAD:x")
    assert _base(forked, "release").ref == "origin/release"


def test_a_twin_that_shares_no_history_is_left_out(forked: Builder):
    stranger = forked.git("commit-tree", "-m", "stranger", "HEAD^{tree}")
    forked.git("update-ref", "refs/remotes/other/main", stranger)
    assert _base(forked, "main").ref == "main"


def test_bases_that_do_not_contain_each_other_are_ordered_by_time(
    forked: Builder, monkeypatch: pytest.MonkeyPatch
):
    tree = forked.git("rev-parse", "HEAD^{tree}")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2025-01-01T00:00:00+0000")
    late = forked.git("commit-tree", "-p", "fork", "-m", "late", tree)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2023-01-01T00:00:00+0000")
    early = forked.git("commit-tree", "-p", "fork", "-m", "early", tree)
    both = forked.git("commit-tree", "-p", early, "-p", late, "-m", "both", tree)
    forked.git("update-ref", "refs/heads/main", early)
    forked.git("update-ref", "refs/remotes/origin/main", late)
    assert _base(forked, "main", head=both).commit == late


def test_without_a_local_branch_the_remote_one_serves(forked: Builder):
    clone = forked.clone("clone", "--branch", "feature")
    found = _base(clone, "main")
    assert found.ref == "origin/main"
    assert found.commit == forked.git("rev-parse", "fork")


def test_a_longer_name_is_no_twin(forked: Builder):
    forked.git("update-ref", "refs/remotes/origin/old/main", "HEAD")
    forked.git("update-ref", "refs/remotes/origin/main/next", "HEAD")
    assert _base(forked, "main").ref == "main"


def test_a_full_name_has_no_twins(forked: Builder):
    forked.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert _base(forked, "refs/heads/main").commit == forked.git("rev-parse", "fork")


def test_the_head_of_a_remote_is_no_twin_of_head(forked: Builder):
    forked.git("update-ref", "refs/remotes/origin/main", "fork")
    forked.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert _base(forked, "HEAD").ref == "HEAD"


def test_a_wildcard_names_nothing(forked: Builder):
    with pytest.raises(LumosError, match=r"ma\*: no such branch"):
        _base(forked, "ma*")


def test_a_base_that_begins_with_a_dash_is_a_branch(forked: Builder):
    forked.git("update-ref", "refs/heads/--all", "fork")
    assert _base(forked, "--all").commit == forked.git("rev-parse", "fork")


def test_a_name_of_a_branch_and_a_tag_must_be_written_out(forked: Builder):
    forked.git("tag", "main", "HEAD")
    with pytest.raises(LumosError, match="main is a branch and a tag") as caught:
        _base(forked, "main")
    assert "refs/heads/main" in caught.value.hint


def test_histories_that_never_met_have_no_base(forked: Builder):
    forked.git("switch", "--quiet", "--orphan", "stranger")
    forked.commit(x="stranger")
    with pytest.raises(OutsideError, match="main and HEAD share no history"):
        _base(forked, "main")


def test_an_unborn_head_is_an_error(forked: Builder):
    forked.git("switch", "--quiet", "--orphan", "new")
    with pytest.raises(OutsideError, match="HEAD: the current branch has no commit yet"):
        _base(forked, "main")


def test_grafts_and_replace_refs_do_not_move_the_base(forked: Builder):
    head, main, fork = forked.git("rev-parse", "HEAD", "main", "fork").split()
    forked.git("replace", "--graft", head, main)
    (forked.path / ".git" / "info" / "grafts").write_text(f"{head} {main}\n")
    assert _base(forked, "main").commit == fork


@pytest.fixture
def deep(built: Builder) -> Builder:
    """`feature` left `main` 120 commits ago; each has 60 commits of its own."""
    built.commit(x="1")
    built.history(60, name="old")
    built.git("tag", "fork")
    built.git("switch", "--quiet", "--create", "feature")
    built.history(60, name="mine")
    built.git("switch", "--quiet", "main")
    built.history(120, name="theirs")
    return built


def _shallow(deep: Builder, *options: str) -> tuple[Builder, Repository]:
    clone = deep.clone("shallow", "--depth=1", "--no-single-branch", "--branch=feature", *options)
    return clone, open_repository(clone.path)


def test_a_shallow_clone_is_deepened_until_it_can_tell(deep: Builder, announced: list[str]):
    clone, repository = _shallow(deep)
    before = (clone.git("for-each-ref"), clone.git("status", "--porcelain"))
    assert repository.shallow
    found = merge_base(repository, "main", announce=announced.append)
    assert found.commit == deep.git("rev-parse", "fork")
    assert announced == [
        f"shallow clone without the merge base: git fetch --deepen={count} origin"
        for count in (50, 100)
    ]
    assert (clone.git("for-each-ref"), clone.git("status", "--porcelain")) == before
    assert not (clone.path / ".git" / "FETCH_HEAD").exists()


def test_a_shallow_clone_of_one_branch_asks_the_remote_for_the_other(
    deep: Builder, announced: list[str]
):
    clone = deep.clone("shallow", "--depth=1", "--branch=feature")
    refs = clone.git("for-each-ref")
    found = merge_base(open_repository(clone.path), "main", announce=announced.append)
    assert (found.ref, found.commit) == ("origin/main", deep.git("rev-parse", "fork"))
    assert announced[0] == "shallow clone without main: git fetch --deepen=50 origin main"
    assert clone.git("for-each-ref") == refs


def test_a_branch_that_the_remote_does_not_have_either_is_unknown(deep: Builder):
    clone = deep.clone("shallow", "--depth=1", "--branch=feature")
    with pytest.raises(LumosError, match="nothing: no such branch"):
        _base(clone, "nothing")
    with pytest.raises(LumosError, match="main: no such branch"):
        merge_base(open_repository(clone.path), "main", announce=_silent, fetch=False)


def test_a_merge_that_ci_checked_out_alone_finds_its_base(deep: Builder, announced: list[str]):
    tree = deep.git("rev-parse", "feature^{tree}")
    merge = deep.git("commit-tree", "-p", "main", "-p", "feature", "-m", "merge", tree)
    deep.git("update-ref", "refs/pull/1/merge", merge)
    built = Builder(deep.path.parent / "ci")
    built.path.mkdir()
    built.git("init", "--quiet")
    built.git("remote", "add", "origin", f"file://{deep.path}")
    ref = "refs/remotes/pull/1/merge"
    built.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", f"+{merge}:{ref}")
    built.git("checkout", "--quiet", "--force", ref)
    found = merge_base(open_repository(built.path), "main", announce=announced.append)
    assert found.commit == deep.git("rev-parse", "main")
    assert len(announced) == 1


def test_a_shallow_clone_with_local_commits_is_deepened(deep: Builder, announced: list[str]):
    clone, repository = _shallow(deep)
    clone.commit(local="1")
    found = merge_base(repository, "main", announce=announced.append)
    assert found.commit == deep.git("rev-parse", "fork")


def test_a_server_that_gives_only_its_refs_still_deepens(deep: Builder, announced: list[str]):
    clone, repository = _shallow(deep)
    clone.git("config", "protocol.version", "0")
    found = merge_base(repository, "main", announce=announced.append)
    assert found.commit == deep.git("rev-parse", "fork")


def test_a_shallow_clone_that_can_tell_is_left_alone(deep: Builder):
    clone, _ = _shallow(deep)
    assert _base(clone, "origin/feature").commit == clone.git("rev-parse", "HEAD")


def test_an_older_base_in_a_cut_history_is_not_trusted(
    new_repository: Callable[..., Builder], announced: list[str]
):
    # The way from HEAD to the newest shared commit is cut; an older shared one is in plain sight.
    built = new_repository()
    root = built.commit(x="root")
    built.git("switch", "--quiet", "--create", "side")
    built.history(3, name="side")
    shared = built.git("rev-parse", "HEAD")
    built.history(3, name="more")
    feature = built.git("commit-tree", "-p", root, "-p", "side", "-m", "merge", f"{root}^{{tree}}")
    built.git("update-ref", "refs/heads/feature", feature)
    main = built.git("commit-tree", "-p", root, "-p", shared, "-m", "main", f"{root}^{{tree}}")
    built.git("switch", "--quiet", "--detach")
    built.git("update-ref", "refs/heads/main", main)
    clone = built.clone("shallow", "--depth=2", "--no-single-branch", "--branch=feature")
    cut = clone.git("merge-base", "origin/main", "HEAD")
    found = merge_base(open_repository(clone.path), "main", announce=announced.append)
    assert cut == root
    assert found.commit == shared


def test_fetching_can_be_off(deep: Builder):
    _, repository = _shallow(deep)
    with pytest.raises(OutsideError, match=r"lacks the merge base .* fetching is off") as caught:
        merge_base(repository, "main", announce=_silent, fetch=False)
    assert "git fetch --unshallow" in caught.value.hint
    assert "fetch-depth: 0" in caught.value.hint


def test_a_shallow_clone_without_a_remote_cannot_tell(deep: Builder):
    clone, repository = _shallow(deep)
    for ref in ("main", "feature"):
        clone.git("update-ref", f"refs/heads/{ref}", f"origin/{ref}")
    clone.git("remote", "remove", "origin")
    with pytest.raises(OutsideError, match="there is no remote") as caught:
        merge_base(repository, "main", announce=_silent)
    assert "fetch-depth: 0" in caught.value.hint


def test_a_remote_that_is_gone_is_an_error(deep: Builder, tmp_path: Path, announced: list[str]):
    clone, repository = _shallow(deep)
    clone.git("remote", "set-url", "origin", f"file://{tmp_path}/gone")
    with pytest.raises(OutsideError, match="history cannot be fetched from origin"):
        merge_base(repository, "main", announce=announced.append)


def test_a_shallow_clone_of_strangers_is_fetched_whole_before_it_says_so(
    built: Builder, announced: list[str]
):
    built.commit(x="1")
    built.history(3)
    built.git("switch", "--quiet", "--orphan", "feature")
    built.commit(x="2")
    built.history(3)
    clone = built.clone("shallow", "--depth=1", "--no-single-branch", "--branch=feature")
    with pytest.raises(OutsideError, match="share no history"):
        merge_base(open_repository(clone.path), "main", announce=announced.append)
    assert announced


def test_a_remote_that_is_shallow_itself_is_named(deep: Builder, announced: list[str]):
    middle, _ = _shallow(deep)
    middle.git("update-ref", "refs/heads/main", "origin/main")
    clone = middle.clone("twice", "--depth=1", "--no-single-branch", "--branch=feature")
    with pytest.raises(OutsideError, match="origin is shallow itself"):
        merge_base(open_repository(clone.path), "main", announce=announced.append)
    assert announced[-1].endswith("--unshallow origin")
