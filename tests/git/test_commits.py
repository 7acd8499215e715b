from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import commits, open_repository
from lumos_snap.git.commits import PushResult, PushTarget
from lumos_snap.git.refs import (
    find_first_with,
    find_unclean,
    local_tags,
    paths_of,
    read_remote_refs,
)
from tests.git.builder import Builder

New = Callable[..., Builder]

pytestmark = pytest.mark.slow  # many real repositories


@pytest.fixture(params=["sha1", "sha256"])
def either(new_repository: New, request: pytest.FixtureRequest) -> Builder:
    """A repository of each object format, with a few files."""
    built = new_repository("either", f"--object-format={request.param}")
    built.commit_files({"tree/a": "a\n", "tree/b": "b\n", "other": "other\n"})
    return built


@pytest.fixture
def pair(new_repository: New) -> tuple[Builder, Builder]:
    """A clone, and the bare repository that it pushes to."""
    source = new_repository("source")
    source.commit_files({"a": "a\n"})
    bare = source.clone("bare", "--bare")
    return bare.clone("work"), bare


TARGET = PushTarget("main", "origin", "refs/heads/main")


class TestCommit:
    def test_holds_the_given_paths_and_nothing_else(self, either: Builder) -> None:
        either.write("tree/a", "new\n")
        either.write("tree/b", "not asked for\n")
        either.write("other", "staged\n")
        either.git("add", "other")
        repository = open_repository(either.path / "tree")
        oid = commits.commit(repository, ["a"], "Subject\n\n# not a comment\n")
        assert paths_of(repository, oid) == ("tree/a",)
        assert either.git("log", "-1", "--format=%B") == "Subject\n\n# not a comment"
        assert either.git("status", "--porcelain") == "M  other\n M tree/b"

    def test_an_odd_path_is_no_pattern_and_no_option(self, built: Builder) -> None:
        names = ["-x", ":(top)y", "*", "with space", "é", "new\nline"]
        built.commit_files({**dict.fromkeys(names, "1"), "z": "1"})
        for name in [*names, "z"]:
            built.write(name, "2")
        repository = open_repository(built.path)
        oid = commits.commit(repository, names, "m")
        assert set(paths_of(repository, oid)) == set(names)

    def test_a_hook_that_refuses_is_heard(self, either: Builder) -> None:
        hook = either.write(".git/hooks/pre-commit", "#!/bin/sh\necho no way >&2\nexit 1\n")
        hook.chmod(0o755)
        either.write("tree/a", "new\n")
        head = either.git("rev-parse", "HEAD")
        with pytest.raises(OutsideError, match="no way") as raised:
            commits.commit(open_repository(either.path), ["tree/a"], "m")
        assert "run the same command again" in raised.value.hint
        assert either.git("rev-parse", "HEAD") == head
        assert (either.path / "tree/a").read_text() == "new\n"

    def test_variables_of_an_outer_git_lead_nowhere(
        self, either: Builder, new_repository: New, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outer = new_repository("outer")
        before = outer.commit_files({"x": "x"})
        either.write("tree/a", "new\n")
        monkeypatch.setenv("GIT_DIR", str(outer.path / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(outer.path))
        monkeypatch.setenv("GIT_INDEX_FILE", str(outer.path / ".git/index"))
        monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
        repository = open_repository(either.path)
        oid = commits.commit(repository, ["tree/a"], "m")
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            monkeypatch.delenv(name)
        assert either.git("rev-parse", "HEAD") == oid
        assert either.git("log", "-1", "--format=%an") == "Somebody Else"
        assert outer.git("rev-parse", "HEAD") == before

    def test_a_linked_work_tree_has_a_branch_of_its_own(self, either: Builder) -> None:
        linked = Builder(either.path.parent / "linked")
        either.git("worktree", "add", "-q", "-b", "side", str(linked.path))
        linked.write("tree/a", "new\n")
        repository = open_repository(linked.path)
        assert commits.require_branch(repository) == "side"
        oid = commits.commit(repository, ["tree/a"], "m")
        assert either.git("rev-parse", "side") == oid
        assert either.git("rev-parse", "main") != oid

    def test_signs_where_git_is_told_to(self, built: Builder, tmp_path: Path) -> None:
        program = tmp_path / "gpg"
        program.write_text(
            "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n"
            "printf -- '-----BEGIN PGP SIGNATURE-----\\nx\\n-----END PGP SIGNATURE-----\\n'\n"
        )
        program.chmod(0o755)
        built.commit_files({"a": "1"})
        for name, value in {
            "gpg.program": str(program),
            "commit.gpgSign": "true",
            "tag.gpgSign": "true",
            "user.signingKey": "key",
        }.items():
            built.git("config", name, value)
        built.write("a", "2")
        repository = open_repository(built.path)
        oid = commits.commit(repository, ["a"], "m")
        assert "BEGIN PGP SIGNATURE" in built.git("cat-file", "commit", oid)
        commits.tag(repository, "S-1", oid, "m")
        assert "BEGIN PGP SIGNATURE" in built.git("cat-file", "tag", "S-1")


class TestReady:
    def test_without_an_identity_the_fix_is_named(
        self, built: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for who in ("AUTHOR", "COMMITTER"):
            for what in ("NAME", "EMAIL"):
                monkeypatch.delenv(f"GIT_{who}_{what}", raising=False)
        monkeypatch.delenv("EMAIL", raising=False)
        config = tmp_path / "none"
        config.write_text("[user]\n useConfigOnly = true\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
        with pytest.raises(LumosError) as raised:
            commits.require_identity(open_repository(built.path))
        assert "\n" not in raised.value.message
        assert "git config user.name" in raised.value.hint

    def test_a_detached_head_is_no_place(self, either: Builder) -> None:
        either.git("checkout", "-q", "--detach")
        with pytest.raises(LumosError, match="detached"):
            commits.require_branch(open_repository(either.path))

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({}, ("origin", "refs/heads/main")),
            ({"branch.main.merge": "refs/heads/trunk"}, ("origin", "refs/heads/trunk")),
            ({"branch.main.pushRemote": "fork"}, ("fork", "refs/heads/main")),
            ({"remote.pushDefault": "fork"}, ("fork", "refs/heads/main")),
        ],
    )
    def test_pushes_go_where_git_itself_would_push(
        self, pair: tuple[Builder, Builder], settings: dict[str, str], expected: tuple[str, str]
    ) -> None:
        work, bare = pair
        work.git("remote", "add", "fork", str(bare.path))
        for name, value in settings.items():
            work.git("config", name, value)
        target = commits.push_target(open_repository(work.path), "main")
        assert (target.remote, target.ref) == expected

    def test_without_a_remote_the_fix_is_named(self, either: Builder) -> None:
        with pytest.raises(LumosError) as raised:
            commits.push_target(open_repository(either.path), "main")
        assert "git remote add" in raised.value.hint

    def test_what_is_not_clean_is_named(self, either: Builder) -> None:
        either.write("tree/a", "new\n")
        either.write("tree/new name", "new\n")
        either.write("other", "new\n")
        repository = open_repository(either.path)
        assert find_unclean(repository, ["tree"]) == {"tree/a": " M", "tree/new name": "??"}
        below = open_repository(either.path / "tree")
        assert set(find_unclean(below, ["a", "b"])) == {"a"}


class TestTag:
    def test_is_annotated(self, either: Builder) -> None:
        head = either.git("rev-parse", "HEAD")
        repository = open_repository(either.path)
        oid = commits.tag(repository, "S-1", head, "Words\n\n# kept\n")
        (found,) = local_tags(repository)
        assert (found.name, found.commit, found.object) == ("S-1", head, oid)
        assert oid != head
        assert either.git("for-each-ref", "--format=%(contents)", "refs/tags") == "Words\n\n# kept"

    def test_one_that_is_there_stays(self, either: Builder) -> None:
        either.git("tag", "S-1")
        with pytest.raises(OutsideError, match="already exists"):
            commits.tag(open_repository(either.path), "S-1", "HEAD", "m")

    def test_one_that_is_somewhere_else_now_is_not_dropped(self, either: Builder) -> None:
        repository = open_repository(either.path)
        head = either.git("rev-parse", "HEAD")
        oid = commits.tag(repository, "S-1", head, "m")
        either.git("tag", "--force", "S-1", "HEAD")
        with pytest.raises(OutsideError):
            commits.drop_tag(repository, "S-1", oid)
        assert either.git("rev-parse", "S-1") == head


class TestPush:
    def test_all_arrive(self, pair: tuple[Builder, Builder]) -> None:
        work, bare = pair
        head = work.commit_files({"a": "b\n"})
        work.git("tag", "S-1")
        assert commits.push(open_repository(work.path), TARGET, head, ["S-1"]) is PushResult.DONE
        assert bare.git("rev-parse", "main", "S-1").split() == [head, head]

    @pytest.mark.parametrize("what", ["branch", "tag"])
    def test_or_none_does(self, pair: tuple[Builder, Builder], what: str) -> None:
        work, bare = pair
        other = bare.clone("other")
        theirs = other.commit_files({"x": "x"})
        if what == "branch":
            other.git("push", "-q", "origin", "main")
        else:
            other.git("push", "-q", "origin", f"{theirs}:refs/tags/S-1")
        before = bare.git("for-each-ref")
        head = work.commit_files({"a": "b\n"})
        work.git("tag", "S-1")
        assert commits.push(open_repository(work.path), TARGET, head, ["S-1"]) is PushResult.MOVED
        assert bare.git("for-each-ref") == before

    def test_the_words_of_a_hook_are_told(self, pair: tuple[Builder, Builder]) -> None:
        work, bare = pair
        hook = bare.write("hooks/pre-receive", "#!/bin/sh\necho GH006: main is protected\nexit 1\n")
        hook.chmod(0o755)
        head = work.commit_files({"a": "b\n"})
        work.git("tag", "S-1")
        with pytest.raises(OutsideError, match="GH006: main is protected") as raised:
            commits.push(open_repository(work.path), TARGET, head, ["S-1"])
        assert "protected" in raised.value.hint
        assert bare.git("tag") == ""

    def test_a_remote_that_is_gone(self, pair: tuple[Builder, Builder]) -> None:
        work, _ = pair
        work.git("remote", "set-url", "origin", "/nowhere/at/all")
        with pytest.raises(OutsideError) as raised:
            commits.push(open_repository(work.path), TARGET, work.git("rev-parse", "HEAD"), [])
        assert "address" in raised.value.hint

    @pytest.mark.parametrize(
        ("words", "hint"),
        [
            ("remote: Permission to a/b.git denied to bot", "credentials"),
            ("The requested URL returned error: 403", "credentials"),
            ("protected branch hook declined", "protected"),
            ("the receiving end does not support --atomic push", "together"),
            ("Could not resolve host: example.com", "address"),
            ("something else", "run the same command again"),
        ],
    )
    def test_what_may_be_wrong_is_named(self, words: str, hint: str) -> None:
        assert hint in commits.refusal_error(TARGET, words).hint

    def test_the_remote_is_asked_for_tags_by_prefix(self, pair: tuple[Builder, Builder]) -> None:
        work, bare = pair
        head = bare.git("rev-parse", "main")
        bare.git("tag", "-a", "-m", "m", "v/S-1")
        bare.git("tag", "S-9")
        found = read_remote_refs(
            open_repository(work.path), "origin", branch="refs/heads/main", prefix="v/S-"
        )
        assert found.branch == head
        assert {name: tag.commit for name, tag in found.tags.items()} == {"v/S-1": head}


class TestStartingOver:
    def test_a_commit_goes_and_all_else_stays(self, either: Builder) -> None:
        either.write("other", "staged\n")
        either.git("add", "other")
        either.write("tree/b", "loose\n")
        either.write("tree/a", "ours\n")
        repository = open_repository(either.path / "tree")
        parent = either.git("rev-parse", "HEAD")
        oid = commits.commit(repository, ["a"], "m")
        commits.drop_commit(repository, "main", oid, parent, ["a"])
        assert either.git("rev-parse", "HEAD") == parent
        assert either.git("status", "--porcelain") == "M  other\n M tree/b"
        assert (either.path / "tree/a").read_text() == "a\n"

    def test_a_commit_that_is_not_the_newest_stays(self, either: Builder) -> None:
        repository = open_repository(either.path)
        parent = either.git("rev-parse", "HEAD")
        oid = either.commit_files({"tree/a": "1"})
        later = either.commit_files({"tree/a": "2"})
        with pytest.raises(OutsideError):
            commits.drop_commit(repository, "main", oid, parent, ["tree/a"])
        assert either.git("rev-parse", "HEAD") == later

    def test_moving_on_leaves_local_changes(self, pair: tuple[Builder, Builder]) -> None:
        work, bare = pair
        other = bare.clone("other")
        tip = other.commit_files({"a": "theirs\n", "new": "new\n"})
        other.git("push", "-q", "origin", "main")
        repository = open_repository(work.path)
        assert commits.fetch_branch(repository, TARGET) == tip
        work.write("a", "mine\n")
        with pytest.raises(OutsideError) as raised:
            commits.fast_forward(repository, tip)
        assert "stash" in raised.value.hint
        assert (work.path / "a").read_text() == "mine\n"
        work.git("checkout", "-q", "a")
        work.write("loose", "loose\n")
        commits.fast_forward(repository, tip)
        assert work.git("rev-parse", "HEAD") == tip
        assert (work.path / "loose").read_text() == "loose\n"


def test_the_commit_that_brought_a_text_is_found(either: Builder) -> None:
    repository = open_repository(either.path / "tree")
    first = either.commit_files({"tree/a": 'x "S-1" y\n'})
    either.commit_files({"tree/b": 'x "S-1" y\n'})
    assert find_first_with(repository, '"S-1"', ["a", "b"]) == first
    assert find_first_with(repository, '"S-1"', ["a", "b"], after=first) != first
    assert find_first_with(repository, '"S-2"', ["a", "b"]) is None


def test_nothing_here_can_force() -> None:
    text = Path(commits.__file__).read_text(encoding="utf-8")
    assert "--force" not in text
    assert '"-f"' not in text
    assert "shell=True" not in text
