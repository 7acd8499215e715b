"""A sync that is killed at any moment is finished by another one, as if nothing had been."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.datahub.conftest import JANE, LUMOS, TOKENS, WHO
from tests.datahub.home import Home
from tests.datahub.hub import Hub
from tests.gms import Gms, running

DATASETS = 12
POINTS = 10
"""In each mode."""
SLOW = 0.01
"""Seconds that each answer takes, so that there is a moment to be killed in."""

Make = Any


@pytest.fixture
def start(
    tmp_path: Path,
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Make:
    """Makes a tree after a first push, with changes of every sort, and a server for it."""
    monkeypatch.setenv(TOKENS[0], LUMOS)
    numbers = iter(range(1000))

    @contextmanager
    def started() -> Iterator[tuple[Home, Gms]]:
        with running(tokens=WHO) as gms:
            hub = Hub(gms.url, mode, "lake", LUMOS, JANE)
            home = Home(tmp_path / f"home-{next(numbers)}", hub, capfd)
            for number in range(DATASETS):
                home.put(f"t{number:02}", quality={"checks": [{"name": "old"}]})
            home.push()
            for number in range(2, DATASETS):
                tags = {"tags": ["gold"]}
                checks = {"checks": [{"name": "new"}]}
                home.change(f"t{number:02}", governance=tags, quality=checks)
            home.remove("t00")
            home.put_entity("tag", "gold", name="Gold")
            home.put("more", quality={"checks": [{"name": "first"}]})
            gms.asked.clear()
            yield home, gms

    return started


@pytest.fixture
def undisturbed(start: Make) -> tuple[dict[str, Any], int]:
    """What the server holds when nothing goes wrong, and how many writes that takes."""
    with start() as (home, gms):
        home.push()
        return gms.dump(), len(gms.asked.writes())


@pytest.mark.slow
def test_killed_at_random_points_it_is_finished_as_if_nothing_had_been(
    start: Make, undisturbed: tuple[dict[str, Any], int]
) -> None:
    expected, writes = undisturbed
    assert writes > DATASETS
    points = random.sample(range(writes), POINTS)
    kills = 0
    for point in points:
        with start() as (home, gms):
            kills += killed(home, gms, point)
            how = ["--resume"] if (home.folder / ".lumos/sync/hub.jsonl").exists() else []
            ran = home.sync(*(how or ["--apply", "--yes"]))
            assert ran.code == 0, (points, point, ran.out, ran.err)
            assert gms.dump() == expected, (points, point)
            gms.asked.clear()
            home.push()
            assert gms.asked.writes() == [], (points, point)
            assert home.is_settled()
    assert kills >= POINTS - 1  # the last write may be over before anybody can kill it


def killed(home: Home, gms: Gms, point: int) -> bool:
    """Run a sync in a process of its own, and kill it once so many writes have begun."""
    gms.latency = SLOW
    with home.process("--apply", "--yes") as running_:
        until = time.monotonic() + 60
        while running_.poll() is None and time.monotonic() < until:
            if len(gms.asked.writes()) > point:
                running_.kill()
                break
            time.sleep(0.001)
        running_.communicate(timeout=60)
    gms.latency = 0.0
    time.sleep(2 * SLOW)  # what was under way at the server ends there
    return running_.returncode == -signal.SIGKILL
