import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.git import commits
from tests.cli.conftest import Lumos
from tests.cli.lake import Lake, column, git

Clone = Callable[[str], Lake]

pytestmark = pytest.mark.slow  # many real repositories


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository with a tree of three datasets, released as S-1."""
    seed = Lake(tmp_path / "seed").start()
    for name in "abc":
        seed.put(name)
    seed.commit("Start")
    bare = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(seed.repository), str(bare))
    seed.git("remote", "add", "origin", str(bare))
    done = _lumos(seed, "snap", "bump", "--push")
    assert done.returncode == 0, done.stderr
    return bare


def _lumos(lake: Lake, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "lumos_snap", *arguments],
        cwd=lake.folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def clone(remote: Path, tmp_path: Path) -> Clone:
    def make(name: str) -> Lake:
        git(tmp_path, "clone", "-q", str(remote), name)
        return Lake(tmp_path / name)

    return make


def _change(lake: Lake, name: str) -> None:
    """A change that is pushed and not released."""
    lake.put(name, column("id"))
    lake.commit(f"Change {name}")
    lake.git("push", "-q", "origin", "main")


def _hook(remote: Path, script: str) -> None:
    hook = remote / "hooks/pre-receive"
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def test_commit_and_tag_arrive_together(remote: Path, clone: Clone, lumos: Lumos) -> None:
    lake = clone("one")
    _change(lake, "a")
    ran = lumos("snap", "bump", "--push", "--json", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert ran.json["pushed"]
    assert git(remote, "rev-parse", "main") == git(remote, "rev-parse", "S-2^{commit}")
    assert lake.git("rev-parse", "origin/main") == lake.git("rev-parse", "HEAD")
    again = lumos("snap", "bump", "--push", "--json", "-C", lake.folder).json
    assert not again["changesDetected"]
    assert not again["pushed"]


def test_where_the_remote_has_moved_on_the_release_starts_over(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    second.git("pull", "-q")
    assert lumos("snap", "bump", "--push", "-C", first.folder).code == 0
    _change(first, "b")
    (second.folder / "staged.txt").write_text("staged")
    second.git("add", "staged.txt")
    (second.folder / "loose.txt").write_text("loose")

    ran = lumos("snap", "bump", "--push", "-C", second.folder)
    assert ran.code == 0, ran.err
    assert "starts over" in ran.err
    assert [second.version(name) for name in "abc"] == ["2.0.0", "2.0.0", "1.0.0"]
    assert second.read("a")["versioning"]["cloud_version"] == "S-2"
    assert second.read("b")["versioning"]["cloud_version"] == "S-3"
    assert git(remote, "tag").split() == ["S-1", "S-2", "S-3"]
    assert git(remote, "rev-parse", "main") == second.git("rev-parse", "HEAD")
    assert second.git("status", "--porcelain") == "A  staged.txt\n?? loose.txt"


@pytest.mark.parametrize("step", ["drop_tag", "drop_commit", "restore", "fast_forward"])
def test_killed_while_it_starts_over_the_next_run_completes(
    remote: Path, clone: Clone, lumos: Lumos, step: str
) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    second.git("pull", "-q")
    assert lumos("snap", "bump", "--push", "-C", first.folder).code == 0
    _change(first, "b")
    (second.folder / "loose.txt").write_text("loose")
    program = f"""
import os, signal
from lumos_snap.git import commits
die = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
if {step!r} == "restore":
    run = commits.run_checked
    commits.run_checked = lambda r, *a: die() if a[0] == "restore" else run(r, *a)
else:
    commits.{step} = die
from lumos_snap.cli import main
main(["snap", "bump", "--push"])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=second.folder, check=False)
    assert done.returncode == -signal.SIGKILL
    ran = lumos("snap", "bump", "--push", "-C", second.folder)
    assert ran.code == 0, ran.err
    assert second.read("a")["versioning"]["cloud_version"] == "S-2"
    assert second.read("b")["versioning"]["cloud_version"] == "S-3"
    assert git(remote, "tag").split() == ["S-1", "S-2", "S-3"]
    assert second.git("status", "--porcelain") == "?? loose.txt"


