"""`lumos snap sync` that somebody interrupts: what is under way ends, and nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos
from tests.cli.hub import Hub
from tests.gms import running

NUMBER = 60


@pytest.fixture
def hub(tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    with running(token="secret") as gms:  # noqa: S106
        made = Hub(tmp_path / "home", gms, lumos)
        for number in range(NUMBER):
            made.put(f"t{number:02}")
        made.commit("Start")
        yield made


def interrupted(hub: Hub, *options: str, when: Callable[[], bool]) -> str:
    """Press Ctrl-C when it is time; what is said then."""
    with subprocess.Popen(
        [sys.executable, "-m", "lumos_snap", "snap", "sync", *options],
        cwd=hub.tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as command:
        until = time.monotonic() + 90
        while not when() and command.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        os.killpg(command.pid, signal.SIGINT)  # as a terminal does: to every process
        _, errors = command.communicate(timeout=90)
    assert command.returncode == 130, errors
    assert b"Traceback" not in errors
    return errors.decode()


def journal(hub: Hub) -> Path:
    return hub.tree / ".lumos/sync/hub.jsonl"


def test_while_it_reads_nothing_is_written_and_nothing_is_left(hub: Hub) -> None:
    hub.gms.latency = 0.5
    said = interrupted(
        hub,
        "--apply",
        "--yes",
        when=lambda: any("dataset" in one.path for one in hub.gms.asked),
    )
    assert "--resume" not in said  # there is nothing to go on with
    assert hub.gms.asked.writes() == []
    assert not journal(hub).exists()
    assert "refs/lumos" not in hub.git("for-each-ref")
    hub.gms.latency = 0
    hub.apply()


def test_while_it_writes_the_journal_stays_and_the_rest_is_done_by_resume(hub: Hub) -> None:
    hub.gms.latency = 0.1
    said = interrupted(hub, "--apply", "--yes", when=lambda: len(hub.gms.asked.writes()) >= 5)
    assert (
        "interrupted: nothing is half-written\n  → `lumos snap sync --resume` does the rest" in said
    )
    written = len(hub.gms.asked.writes())
    assert 5 <= written < NUMBER
    assert journal(hub).exists()
    hub.gms.latency = 0
    ran = hub.run("--apply", "--yes")
    assert (ran.code, "`lumos snap sync --resume` finishes it" in ran.err) == (2, True)
    ran = hub.run("--resume")
    assert ran.code == 0, ran.err
    assert not journal(hub).exists()
    assert len(hub.gms.asked.writes()) == NUMBER  # none of them twice
    assert hub.run("--check").code == 0


def test_a_resume_that_is_interrupted_is_resumed(hub: Hub) -> None:
    hub.gms.latency = 0.1
    interrupted(hub, "--apply", "--yes", when=lambda: len(hub.gms.asked.writes()) >= 5)
    before = len(hub.gms.asked.writes())
    said = interrupted(hub, "--resume", when=lambda: len(hub.gms.asked.writes()) >= before + 5)
    assert "`lumos snap sync --resume` does the rest" in said
    hub.gms.latency = 0
    assert hub.run("--resume").code == 0
    assert len(hub.gms.asked.writes()) == NUMBER
    assert hub.run("--check").code == 0
