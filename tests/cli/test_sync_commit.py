"""`lumos snap sync --pull --commit`: what people edit in DataHub becomes their commits."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Lumos, Ran
from tests.cli.hub import Hub, urn
from tests.cli.lake import git
from tests.gms import running

PATIENCE = 90  # seconds
ANN = "urn:li:corpuser:ann"
WORDS, TAGS = "editableDatasetProperties", "globalTags"


def tagged(*tags: str) -> Any:
    return {"tags": [{"tag": f"urn:li:tag:{one}"} for one in tags]}


@pytest.fixture
def hub(tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    with running(token="secret") as gms:  # noqa: S106
        made = Hub(tmp_path / "home", gms, lumos)
        for name in ("a", "b"):
            made.put(name, documentation={"description": f"The {name}."})
        made.commit("Start")
        made.apply()
        yield made


def pull(hub: Hub, *options: str) -> Ran:
    return hub.run("--pull", "--commit", *options)


def commits(hub: Hub, since: str) -> list[tuple[str, list[str]]]:
    """Author and files of each commit, the oldest first."""
    listed = hub.git("log", "--reverse", "--format=%x00%an <%ae>", "--name-only", f"{since}..")
    blocks = [block.split("\n") for block in listed.split("\0")[1:]]
    return [(lines[0], sorted(filter(None, lines[1:]))) for lines in blocks]


def test_an_edit_becomes_a_commit_of_who_made_it(hub: Hub) -> None:
    start = hub.git("rev-parse", "HEAD")
    hub.edit("a", WORDS, {"description": "What people say."})
    ran = pull(hub)
    assert ran.code == 0, ran.err
    assert "committed " in ran.out
    path = "snapshots/s3/lake/a.json"
    assert commits(hub, start) == [("jdoe <jdoe@hub.invalid>", [path])]
    assert hub.read("a")["documentation"] == {"description": "What people say."}
    when = hub.gms.system(urn("a"), WORDS)["aspectModified"]["time"] // 1000
    assert hub.git("log", "-1", "--format=%at") == str(when)
    committer = hub.git("var", "GIT_COMMITTER_IDENT")
    assert committer.startswith(hub.git("log", "-1", "--format=%cn <%ce>"))
    message = hub.git("log", "-1", "--format=%B")
    assert message.startswith("Edited in hub by jdoe: 1 document\n\n")
    assert "s3/lake/a: documentation.description\n\nLast edited: 20" in message
    assert hub.git("status", "--porcelain") == ""


def test_after_the_commit_there_is_nothing_left_to_do(hub: Hub) -> None:
    hub.edit("a", WORDS, {"description": "What people say."})
    pull(hub)
    assert hub.run("--check").code == 0
    head = hub.git("rev-parse", "HEAD")
    again = pull(hub)
    assert (again.code, "nothing to take over" in again.out) == (0, True)
    assert hub.git("rev-parse", "HEAD") == head
    writes = len(hub.gms.asked.writes())
    hub.apply()
    assert len(hub.gms.asked.writes()) == writes


def test_each_person_has_a_commit_in_the_order_of_their_edits(hub: Hub) -> None:
    start = hub.git("rev-parse", "HEAD")
    hub.edit("b", WORDS, {"description": "Ann's."}, ANN)
    time.sleep(1.1)  # a moment is told by the second
    hub.edit("a", WORDS, {"description": "John's."})
    hub.edit("a", TAGS, tagged("gold"), ANN)
    assert pull(hub).code == 0
    a, b = (f"snapshots/s3/lake/{name}.json" for name in "ab")
    assert commits(hub, start) == [
        ("ann <ann@hub.invalid>", [a, b]),
        ("jdoe <jdoe@hub.invalid>", [a]),
    ]
    before = json.loads(hub.git("show", f"@~1:{a}"))
    assert before["governance"] == {"tags": ["gold"]}
    assert before["documentation"] == {"description": "The a."}
    assert hub.read("a")["documentation"] == {"description": "John's."}
    assert hub.run("--check").code == 0


def test_who_people_are_is_known_by_the_tree_then_by_the_catalog(hub: Hub) -> None:
    start = hub.git("rev-parse", "HEAD")
    user = hub.tree / "entities/users/jdoe.json"
    user.parent.mkdir(parents=True)
    user.write_text(
        '{\n  "lumos_version": "1.0.0",\n  "id": "jdoe",\n  "name": "John Doe",\n'
        '  "email": "john@example.com"\n}\n'
    )
    hub.commit("Who is who")
    start = hub.git("rev-parse", "HEAD")
    said = {"displayName": "Ann Lee", "email": "ann@example.com"}
    hub.gms.edit(ANN, "corpUserEditableInfo", said)
    hub.edit("a", WORDS, {"description": "John's."})
    hub.edit("b", WORDS, {"description": "Ann's."}, ANN)
    hub.edit("b", TAGS, tagged("gold"), "urn:li:corpuser:bob@example.com")
    assert pull(hub).code == 0
    assert {author for author, _ in commits(hub, start)} == {
        "John Doe <john@example.com>",
        "Ann Lee <ann@example.com>",
        "bob@example.com <bob@example.com>",
    }


@pytest.mark.parametrize("actor", ["urn:li:corpuser:unknown", "urn:li:corpuser:__datahub_system"])
def test_what_nobody_edited_is_committed_by_whoever_runs_it(hub: Hub, actor: str) -> None:
    hub.edit("a", WORDS, {"description": "Somebody's."}, actor)
    assert pull(hub).code == 0
    author, committer = hub.git("log", "-1", "--format=%an <%ae>%n%cn <%ce>").splitlines()
    assert author == committer
    assert hub.git("log", "-1", "--format=%s") == "Edited in hub: 1 document"


def test_hostile_names_are_no_address_and_no_other_author(hub: Hub) -> None:
    hub.edit("a", WORDS, {"description": "x"}, "urn:li:corpuser:Eve <eve@evil.com>\nAuthor: me")
    ran = pull(hub)
    assert ran.code == 0, ran.err
    author, email = hub.git("log", "-1", "--format=%an%n%ae").splitlines()
    assert (author, email) == (
        "urn:li:corpuser:Eve  eve@evil.com Author: me",
        "urn-li-corpuser-Eve-eve-evil.com-Author-me@hub.invalid",
    )


def test_other_work_that_nobody_has_committed_stays_as_it_is(hub: Hub) -> None:
    start = hub.git("rev-parse", "HEAD")
    hub.put("b", documentation={"description": "My own draft."})
    (hub.tree / "staged.txt").write_text("mine")
    hub.git("add", "staged.txt")
    (hub.tree / "untracked.txt").write_text("mine")
    before = hub.git("status", "--porcelain")
    hub.edit("a", WORDS, {"description": "What people say."})
    assert pull(hub).code == 0
    assert commits(hub, start) == [("jdoe <jdoe@hub.invalid>", ["snapshots/s3/lake/a.json"])]
    assert hub.git("status", "--porcelain") == before
    assert hub.read("b")["documentation"] == {"description": "My own draft."}


@pytest.mark.parametrize("is_staged", [False, True])
def test_work_in_the_same_file_is_refused_before_anything_is_written(
    hub: Hub, *, is_staged: bool
) -> None:
    hub.put("a", documentation={"description": "The a."}, governance={"tags": ["mine"]})
    if is_staged:
        hub.git("add", "-A")
    before = hub.path("a").read_bytes()
    head = hub.git("rev-parse", "HEAD")
    hub.edit("a", WORDS, {"description": "What people say."})
    hub.edit("b", WORDS, {"description": "What people say."})
    ran = pull(hub)
    assert ran.code == 2
    assert "not committed: snapshots/s3/lake/a.json" in ran.err
    assert hub.path("a").read_bytes() == before
    assert hub.read("b")["documentation"] == {"description": "The b."}
    assert hub.git("rev-parse", "HEAD") == head


def test_hooks_run_and_one_that_refuses_leaves_nothing_behind(hub: Hub) -> None:
    hook = hub.tree / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        '#!/bin/sh\ngit diff --cached --name-only > "$PWD/.git/seen"\necho no >&2\nexit 1\n'
    )
    hook.chmod(0o755)
    hub.edit("a", WORDS, {"description": "What people say."})
    head = hub.git("rev-parse", "HEAD")
    ran = pull(hub)
    assert ran.code == 3
    assert "what jdoe edited cannot be committed: no" in ran.err
    assert (hub.tree / ".git/seen").read_text() == "snapshots/s3/lake/a.json\n"
    assert (hub.git("rev-parse", "HEAD"), hub.git("status", "--porcelain")) == (head, "")
    hook.write_text("#!/bin/sh\nexit 0\n")
    assert pull(hub).code == 0
    assert hub.run("--check").code == 0


def test_where_there_is_no_branch_nothing_is_written(hub: Hub) -> None:
    hub.edit("a", WORDS, {"description": "What people say."})
    hub.git("checkout", "-q", "--detach")
    ran = pull(hub)
    assert ran.code == 2
    assert "HEAD is detached: a commit made here would be on no branch" in ran.err
    assert hub.git("status", "--porcelain") == ""


def test_where_there_is_no_repository_or_no_folder_that_is_said(
    hub: Hub, tmp_path: Path, lumos: Lumos
) -> None:
    hub.git("clone", "-q", "--bare", str(hub.tree), str(tmp_path / "bare.git"))
    ran = lumos("snap", "sync", "-C", tmp_path / "bare.git", "--pull", "--commit")
    assert ran.code == 2
    assert "GIT_DIR=" in ran.err
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "lumos.yaml").write_text((hub.tree / "lumos.yaml").read_text())
    ran = lumos("snap", "sync", "-C", alone, "--pull", "--commit")
    assert ran.code == 3
    assert "not in a git repository" in ran.err


def test_json_tells_what_was_written_and_committed(hub: Hub) -> None:
    hub.edit("a", WORDS, {"description": "What people say."})
    report = pull(hub, "--json").json
    (commit,) = report["commits"]
    assert report["written"] == commit["paths"] == ["snapshots/s3/lake/a.json"]
    assert commit["id"] == hub.git("rev-parse", "HEAD")
    assert (commit["author"], commit["email"]) == ("jdoe", "jdoe@hub.invalid")
    assert commit["when"].startswith("20")
    hub.edit("a", WORDS, {"description": "More."})
    report = hub.run("--pull", "--json").json
    assert (report["written"], report["commits"]) == (["snapshots/s3/lake/a.json"], [])


def test_only_what_is_meant_is_pulled(hub: Hub) -> None:
    start = hub.git("rev-parse", "HEAD")
    hub.edit("a", WORDS, {"description": "John's."})
    hub.edit("a", TAGS, tagged("gold"), ANN)
    hub.edit("b", WORDS, {"description": "John's."})
    assert pull(hub, "--only", "lumos://s3/lake/a", "--section", "governance").code == 0
    assert commits(hub, start) == [("ann <ann@hub.invalid>", ["snapshots/s3/lake/a.json"])]
    assert hub.read("a")["documentation"] == {"description": "The a."}


def test_a_tree_below_the_top_of_its_repository_is_committed_to(
    hub: Hub, tmp_path: Path, lumos: Lumos
) -> None:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    below = Hub(top / "data", hub.gms, lumos)
    git(below.tree, "config", "--local", "core.bare", "false")
    (below.tree / ".git").rename(tmp_path / "away")
    below.put("c", documentation={"description": "The c."})
    below.commit("Start")
    below.apply()
    below.edit("c", WORDS, {"description": "What people say."})
    start = below.git("rev-parse", "HEAD")
    assert pull(below).code == 0
    assert commits(below, start) == [("jdoe <jdoe@hub.invalid>", ["data/snapshots/s3/lake/c.json"])]


def test_commit_alone_means_nothing(hub: Hub) -> None:
    ran = hub.run("--commit")
    assert (ran.code, "--commit goes with --pull" in ran.err) == (2, True)


def test_interrupted_it_leaves_nothing_behind(hub: Hub) -> None:
    hook = hub.tree / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\ntouch "$PWD/.git/here"\nsleep {2 * PATIENCE}\n')
    hook.chmod(0o755)
    hub.edit("a", WORDS, {"description": "What people say."})
    head = hub.git("rev-parse", "HEAD")
    with subprocess.Popen(
        [sys.executable, "-m", "lumos_snap", "snap", "sync", "--pull", "--commit"],
        cwd=hub.tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running_one:
        until = time.monotonic() + PATIENCE
        while not (hub.tree / ".git/here").exists():
            assert time.monotonic() < until, "the hook does not run"
            time.sleep(0.01)
        os.killpg(running_one.pid, signal.SIGINT)  # as a terminal does: to every process
        _, errors = running_one.communicate(timeout=PATIENCE)
    assert running_one.returncode == 130, errors
    assert b"Traceback" not in errors
    assert (hub.git("rev-parse", "HEAD"), hub.git("status", "--porcelain")) == (head, "")
    hook.unlink()
    assert pull(hub).code == 0