def test_two_releases_of_the_same_change_are_one(remote: Path, clone: Clone, lumos: Lumos) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    second.git("pull", "-q")
    lumos("snap", "bump", "--push", "-C", first.folder)
    ran = lumos("snap", "bump", "--push", "-C", second.folder)
    assert ran.code == 0, ran.err
    assert "nothing changed since S-2" in ran.out
    assert second.git("rev-parse", "HEAD") == git(remote, "rev-parse", "main")
    assert second.is_clean


def test_commits_of_ones_own_are_never_taken_back(remote: Path, clone: Clone, lumos: Lumos) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    lumos("snap", "bump", "--push", "-C", first.folder)
    second.put("b", column("id"))
    own = second.commit("My own")

    ran = lumos("snap", "bump", "--push", "-C", second.folder)
    assert ran.code == 3
    assert "git pull --rebase" in ran.err
    assert second.git("rev-parse", "HEAD") == own
    assert second.is_clean
    assert "S-2" not in second.tags

    second.git("pull", "-q", "--rebase")
    assert lumos("snap", "bump", "--push", "-C", second.folder).code == 0
    assert second.read("b")["versioning"]["cloud_version"] == "S-3"
    assert git(remote, "tag").split() == ["S-1", "S-2", "S-3"]


@pytest.mark.slow
def test_at_the_same_moment(remote: Path, clone: Clone) -> None:
    """Four processes, each with a change that the others lack: nothing is lost, no number twice."""
    lakes = [clone(f"clone{number}") for number in range(4)]
    program = (
        "import subprocess, sys; from lumos_snap.cli import main\n"
        "for _ in range(40):\n"
        "    subprocess.run(['git', 'pull', '-q', '--rebase'], check=False)\n"
        "    if main(['snap', 'bump', '--push']) == 0: sys.exit(0)\n"
        "sys.exit(1)"
    )
    for number, lake in enumerate(lakes):
        lake.put(f"new{number}")
        lake.commit(f"New {number}")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=lake.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ,
        )
        for lake in lakes
    ]
    ended = [(process, *process.communicate()) for process in running]
    assert [process.returncode for process, *_ in ended] == [0] * 4, ended
    tags = set(git(remote, "tag").split())
    assert tags == {f"S-{number}" for number in range(1, len(tags) + 1)}
    known = {}
    for number in range(4):
        raw = git(remote, "show", f"main:snapshots/s3/lake/new{number}.json")
        known[number] = json.loads(raw)["versioning"]["cloud_version"]
    assert set(known.values()) <= tags - {"S-1"}
    for lake in lakes:
        assert lake.is_clean


def test_a_hook_that_refuses_once(remote: Path, clone: Clone, lumos: Lumos) -> None:
    lake = clone("one")
    _change(lake, "a")
    _hook(remote, 'test -e seen || { touch seen; echo "no releases on Fridays"; exit 1; }')
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 3
    assert "no releases on Fridays" in ran.err
    assert "run the same command again" in ran.err
    assert git(remote, "tag").split() == ["S-1"]
    assert "S-2" in lake.tags
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert "pushed S-2" in ran.out
    assert git(remote, "rev-parse", "S-2^{commit}") == git(remote, "rev-parse", "main")


