"""A scan that is killed leaves a whole tree, and the next one completes it."""

import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from lumos_snap.cli import main
from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place

pytestmark = pytest.mark.slow
_PROGRAM = (
    "import sys; from lumos_snap.cli import main; sys.exit(main(['snap', 'scan', *sys.argv[1:]]))"
)
_AT_WRITE = """
import os, signal, sys
from lumos_snap.tree import writer
count, rename = 0, writer.Writer._rename
def dying(*arguments):
    global count
    count += 1
    if count == {number}:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*arguments)
writer.Writer._rename = dying
"""
_EITHER = ((), ("--master", "local[2]"))
"""Files are read without Spark, or with it."""


def _start(place: Place, *options: str, before: str = "") -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", before + _PROGRAM, "lake", *options],
        cwd=place.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _children(pid: int) -> list[int]:
    """Everything that a process has started, and what that has started."""
    listed = subprocess.run(
        ["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[1:]
    parents = {int(line.split()[0]): int(line.split()[1]) for line in listed if line.strip()}
    found, added = {pid}, True
    while added:
        new = {one for one, parent in parents.items() if parent in found} - found
        found |= new
        added = bool(new)
    return sorted(found - {pid})


@pytest.fixture
def wide(place: Place) -> Place:
    for number in range(40):
        name = f"{chr(97 + number % 26)}{chr(97 + number // 26)}"
        place.parquet(f"t/{name}/part-0.parquet", id=[1], name=["a"])
    return place


def test_ten_kills_leave_a_valid_tree_and_nothing_running(wide: Place, scanned: Scan) -> None:
    chance = random.Random(4)
    for number in range(10):
        at_write = number % 2 == 1
        if at_write:
            shutil.rmtree(wide.root / "snapshots", ignore_errors=True)
        before = _AT_WRITE.format(number=chance.randrange(1, 80)) if at_write else ""
        process = _start(wide, *_EITHER[number % 3 == 0], before=before)
        children: list[int] = []
        if not at_write:
            time.sleep(chance.uniform(0.2, 6))
            children = _children(process.pid)
            process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
        assert main(["snap", "validate"]) == 0
        _gone(children)
    scanned()
    completed = wide.snapshots()
    for path in (wide.root / "snapshots").rglob("*.json"):
        path.unlink()
    scanned()
    assert wide.snapshots() == completed
    assert len(completed) == 40
    assert list((wide.root / ".lumos/tmp").iterdir()) == []


def _gone(pids: list[int]) -> None:
    """Java and its workers end with the process that they work for."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if not any(map(_runs, pids)):
            return
        time.sleep(0.2)
    raise AssertionError(f"still running: {pids}")


def _runs(pid: int) -> bool:
    """Whether a process does anything; one that has ended may still be listed."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_ctrl_c_cancels_the_job_and_writes_nothing(wide: Place) -> None:
    process = _start(wide, "--master", "local[2]")
    until = time.monotonic() + 60
    while not _children(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(2)
    children = _children(process.pid)
    assert children
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    _gone(children)
    assert wide.snapshots() == {}


def test_ctrl_c_without_spark_ends_at_once(place: Place) -> None:
    for number in range(10_000):
        path = place.lake / f"t/{number % 100}/{number}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("id,name\n1,a\n" * 500)
    process = _start(place)
    until = time.monotonic() + 60
    while not (children := _children(process.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    assert children
    _gone(children)
    assert place.snapshots() == {}
