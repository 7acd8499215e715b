"""Which commit a name means."""

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Repository, current_branch, open_repository, resolve
from tests.git.builder import Builder


@pytest.fixture
def repository(built: Builder) -> Repository:
    built.commit(x="1")
    built.commit(x="2")
    built.git("tag", "light", "HEAD~1")
    built.git("tag", "--annotate", "--message", "m", "v1.0", "HEAD~1")
    built.git("update-ref", "refs/remotes/origin/feature/a", "HEAD~1")
    return open_repository(built.path)


@pytest.mark.parametrize("ref", ["light", "v1.0", "HEAD~1", "origin/feature/a", "main^", "@~1"])
def test_tags_branches_and_expressions_mean_a_commit(
    built: Builder, repository: Repository, ref: str
):
    assert resolve(repository, ref).id == built.git("rev-parse", "HEAD~1")


def test_an_abbreviated_id_means_its_commit(built: Builder, repository: Repository):
    commit = built.git("rev-parse", "HEAD")
    assert resolve(repository, commit[:7]).id == commit


def test_an_id_that_is_too_short_is_an_error(built: Builder):
    built.commit(x="1")
    built.history(1000)
    starts = [commit[:4] for commit in built.git("rev-list", "HEAD").split()]
    short = next(start for start in starts if starts.count(start) > 1)
    with pytest.raises(LumosError, match=f"short object ID {short} is ambiguous"):
        resolve(open_repository(built.path), short)


def test_a_commit_knows_its_name_and_time(repository: Repository):
    commit = resolve(repository, "main")
    assert (commit.name, commit.time) == ("main", 1_704_067_200)


@pytest.mark.parametrize("branch", ["-x", "--upload-pack=x", "wörk", "a'b", "a;b", "$(x)", "a@b"])
def test_a_branch_may_have_an_odd_name(built: Builder, repository: Repository, branch: str):
    built.git("update-ref", f"refs/heads/{branch}", "HEAD~1")
    assert resolve(repository, branch).id == built.git("rev-parse", "HEAD~1")


@pytest.mark.parametrize(
    "ref", ["nothing", "-x", "--help", "HEAD~99", "HEAD:x", "a..b", "*", "0" * 40, "a b"]
)
def test_a_name_that_means_nothing_is_an_error(repository: Repository, ref: str):
    with pytest.raises(LumosError, match="no such branch, tag or commit"):
        resolve(repository, ref)


@pytest.mark.parametrize("ref", ["", " ", "main\nHEAD", "a\0b"])
def test_a_name_that_can_mean_nothing_is_refused(repository: Repository, ref: str):
    with pytest.raises(LumosError, match="not the name of a commit"):
        resolve(repository, ref)


def test_a_mistyped_name_is_answered_with_close_ones(repository: Repository):
    with pytest.raises(LumosError) as caught:
        resolve(repository, "mian")
    assert caught.value.hint.startswith("did you mean `main`?")


def test_a_branch_of_a_remote_must_be_named_as_such(repository: Repository):
    with pytest.raises(LumosError) as caught:
        resolve(repository, "feature/a")
    assert caught.value.hint.startswith("did you mean `origin/feature/a`?")


def test_a_branch_that_was_not_fetched_is_answered_with_the_fix(built: Builder):
    built.commit(x="1")
    built.git("branch", "release")
    clone = built.clone("clone", "--single-branch")
    with pytest.raises(LumosError) as caught:
        resolve(open_repository(clone.path), "release")
    assert "git fetch origin release:refs/remotes/origin/release" in caught.value.hint


def test_an_empty_repository_says_that_it_is_empty(built: Builder):
    with pytest.raises(OutsideError, match="no commit yet"):
        resolve(open_repository(built.path), "main")


def test_an_unborn_branch_says_so(built: Builder, repository: Repository):
    built.git("switch", "--quiet", "--orphan", "new")
    with pytest.raises(OutsideError, match="HEAD: the current branch has no commit yet"):
        resolve(repository, "HEAD")


def test_the_current_branch_is_known_unborn_or_born_but_not_when_detached(built: Builder):
    repository = open_repository(built.path)
    assert current_branch(repository) == "main"
    built.commit(x="1")
    assert current_branch(repository) == "main"
    built.git("checkout", "--quiet", "--detach")
    assert current_branch(repository) is None
    assert resolve(repository, "HEAD").id == built.git("rev-parse", "HEAD")


def test_sha256_commits_resolve(built: Builder):
    built.path.joinpath("inner").mkdir()
    inner = Builder(built.path / "inner")
    inner.git("init", "--quiet", "--object-format=sha256")
    commit = inner.commit(x="1")
    assert len(commit) == 64
    assert resolve(open_repository(inner.path), commit[:10]).id == commit


def test_replaced_commits_count_as_they_were_made(built: Builder, repository: Repository):
    first, second = built.git("rev-parse", "HEAD~1", "HEAD").split()
    built.git("replace", second, first)
    assert resolve(repository, "HEAD~1").id == first
