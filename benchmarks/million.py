"""Scans of 10,000, 100,000 and 1,000,000 tiny files, as writers of streams leave them.

    python -m benchmarks.run million
    python -m benchmarks.million FOLDER SHAPE FILES

measures all; makes one lake. `folder` has all files in one folder, which are one dataset; `names`
has them in one folder as well, and their names make a hundred datasets; `folders` has a hundred
files in each folder, and each folder is a dataset.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

from benchmarks import files
from lumos_snap.config.settings import EngineName

SIZES = (10_000, 100_000, 1_000_000)
ENGINES: Mapping[EngineName, str] = {"spark": "Spark, 1 GB for Java"}
HEADING = "## A million files"
FORMATS = ("parquet", "json", "avro")
EACH = 100
"""Datasets where names make them, and files of each folder."""
COLUMNS = [f"column_{at}" for at in range(4)]


def _one_folder(count: int, random: Random) -> Iterator[tuple[str, str]]:
    """What Spark's streaming leaves."""
    for number in range(count):
        writer = uuid.UUID(int=random.getrandbits(128), version=4)
        yield "events", f"part-{number % 200:05d}-{writer}-c000.snappy.parquet"


def _names(count: int, random: Random) -> Iterator[tuple[str, str]]:
    """What a connector leaves that writes topic, partition and offset."""
    del random
    topics = [f"topic-{chr(97 + one // 26)}{chr(97 + one % 26)}-log" for one in range(EACH)]
    for number in range(count):
        which = number % EACH
        suffix = FORMATS[which % len(FORMATS)]
        yield "landing", f"{topics[which]}+{number // EACH % 8}+{number:010d}.{suffix}"


def _folders(count: int, random: Random) -> Iterator[tuple[str, str]]:
    """Many tables, with a folder each."""
    for number in range(count):
        table = number // EACH
        writer = uuid.UUID(int=random.getrandbits(128), version=4)
        suffix = FORMATS[table % len(FORMATS)]
        yield f"area_{table % 20}/table_{table}", f"part-{number % EACH:05d}-{writer}.{suffix}"


SHAPES: Mapping[str, Callable[[int, Random], Iterator[tuple[str, str]]]] = {
    "folder": _one_folder,
    "names": _names,
    "folders": _folders,
}


def build(lake: Path, shape: str, count: int) -> None:
    """Fill a folder."""
    contents = {suffix: files.FORMATS[suffix](COLUMNS) for suffix in FORMATS}
    known: set[str] = set()
    for folder, name in SHAPES[shape](count, Random(count)):
        if folder not in known:
            known.add(folder)
            (lake / folder).mkdir(parents=True)
        (lake / folder / name).write_bytes(contents[name.rpartition(".")[2]])
    time.sleep(0.1)  # what is fresh is read again


class Ran(NamedTuple):
    """What a scan took: seconds, and the most that the driver's Python held, in MiB."""

    seconds: float
    held: float


class Row(NamedTuple):
    """Scans of one lake by one engine."""

    shape: str
    files: int
    engine: str
    first: Ran
    unchanged: Ran
    added: Ran
    """With one file that is new."""


def rows() -> Iterator[Row]:
    """Every lake, smaller ones first, by each engine."""
    for shape in SHAPES:
        for count in SIZES:
            folder = Path(tempfile.mkdtemp(prefix="lumos-bench-"))
            try:
                build(folder / "lake", shape, count)
                yield from (_row(folder, shape, count, engine) for engine in ENGINES)
            finally:
                shutil.rmtree(folder)


def _row(folder: Path, shape: str, count: int, engine: str) -> Row:
    home, lake = folder / f"home-{engine}", folder / "lake"
    lumos = str(Path(sys.executable).parent / "lumos")
    subprocess.run([lumos, "snap", "init", str(home)], check=True, capture_output=True)
    first, unchanged = (_scanned_apart(home, lake, engine) for _ in range(2))
    known = next(one for one in lake.rglob("*") if one.is_file())
    name, _, suffixes = known.name.partition(".")
    new = known.with_name(f"{name}-0.{suffixes}")
    new.write_bytes(known.read_bytes())
    time.sleep(0.1)
    added = _scanned_apart(home, lake, engine)
    new.unlink()
    return Row(shape, count, engine, first, unchanged, added)


def _scanned_apart(home: Path, lake: Path, engine: str) -> Ran:
    """In a process of its own, so that it holds nothing of the scan before."""
    command = [sys.executable, "-m", "benchmarks.one_scan", str(home), str(lake), engine]
    here = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=here, check=True, capture_output=True, text=True)
    return Ran(*json.loads(done.stdout.splitlines()[-1]))


def section() -> str:
    """Measure, and print each row as it comes; the section of the page."""
    lines = [*_HEAD]
    before: dict[tuple[str, str], Row] = {}
    for row in rows():
        lines.append(_line(row, before.get((row.shape, row.engine))))
        before[(row.shape, row.engine)] = row
        print(lines[-1], flush=True)
    return "\n".join([HEADING, "", _INTRODUCTION, "", *lines])


_INTRODUCTION = """\
Written by `python -m benchmarks.run million`: tiny Parquet, JSON and Avro files on a local disk.
Each time is followed by its ratio to that of a tenth of the files: at most 11 is promised. Held is
the peak of the driver's Python in the three scans: less than 400 MiB is promised."""
_MOST_GROWTH = 11
_HEAD = (
    "| lake | engine | files | first scan | nothing changed | one file more | held |",
    "|---|---|---|---|---|---|---|",
)
_LAKES = {
    "folder": "one folder, one dataset",
    "names": f"one folder, {EACH} datasets",
    "folders": f"a dataset for each {EACH} files",
}


def _line(row: Row, smaller: Row | None) -> str:
    times = (
        _time(getattr(row, name), smaller and getattr(smaller, name))
        for name in ("first", "unchanged", "added")
    )
    held = max(row.first.held, row.unchanged.held, row.added.held)
    engine = ENGINES[cast("EngineName", row.engine)]
    cells = (_LAKES[row.shape], engine, f"{row.files:,}", *times, f"{held:,.0f} MiB")
    return f"| {' | '.join(cells)} |"


def _time(ran: Ran, smaller: Ran | None) -> str:
    if smaller is None:
        return f"{ran.seconds:,.1f} s"
    growth = ran.seconds / smaller.seconds
    missed = ", missed" if growth > _MOST_GROWTH else ""
    return f"{ran.seconds:,.1f} s, {growth:.1f} times{missed}"


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
