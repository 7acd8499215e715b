"""Measures what is promised, against floors measured in the same run; writes docs/performance.md.

    make bench                       everything
    python -m benchmarks.run start   one or more of: start, validate, changed, diff, …, whose rows
                                     are renewed on the page
    python -m benchmarks.run million up to 1,000,000 files, which takes an hour or more: this alone
                                     renews its section, and the rest leaves it as it is

Each row runs both programs in turn, several times, and compares medians: what the machine does
besides hits both alike.
"""

import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    datahub,
    files,
    impact,
    lake,
    million,
    past,
    scans,
    search,
    slow_s3,
    stages,
    sync_plan,
    syncing,
)

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/performance.md"
LUMOS = str(Path(sys.executable).parent / "lumos")
DATASETS, CHANGED = 20_000, 200


@dataclass(frozen=True)
class Row:
    """One promise: two commands, run in a folder, and how much slower ours may be."""

    what: str
    floor_name: str
    ours: list[str]
    floor: list[str]
    promise: float
    rounds: int
    folder: Path | None = None


@dataclass(frozen=True)
class Result:
    """What was measured of a promise."""

    what: str
    floor_name: str
    ours: float
    floor: float
    promise: float

    @property
    def ratio(self) -> float:
        """How much slower ours is."""
        return self.ours / self.floor


def start() -> Iterator[Row]:
    floor = [sys.executable, "-c", "import click"]
    for flag in ("--version", "--help"):
        yield Row(f"`lumos {flag}`", '`python -c "import click"`', [LUMOS, flag], floor, 2.0, 25)


def validate() -> Iterator[Row]:
    with _tree() as folder:
        floor = [sys.executable, str(HERE / "floor_parse.py"), "snapshots"]
        ours = [LUMOS, "snap", "validate"]
        yield Row(
            f"`lumos snap validate`, {DATASETS:,} snapshots",
            "reading and parsing their JSON",
            ours,
            floor,
            5.0,
            7,
            folder,
        )


POLICY = """\
version: 1
policy:
  require:
    - {what: ownership.owners}
  naming:
    - {of: columns, pattern: '[a-z0-9_]+'}
"""


def check() -> Iterator[Row]:
    with _tree() as folder:
        (folder / "lumos.yaml").write_text(POLICY)
        yield Row(
            f"`lumos snap check`, {DATASETS:,} snapshots, a requirement and a pattern of names",
            "`lumos snap validate`",
            [LUMOS, "snap", "check"],
            [LUMOS, "snap", "validate"],
            3.0,
            7,
            folder,
        )


def changed() -> Iterator[Row]:
    with _tree() as folder:
        _commit_and_change(folder)
        yield Row(
            f"reading {CHANGED} changed of {DATASETS:,} snapshots against the working tree",
            "merge-base, diff-index, ls-files --others, cat-file and orjson in one bare script",
            [sys.executable, str(HERE / "changed.py")],
            [sys.executable, str(HERE / "floor_changed.py")],
            1.3,
            25,
            folder,
        )


def diff() -> Iterator[Row]:
    with _tree() as folder:
        _commit_and_change(folder)
        yield Row(
            f"`lumos snap diff --base main`, {CHANGED} changed of {DATASETS:,} snapshots",
            "merge-base, diff-index, ls-files --others, cat-file and orjson in one bare script",
            [LUMOS, "snap", "diff", "--base", "main", "--fail-on", "none"],
            [sys.executable, str(HERE / "floor_changed.py")],
            2.5,
            25,
            folder,
        )


def wide() -> Iterator[Row]:
    script = [sys.executable, "-m", "benchmarks.wide"]
    yield Row(
        "comparing two snapshots of 2,000 columns, 50 of them changed, 40 times",
        "the same program without the comparison",
        script,
        [*script, "--floor"],
        5.0,
        7,
        HERE.parent,
    )


