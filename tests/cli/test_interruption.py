"""Commands that are stopped half-way, or that meet another one."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import lake
from lumos_snap.tree.writer import open_writer
from tests.cli.conftest import Lumos

KAFKA = "snapshots/kafka/prod/shop.orders.v1.json"
LUMOS = [sys.executable, "-m", "lumos_snap"]

_LOST = re.compile(rb"Exception ignored in.*?KeyboardInterrupt: ?\n", re.DOTALL)


def _disorder(file: Path) -> bytes:
    content = json.dumps(json.loads(file.read_bytes()), indent=4).encode()
    file.write_bytes(content)
    return content


def test_a_second_writer_is_refused_and_told_why(lumos: Lumos, shop: Path) -> None:
    before = _disorder(shop / KAFKA)
    with open_writer(shop):
        ran = lumos("snap", "fmt")
    assert ran.code == 3
    assert "another lumos is writing here (process " in ran.err
    assert (shop / KAFKA).read_bytes() == before
    assert lumos("snap", "fmt").code == 0


READY = """
import sys
from lumos_snap.cli import main
print("ready", flush=True)
sys.exit(main(["snap", "fmt"]))
"""
"""The command, which says when Python has started: until then Ctrl-C is Python's to answer."""


FORKED = """
import os, signal
from lumos_snap.concurrency import map_in_processes

os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    list(map_in_processes(len, [()] * 9, size=5_000))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there are processes forked")
def test_an_interrupt_between_two_forks_leaves_no_process_that_waits() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.05, 0.15, 0.4, 0.7, 1, 1.3, 1.6])
def test_an_interrupted_format_leaves_every_file_whole(tmp_path: Path, delay: float) -> None:
    paths = [tmp_path / path for path in lake.build(tmp_path, 3_000)]
    old = [_disorder(path) for path in paths]
    new = [lake.content(number) for number in range(len(paths))]
    with subprocess.Popen(
        [sys.executable, "-c", READY],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(delay)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process
        _, errors = running.communicate(timeout=60)
    assert running.returncode in (0, 130)
    # Python reports an interrupt that met a callback of its own, and goes on.
    assert b"Traceback" not in _LOST.sub(b"", errors)
    for path, before, after in zip(paths, old, new, strict=True):
        assert path.read_bytes() in (before, after)
    done = subprocess.run([*LUMOS, "snap", "fmt"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path.read_bytes() for path in paths] == new


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_outlives_the_command(tmp_path: Path, how: signal.Signals) -> None:
    lake.build(tmp_path, 6_000)
    with subprocess.Popen(
        [*LUMOS, "snap", "validate"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        time.sleep(0.35)
        running.send_signal(how)
        running.communicate(timeout=90)  # ends when no process holds the pipes any more
