"""Scans against their floors: cold, with nothing changed, with one change, and ten times as large.

What a promise counts above a start is measured so: the start alone runs in turn with the rest, and
its median is taken off both.
"""

import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks import files

HERE = Path(__file__).parent
LUMOS = str(Path(sys.executable).parent / "lumos")
DATASETS = 1_000
ROUNDS = 3
FEW = 20
LOCAL = ("--engine", "local")
SESSION = "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().stop()"
"""What starts a session as Spark does by itself, and does nothing with it."""

Step = tuple[list[str], Callable[[], None]]
"""A command, and what to put in order before it."""


def medians(folder: Path, steps: Mapping[str, Step], rounds: int = ROUNDS) -> dict[str, float]:
    """The median time of each command; they run in turn, and the first round fills caches."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds + 1):
        for name, (command, prepare) in steps.items():
            prepare()
            began = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment())
            if number:
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(found) for name, found in times.items()}


def environment() -> dict[str, str]:
    """Our own modules are found from every folder; a warm server fits scans with the same."""
    return {**os.environ, "PYTHONPATH": str(HERE.parent)}


@contextmanager
def place(datasets: int) -> Iterator[Path]:
    """An empty tree, and a lake in five formats beside it."""
    folder = Path(tempfile.mkdtemp(prefix="lumos-bench-"))
    try:
        files.build(folder / "lake", datasets)
        subprocess.run([LUMOS, "snap", "init", "home"], cwd=folder, check=True, capture_output=True)
        yield folder
    finally:
        shutil.rmtree(folder)


def nothing() -> None:
    """There is nothing to put in order."""


def forgotten(home: Path) -> None:
    """A tree as if nothing had ever been scanned into it."""
    for name in ("snapshots", "observations", ".lumos/scan"):
        shutil.rmtree(home / name, ignore_errors=True)


def changed(lake: Path) -> None:
    """One file of one dataset is another one."""
    path = next(iter(sorted(lake.rglob("*.parquet"))))
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    time.sleep(0.1)


STARTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Spark": ((), ()),
    "Spark with the class-data archive": (("doctor", "--warm"), ()),
    "Spark on the warm server": (("spark", "start"), ("spark", "stop")),
}
"""How Spark can start: what is done once before all scans, and after them."""


def cold(datasets: int, floor: list[str], start: str, *options: str) -> tuple[float, float]:
    """A first scan, and the floor, after Spark was made ready in some way."""
    with prepared(datasets, start) as folder:
        home = folder / "home"
        steps: dict[str, Step] = {
            "ours": ([LUMOS, "snap", "scan", "../lake", *options], lambda: forgotten(home)),
            "floor": (floor, nothing),
        }
        found = medians(home, steps)
    return found["ours"], found["floor"]


@contextmanager
def prepared(datasets: int, start: str) -> Iterator[Path]:
    """A tree and a lake, for as long as Spark starts in some way."""
    before, after = STARTS[start]
    with place(datasets) as folder, cache(folder):
        _run(folder / "home", before)
        try:
            yield folder
        finally:
            _run(folder / "home", after)


def _run(home: Path, arguments: tuple[str, ...]) -> None:
    if arguments:
        command = [LUMOS, *arguments]
        subprocess.run(command, cwd=home, check=True, capture_output=True, env=environment())


@contextmanager
def cache(folder: Path) -> Iterator[None]:
    """An empty cache of the user, so that only what is made here is found."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before


def unchanged() -> tuple[float, float]:
    """A scan where nothing changed, and the listing; each above its own start."""
    with place(DATASETS) as folder:
        home = folder / "home"
        subprocess.run(
            [LUMOS, "snap", "scan", "../lake"], cwd=home, check=True, capture_output=True
        )
        (folder / "empty").mkdir()
        listing = [sys.executable, str(HERE / "floor_list.py")]
        steps: dict[str, Step] = {
            "ours": ([LUMOS, "snap", "scan", "../lake"], nothing),
            "our start": ([LUMOS, "snap", "scan", "../empty"], nothing),
            "floor": ([*listing, "../lake"], nothing),
            "its start": ([*listing, "../empty"], nothing),
        }
        found = medians(home, steps, rounds=9)
    return found["ours"] - found["our start"], found["floor"] - found["its start"]


def one_changed() -> tuple[float, float]:
    """A scan where one file of 10,000 changed, and the start of a session as ours are started."""
    with place(DATASETS) as folder:
        home, lake = folder / "home", folder / "lake"
        subprocess.run(
            [LUMOS, "snap", "scan", "../lake"], cwd=home, check=True, capture_output=True
        )
        (folder / "empty").mkdir()
        steps: dict[str, Step] = {
            "ours": ([LUMOS, "snap", "scan", "../lake"], lambda: changed(lake)),
            "session": ([sys.executable, "-m", "benchmarks.session"], nothing),
        }
        found = medians(home, steps)
    return found["ours"], found["session"]


def growth() -> tuple[float, float]:
    """A first scan of 10,000 datasets and one of 1,000 in Spark, above the start of a session."""
    found = []
    for datasets in (10 * DATASETS, DATASETS):
        with place(datasets) as folder:
            home = folder / "home"
            steps: dict[str, Step] = {
                "ours": (
                    [LUMOS, "snap", "scan", "../lake"],
                    functools.partial(forgotten, home),
                ),
                "session": ([sys.executable, "-m", "benchmarks.session"], nothing),
            }
            times = medians(home, steps, rounds=2)
            found.append(times["ours"] - times["session"])
    return found[0], found[1]


def generated(datasets: int, files_each: int) -> dict[str, float]:
    """What a scan of a lake that is made up takes: see `benchmarks/generated.py`."""
    command = [sys.executable, "-m", "benchmarks.generated", str(datasets), str(files_each)]
    done = subprocess.run(command, cwd=HERE.parent, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