def history() -> Iterator[Row]:
    reading, bare = str(HERE / "floor_blame.py"), "git log, cat-file and orjson in one bare script"
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as name:
        folder = Path(name)
        path = past.one_dataset(folder)
        what = f"columns of a dataset with {past.VERSIONS:,} versions"
        floor = [sys.executable, reading, path]
        script = [sys.executable, str(HERE / "blame.py"), path]
        yield Row(f"the origins of all {what}", bare, script, floor, 2.0, 15, folder)
        ours = [LUMOS, "snap", "blame", path]
        yield Row(f"`lumos snap blame`, all {what}", bare, ours, floor, 2.0, 15, folder)
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as name:
        folder = Path(name)
        past.many_datasets(folder)
        ours = [LUMOS, "snap", "log", "--since", "2020-01-01"]
        floor = [sys.executable, reading, "snapshots"]
        what = f"`lumos snap log --since`, {past.COMMITS:,} commits judged"
        yield Row(what, bare, ours, floor, 5.0, 5, folder)


def impacts() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as name:
        folder = Path(name)
        impact.build(folder)
        what = f"{impact.DATASETS:,} datasets, {impact.EDGES:,} edges"
        ours = [LUMOS, "snap", "impact", impact.QUESTION]
        cold = ["sh", "-c", f'rm -f .git/lumos/lineage && exec "$@" > {os.devnull}', "sh"]
        search = ["git", "grep", "-n", "-F", *impact.PATTERNS, "HEAD", "--", "snapshots"]
        bare = "one `git grep` for the same lines"
        yield Row(
            f"`lumos snap impact`, first: {what}", bare, [*cold, *ours], search, 4.0, 3, folder
        )
        floor = [sys.executable, str(HERE / "floor_index.py"), ".git/lumos/lineage"]
        reading = "reading the index and parsing each line"
        yield Row(f"`lumos snap impact`, {what}", reading, ours, floor, 2.0, 11, folder)


def scan() -> Iterator[Result]:
    """Scans on this machine; see `benchmarks/scans.py`."""
    lake = f"{scans.DATASETS:,} datasets, {scans.DATASETS * files.FILES_EACH:,} files, five formats"
    yield from _cold(
        scans.DATASETS,
        lake,
        "a default Spark session, and one bare `mapInArrow` that opens each footer or head",
        [sys.executable, str(HERE / "floor_scan.py"), "../lake"],
        (0.85, 0.6, 0.6, 0.6),
    )
    yield from _cold(
        scans.FEW,
        f"{scans.FEW} datasets, {scans.FEW * files.FILES_EACH} files",
        "the start and the end of a default Spark session",
        [sys.executable, "-c", scans.SESSION],
        (1.3, 0.8, 0.6, 0.2),
    )
    ours, floor = scans.unchanged()
    what = f"`lumos snap scan`, nothing changed, no engine started: {lake}; above start-up"
    yield Result(what, "meeting every file, with size and time", ours, floor, 5.0)
    ours, floor = scans.one_changed()
    what = "`lumos snap scan`, one file of 10,000 changed: by Spark"
    yield Result(what, "the start of a Spark session, and 3 seconds", ours, floor + 3, 1.0)
    ours, floor = scans.growth()
    what = "`lumos snap scan` by Spark, 100,000 files in 10,000 datasets, above a session's start"
    yield Result(what, "10,000 files in 1,000 datasets, likewise", ours, floor, 11.0)


def _cold(
    datasets: int, lake: str, floor_name: str, floor: list[str], promises: tuple[float, ...]
) -> Iterator[Result]:
    """First scans with each engine, and each way to start it."""
    what = f"`lumos snap scan`, the first time, by {{}}: {lake}"
    for start, promise in zip(scans.STARTS, promises, strict=False):
        ours, least = scans.cold(datasets, floor, start)
        yield Result(what.format(start), floor_name, ours, least, promise)
    ours, least = scans.cold(datasets, floor, "Spark", *scans.LOCAL)
    yield Result(what.format("the local engine"), floor_name, ours, least, promises[-1])


