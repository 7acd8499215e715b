"""GitHub on the loopback, a repository with a pull request, and the command as a job runs it."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.ci.github import GitHub, github
from tests.cli.conftest import Lumos, Ran, lumos, shop

__all__ = ["Lumos", "Ran", "lumos", "shop"]

CUSTOMERS = "snapshots/postgres/shop/public/customers.json"
HEAD = "5" * 40


@pytest.fixture
def hub() -> Iterator[GitHub]:
    with github() as served:
        yield served


@pytest.fixture(autouse=True)
def _nobodys_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may themselves run in GitHub Actions."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GH_", "RUNNER_")) or name == "LUMOS_DEBUG":
            monkeypatch.delenv(name)


Job = Callable[..., Ran]


@pytest.fixture
def job(hub: GitHub, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Run a command as a job of GitHub's does, with more variables if need be."""

    def run(*arguments: str | Path, more: Mapping[str, str] | None = None) -> Ran:
        for name, value in {**hub.environment(), **(more or {})}.items():
            monkeypatch.setenv(name, value)
        ran = lumos(*arguments)
        for token in ("ghs_writer", "ghs_reader", "ghp_person"):
            assert token not in ran.out + ran.err
        return ran

    return run


def pull_request(
    *, number: int = 7, head: str = HEAD, base: str = "main", fork: str | None = None
) -> dict[str, Any]:
    """The event of a pull request, as GitHub writes it."""
    own = {"full_name": "acme/lake", "default_branch": "main"}
    offered = {"full_name": fork} if fork else own
    return {
        "action": "synchronize",
        "number": number,
        "pull_request": {
            "number": number,
            "base": {"ref": base, "sha": "0" * 39 + "1", "repo": own},
            "head": {"ref": "more", "sha": head, "repo": offered},
        },
        "repository": own,
        "sender": {"login": "jane"},
    }


def told(folder: Path, payload: Mapping[str, Any], name: str = "pull_request") -> dict[str, str]:
    """The variables that tell a job of an event."""
    path = folder / f"event-{name}.json"
    path.write_text(json.dumps(payload))
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)}


def run_number(number: int, attempt: int = 1) -> dict[str, str]:
    """The variables of one run of a workflow."""
    return {
        "GITHUB_RUN_ID": str(number),
        "GITHUB_RUN_ATTEMPT": str(attempt),
        "GITHUB_WORKFLOW": "Snapshots",
        "GITHUB_JOB": "gate",
    }


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    document = orjson.loads(path.read_bytes())
    change(document)
    path.write_bytes(encode_document(document, Snapshot))


def example(root: Path, folder: Path) -> None:
    """A copy of the example in which every column may go: no constraint names one."""
    shutil.copytree(root / "examples/shop", folder, dirs_exist_ok=True)
    edit(folder / CUSTOMERS, lambda document: document["schema"].pop("unique"))


def drop(name: str) -> Callable[[dict[str, Any]], object]:
    def dropped(document: dict[str, Any]) -> None:
        fields = document["schema"]["fields"]
        fields.remove(next(one for one in fields if one["name"] == name))

    return dropped
