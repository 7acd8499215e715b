"""The clients that people use, against servers that never end: each command ends, and says why."""

import subprocess
import sys
import threading
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.test_secrets import SNAPSHOT
from tests.hostile_server import (
    ENDLESS,
    Answer,
    dense_json,
    endless_body,
    gzip_bomb,
    hostile,
    redirect,
    refusal,
    slow_body,
    slow_headers,
)
from tests.measurement import ANY_VERSION, LUMOS, Measured, measured

# `tests.hostile.compare` runs these tests against versions in which the modules had other names.
_DATAHUB = "lumos_snap.catalogs.datahub"
_IS_RENAMED = find_spec(f"{_DATAHUB}.client") is not None
_SERVER = import_module(f"{_DATAHUB}.client.server" if _IS_RENAMED else f"{_DATAHUB}.sdk.server")
_ERRORS = import_module(f"{_DATAHUB}.client.errors" if _IS_RENAMED else f"{_DATAHUB}.sdk.failing")
FailedError = _ERRORS.FailedError
connect_server = _SERVER.connect_server if _IS_RENAMED else _SERVER.reached


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A change that breaks, in a repository."""
    file = tmp_path / "snapshots" / "file" / "lake" / "orders.json"
    file.parent.mkdir(parents=True)
    file.write_text(SNAPSHOT)
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    for command in (("init", "-qb", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    file.write_text(SNAPSHOT.replace("INT64", "STRING"))
    subprocess.run(["git", "commit", "-qam", "change"], cwd=tmp_path, check=True)
    return tmp_path


def comment(tree: Path, url: str) -> Measured:
    environment = {
        "GITHUB_API_URL": url,
        "GITHUB_REPOSITORY": "acme/lake",
        "GITHUB_TOKEN": "ghs_0123456789abcdef",
    }
    command = ("comment", "--base", "HEAD~1", "--pr", "7")
    return measured(tree, LUMOS, "snap", *command, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", [endless_body, gzip_bomb, slow_body, slow_headers], ids=lambda one: one.__name__
)
def test_a_comment_on_a_hostile_server_ends(tree: Path, answer: Answer) -> None:
    with hostile(answer) as server:
        found = comment(tree, server.url)
    assert found.code == 3
    assert "→" in found.said
    assert found.is_bounded


def sync(tree: Path, url: str, *arguments: str) -> Measured:
    (tree / "lumos.yaml").write_text(
        f"version: 1\ncatalogs: [{{name: hub, type: datahub, server: '{url}'}}]\n"
    )
    environment = {"DATAHUB_GMS_TOKEN": "t" * 20}
    return measured(tree, *ANY_VERSION, "snap", "sync", *arguments, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", [endless_body, gzip_bomb, dense_json], ids=lambda one: one.__name__
)
def test_a_sync_with_a_hostile_server_ends(tree: Path, answer: Answer) -> None:
    with hostile(answer) as server:
        found = sync(tree, server.url)
    assert found.code == 3
    assert server.url in found.said
    assert found.is_bounded


def reach(url: str, found: list[object]) -> None:
    try:
        found.append(connect_server(_SERVER.Access(address=url, patience=1)))
    except FailedError as exc:
        found.append(exc)


@pytest.mark.parametrize("answer", [*ENDLESS, dense_json], ids=lambda one: one.__name__)
def test_datahub_is_waited_for_no_longer_than_its_patience(answer: Answer) -> None:
    with hostile(answer) as server:
        found: list[object] = []
        asking = threading.Thread(target=reach, args=(server.url, found), daemon=True)
        started = time.monotonic()
        asking.start()
        asking.join(timeout=12)
        assert time.monotonic() - started < 10
    assert isinstance(found[0], FailedError)


def test_nothing_is_sent_to_where_datahub_leads() -> None:
    with hostile(refusal(200, b'{"noCode": "true"}')) as other:
        with hostile(redirect(f"{other.url}/config")) as server:
            found: list[object] = []
            reach(server.url, found)
        assert "leads to" in str(found[0])
        assert other.asked == []


NOTE = Path(__file__).parents[2] / "ci" / "gitlab" / "merge_request_note.py"


def note(folder: Path, url: str) -> Measured:
    (folder / "diff.md").write_text("a change")
    (folder / "diff.env").write_text("verdict=fail\n")
    environment = {
        "LUMOS_GITLAB_TOKEN": "glpat-0123456789",
        "CI_PROJECT_ID": "42",
        "CI_API_V4_URL": url,
        "CI_MERGE_REQUEST_IID": "3",
    }
    return measured(folder, sys.executable, NOTE, "diff.md", "diff.env", env=environment)


def test_a_note_of_an_endless_answer_ends(tmp_path: Path) -> None:
    with hostile(endless_body) as server:
        found = note(tmp_path, server.url)
    assert found.code == 3
    assert found.said.startswith("no note: the answer is larger than 20 MB")
    assert found.is_bounded


def test_a_token_of_gitlab_follows_no_redirect(tmp_path: Path) -> None:
    with hostile(refusal(200, b'{"id": 1}')) as other, hostile(redirect(other.url)) as server:
        found = note(tmp_path, server.url)
        assert other.asked == []
    assert found.code == 3