def store() -> Iterator[Result]:
    """A bucket that keeps everybody waiting."""
    found = slow_s3.measured()
    how = f"{found.objects:,} objects in S3, {slow_s3.DELAY * 1000:.0f} ms more for each request"
    yield Result(
        f"`lumos snap scan`, the first time, by the local engine: {how}",
        f"its {found.requests:,} requests, each waited for once, {found.at_once} at a time",
        found.seconds,
        found.floor,
        3.0,
    )


def sync() -> Iterator[Result]:
    """The plan of a sync, without reading or writing anything."""
    found = sync_plan.measured()
    what = f"the plan of a sync, {sync_plan.CHANGES:,} of {sync_plan.DATASETS:,} datasets changed"
    yield Result(
        what, "parsing the JSON of these datasets once", found.planning, found.parsing, 3.0
    )


HELD: syncing.Memory = {}
"""What each sync held at most, in MiB."""


def catalogs() -> Iterator[Result]:
    """Syncs with DataHub's wire, and with DataHub Lite; see `benchmarks/syncing.py`."""
    for one in syncing.compared(HELD):
        yield Result(one.what, one.floor_name, one.ours, one.floor, one.promise)


def searches() -> Iterator[Result]:
    """Questions to an index that is there; see `benchmarks/search.py`."""
    for asked in search.questions(LUMOS):
        what = f"`lumos snap search`, {search.DATASETS:,} snapshots, above start-up: {asked.what}"
        yield Result(what, "100 ms", asked.seconds, 0.1, 1.0)


BENCHMARKS: dict[str, Callable[[], Iterator[Row | Result]]] = {
    "start": start,
    "validate": validate,
    "check": check,
    "changed": changed,
    "diff": diff,
    "wide": wide,
    "history": history,
    "impact": impacts,
    "scan": scan,
    "store": store,
    "sync": sync,
    "catalogs": catalogs,
    "search": searches,
}


class _tree:  # noqa: N801 - read as a function
    """A folder with a tree of many snapshots, for as long as it is needed."""

    def __enter__(self) -> Path:
        self.folder = Path(tempfile.mkdtemp(prefix="lumos-bench-"))
        self.paths = lake.build(self.folder, DATASETS)
        return self.folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)


