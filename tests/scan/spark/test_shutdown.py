"""A session that is over, or broken off, leaves nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
SOON = 25


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Empty folders for everything that Spark, Python and Java may write."""
    for name in ("spark", "temp", "home"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_a_session_that_is_over_leaves_nothing(place: Path) -> None:
    with _started(place, "short_job.py", "local[2]") as running:
        _, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    _await_nothing(place)
    assert list((place / "temp").iterdir()) == []


@pytest.mark.parametrize("delay", [0.6, 0.8, 1.0, 5.0], ids="after {} s".format)
def test_ctrl_c_ends_a_long_job_soon_and_leaves_only_the_log(place: Path, delay: float) -> None:
    with _started(place, "long_job.py") as running:
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(delay)  # the job is being sent, or on its way
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
        assert time.monotonic() - began < SOON
    assert err.rstrip().endswith("KeyboardInterrupt")
    _await_nothing(place)
    assert [log.suffix for log in (place / "temp").iterdir()] == [".log"]


def _started(place: Path, script: str, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(HERE / script), *words, f"spark.local.dir={place / 'spark'}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=place / "home",
        env={**os.environ, "TMPDIR": str(place / "temp")},
        text=True,
    )


def _await_nothing(place: Path) -> None:
    """Java ends, and clears away, when it sees that nobody speaks to it any more."""
    end = time.monotonic() + SOON
    while any((place / "spark").iterdir()) and time.monotonic() < end:
        time.sleep(0.1)
    assert list((place / "spark").iterdir()) == []
    assert list((place / "home").iterdir()) == []