def test_a_release_that_was_never_pushed_starts_over_where_the_remote_has_moved_on(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    second.git("pull", "-q")
    assert lumos("snap", "bump", "--tag", "-C", second.folder).code == 0
    _change(first, "b")
    ran = lumos("snap", "bump", "--push", "-C", second.folder)
    assert ran.code == 0, ran.err
    assert {second.read(name)["versioning"]["cloud_version"] for name in "ab"} == {"S-2"}
    assert git(remote, "rev-parse", "S-2^{commit}") == second.git("rev-parse", "HEAD")


def test_a_number_that_only_the_remote_knows_is_taken(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    lake = clone("one")
    _change(lake, "a")
    git(remote, "tag", "S-7", "main~1")
    for more in (["--dry-run"], []):
        ran = lumos("snap", "bump", "--push", "--json", *more, "-C", lake.folder)
        assert ran.json["cloudVersion"] == "S-8"


def test_a_branch_that_moved_while_a_release_was_only_tagged(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    """The commit is at the remote, under later ones: only the tag is pushed."""
    lake = clone("one")
    _change(lake, "a")
    lumos("snap", "bump", "--tag", "-C", lake.folder)
    release = lake.git("rev-parse", "HEAD")
    lake.git("push", "-q", "origin", "main")
    other = clone("other")
    _change(other, "b")
    lake.git("fetch", "-q")
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert git(remote, "rev-parse", "S-2^{commit}") == release
    assert git(remote, "rev-parse", "main") == other.git("rev-parse", "HEAD")


def test_a_number_that_is_taken_meanwhile_is_left_to_whoever_took_it(
    remote: Path, clone: Clone, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = clone("one")
    lake.put("a", column("id"))
    own = lake.commit("Never pushed before")
    commit = commits.commit

    def late(*arguments: Any) -> str:
        if "S-2" not in git(remote, "tag"):
            git(remote, "tag", "S-2", "main")
        return commit(*arguments)

    monkeypatch.setattr(commits, "commit", late)
    ran = lumos("snap", "bump", "--push", "--json", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert ran.json["cloudVersion"] == "S-3"
    assert git(remote, "rev-parse", "main~1") == own
    assert lake.read("a")["versioning"]["cloud_version"] == "S-3"


def test_a_number_that_was_taken_before_a_release_was_pushed(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    lake = clone("one")
    _change(lake, "a")
    assert lumos("snap", "bump", "--tag", "-C", lake.folder).code == 0
    git(remote, "tag", "S-2", "main")
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert lake.read("a")["versioning"]["cloud_version"] == "S-3"
    assert git(remote, "rev-parse", "S-3^{commit}") == git(remote, "rev-parse", "main")


def test_a_remote_that_is_locked_is_tried_again_and_nothing_is_lost(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    lake = clone("one")
    lake.put("a", column("id"))
    lake.commit("Never pushed before")
    lock = remote / "refs/heads/main.lock"
    lock.touch()
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 3
    assert "busy" in ran.err
    lock.unlink()
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 0, ran.err
    assert git(remote, "rev-parse", "S-2^{commit}") == lake.git("rev-parse", "HEAD")
    assert git(remote, "rev-parse", "main") == lake.git("rev-parse", "HEAD")


def test_a_release_that_was_rebased_is_told_apart_from_its_tag(
    remote: Path, clone: Clone, lumos: Lumos
) -> None:
    first, second = clone("first"), clone("second")
    _change(first, "a")
    second.git("pull", "-q")
    lumos("snap", "bump", "--tag", "-C", second.folder)
    _change(first, "b")
    second.git("pull", "-q", "--rebase")
    ran = lumos("snap", "bump", "--tag", "-C", second.folder)
    assert ran.code == 0, ran.err
    assert "git tag -d S-2" in ran.err
    assert second.version("a") == "2.0.0"


def test_without_a_remote_nothing_is_written(clone: Clone, lumos: Lumos) -> None:
    lake = clone("one")
    lake.put("a", column("id"))
    lake.commit()
    lake.git("remote", "remove", "origin")
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 2
    assert "git remote add" in ran.err
    assert lake.is_clean
    assert lake.version("a") == "1.0.0"


def test_a_remote_that_is_gone_is_told_before_anything_is_written(
    clone: Clone, lumos: Lumos
) -> None:
    lake = clone("one")
    lake.put("a", column("id"))
    lake.commit()
    lake.git("remote", "set-url", "origin", str(lake.folder / "nowhere"))
    ran = lumos("snap", "bump", "--push", "-C", lake.folder)
    assert ran.code == 3
    assert lake.is_clean
    assert lake.version("a") == "1.0.0"


def test_a_clone_without_tags_asks_the_remote(remote: Path, tmp_path: Path, lumos: Lumos) -> None:
    git(tmp_path, "clone", "-q", "--no-tags", str(remote), "bare-of-tags")
    lake = Lake(tmp_path / "bare-of-tags")
    lake.put("a", column("id"))
    lake.commit()
    ran = lumos("snap", "bump", "--json", "--dry-run", "-C", lake.folder)
    assert (ran.json["since"], ran.json["cloudVersion"]) == ("S-1", "S-2")
    assert lake.tags == []