def _commit_and_change(folder: Path) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Lake"]):
        subprocess.run(["git", *who, *command], cwd=folder, env=environment, check=True)
    paths = sorted(folder.glob("snapshots/**/*.json"))
    for path in paths[:: len(paths) // CHANGED][:CHANGED]:
        path.write_bytes(path.read_bytes().replace(b'"INT64"', b'"STRING"', 1))


def measure(row: Row) -> Result:
    times: dict[str, list[float]] = {"ours": [], "floor": []}
    for number in range(row.rounds + 1):
        for name, command in (("ours", row.ours), ("floor", row.floor)):
            began = time.perf_counter()
            subprocess.run(command, cwd=row.folder, check=True, stdout=subprocess.DEVNULL)
            if number:  # the first round fills caches
                times[name].append(time.perf_counter() - began)
    ours, floor = (statistics.median(times[name]) for name in ("ours", "floor"))
    return Result(row.what, row.floor_name, ours, floor, row.promise)


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


INTRODUCTION = """\
# Performance

Written by `make bench`. Each row compares the median of wall times, start-up included, of two
programs that ran in turn on one machine; the ratio is what is promised, the times are of this
machine.
"""
CLOSING = """\
The snapshots have 21 columns, one of them nested, with owners, tags, lineage and words. The scripts
are in `benchmarks/`.
"""


MEMORY = (10_000, 10)
"""Datasets, and files of each."""


def memory() -> str:
    """What the driver of a scan holds, as Markdown."""
    found = scans.generated(*MEMORY)
    return (
        f"{found['files']:,.0f} made-up files in {found['datasets']:,.0f} datasets, looked at by "
        f"Spark with 1 GB for Java:\nPython held {found['python_mib']:,.0f} MiB at most; less than "
        "400 is promised. [Ten million files](scale.md) says how\nthat grows.\n\n"
        f"{_of_syncs()}"
    )


def _of_syncs() -> str:
    """What syncs held, as Markdown."""
    return (
        "A sync of 10,000 datasets held at most, where less than 500 MiB is promised:\n\n"
        + "\n".join(["| what | held |", "|---|---|", *_held_rows()])
    )


def _held_rows() -> list[str]:
    return [f"| {what} | {held:,.0f} MiB |" for what, held in HELD.items()]


def page(results: list[Result]) -> str:
    """The page of all results."""
    head = (
        "| what | time | floor | floor's time | ratio | promise | |\n|---|---|---|---|---|---|---|"
    )
    table = "\n".join([head, *map(_table_row, results)])
    sections = (
        f"{INTRODUCTION}\nMachine: {machine()}.",
        f"{table}\n\n{CLOSING}",
        stages.section(),
        f"## Memory\n\n{memory()}",
        datahub.section(),
    )
    return "\n\n".join(sections)


def _table_row(result: Result) -> str:
    cells = (
        result.what,
        f"{result.ours * 1000:,.0f} ms",
        result.floor_name,
        f"{result.floor * 1000:,.0f} ms",
        f"{result.ratio:.2f} times",
        f"at most {result.promise:.3g} times",
        "met" if result.ratio <= result.promise else "missed",
    )
    return f"| {' | '.join(cells)} |"


SECTIONS: dict[str, Callable[[], str]] = {
    "million": million.section,
    "datahub": datahub.section,
    "stages": stages.section,
}
"""Sections of the page that can be measured alone."""


def main() -> int:
    """Measure what is asked for; write the page when that is everything."""
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in [one for one in names if one in SECTIONS]:
        section = SECTIONS[name]()  # takes long: the page is read afterwards
        PAGE.write_text(with_section(PAGE.read_text(), section))
        names.remove(name)
    results = []
    for name in names:
        for row in BENCHMARKS[name]():
            results.append(measure(row) if isinstance(row, Row) else row)
            print(_table_row(results[-1]), flush=True)
    if len(names) == len(BENCHMARKS):
        PAGE.write_text(with_section(page(results), section_of(PAGE.read_text(), million.HEADING)))
    else:
        PAGE.write_text(renewed(PAGE.read_text(), [*map(_table_row, results), *_held_rows()]))
    return 0


def section_of(text: str, heading: str) -> str:
    """A section of a page, from its heading on; nothing where there is none."""
    _, found, rest = text.partition(f"{heading}\n")
    body = rest.partition("\n## ")[0].strip()
    return f"{heading}\n\n{body}" if found else ""


def with_section(text: str, section: str) -> str:
    """A page with a section in the place of the one of the same heading, or at its end."""
    before = section_of(text, section.partition("\n")[0]) if section else ""
    if before:
        return text.replace(before, section)
    return "\n\n".join(filter(None, (text.strip(), section))) + "\n"


def renewed(text: str, rows: list[str]) -> str:
    """A page with the rows of some benchmarks as they were measured now."""
    lines = text.splitlines()
    for row in rows:
        known = [number for number, one in enumerate(lines) if _cells(one)[:1] == _cells(row)[:1]]
        alike = [number for number, one in enumerate(lines) if len(_cells(one)) == len(_cells(row))]
        if known:
            lines[known[0]] = row
        else:  # the last row of the table that has as many columns
            below = alike[-1] + 1
            lines.insert(below + lines[below].startswith("|-"), row)
    return "\n".join(lines) + "\n"


def _cells(line: str) -> list[str]:
    return line.split(" | ") if line.startswith("| ") else []


if __name__ == "__main__":
    sys.exit(main())
