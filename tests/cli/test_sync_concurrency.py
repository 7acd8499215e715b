"""Two of `lumos snap sync` at once: two clones, one catalog, one remote."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos
from tests.cli.lake import Lake, git
from tests.gms import running

NAMES = [f"t{number:02}" for number in range(30)]
LUMOS = [sys.executable, "-m", "lumos_snap", "snap", "sync", "--apply", "--yes"]
REF = "refs/lumos/sync/there"


class Clone(Lake):
    """One runner's clone."""

    def __init__(self, folder: Path, lumos: Lumos) -> None:
        super().__init__(folder)
        self._lumos = lumos

    def edit(self, words: str) -> None:
        for name in NAMES:
            self.put(name, documentation={"description": f"{name}: {words}"})
        self.commit(words)

    def sync(self, *options: str) -> int:
        return self._lumos("snap", "sync", "-C", self.folder, *options).code


@pytest.fixture(params=["folder", "lite", "server"])
def two(
    request: pytest.FixtureRequest, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Clone, Clone]]:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    with ExitStack() as until:
        settings = "type: files, path: ../there"
        if request.param == "lite":
            settings = "type: datahub-lite, path: ../there.db"
        if request.param == "server":
            gms = until.enter_context(running(token="secret"))  # noqa: S106
            settings = f"type: datahub, server: '{gms.url}'"
        one = Clone(tmp_path / "one", lumos)
        one.start(settings=f"version: 1\ncatalogs: [{{name: there, {settings}}}]\n")
        one.edit("first")
        remote = tmp_path / "remote.git"
        one.git("init", "-q", "--bare", "-b", "main", str(remote))
        one.git("remote", "add", "origin", str(remote))
        one.git("push", "-q", "-u", "origin", "main")
        one.git("clone", "-q", str(remote), str(tmp_path / "two"))
        yield one, Clone(tmp_path / "two", lumos)


def at_once(*clones: Clone) -> None:
    """Both sync at the same time; who is told to come again comes again."""
    started = [
        subprocess.Popen(
            LUMOS, cwd=one.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for one in clones
    ]
    ended = [(one.communicate(timeout=60)[1], one.returncode) for one in started]
    for clone, (complaint, code) in zip(clones, ended, strict=True):
        assert code in (0, 3), complaint
        assert "Traceback" not in complaint
        if code:
            assert clone.sync("--resume" if _is_open(clone) else "--apply", "--yes") == 0, complaint


def _is_open(clone: Clone) -> bool:
    return (clone.folder / ".lumos/sync/there.jsonl").exists()


def kept_at(remote: str) -> set[str]:
    """Of which documents the base at a remote tells."""
    listed = git(Path(remote), "ls-tree", "-r", "--name-only", REF, "snapshots")
    return {Path(path).stem for path in listed.splitlines()}


@pytest.mark.slow
def test_two_at_once_end_in_line_and_with_one_base(two: tuple[Clone, Clone]) -> None:
    one, other = two
    at_once(one, other)
    for round_ in range(2):
        for clone in two:
            assert clone.sync("--apply", "--yes") == 0
            assert clone.sync("--check") == 0
        assert kept_at(one.git("remote", "get-url", "origin")) == set(NAMES)
        one.edit(f"round {round_}")
        one.git("push", "-q", "origin", "main")
        other.git("pull", "-q", "--ff-only")
        at_once(one, other)


@pytest.mark.slow
def test_two_halves_that_git_brings_together_are_both_there(two: tuple[Clone, Clone]) -> None:
    one, other = two
    assert one.sync("--apply", "--yes") == 0
    half = len(NAMES) // 2
    for name in NAMES[:half]:
        one.put(name, documentation={"description": "one's"})
    for name in NAMES[half:]:
        other.put(name, documentation={"description": "the other's"})
    one.commit("One's half")
    other.commit("The other's half")
    at_once(one, other)
    one.git("push", "-q", "origin", "main")
    other.git("pull", "-q", "--no-rebase", "--no-edit")
    other.git("push", "-q", "origin", "main")
    one.git("pull", "-q", "--ff-only")
    at_once(one, other)
    for clone in two:
        assert clone.sync("--check") == 0
        said = [clone.read(name)["documentation"]["description"] for name in NAMES]
        assert said == ["one's"] * half + ["the other's"] * half
