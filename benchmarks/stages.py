"""Where the time of a first scan by Spark goes, stage by stage.

    python -m benchmarks.run stages
    python -m benchmarks.stages TREE LAKE BEGAN

measures 1,000 datasets in 10,000 files, each way that Spark starts; scans in this process, which
was started at that time.
"""

import json
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import scans
from lumos_snap import open_tree
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions, ScanStage

HEADING = "## Where a first scan by Spark spends its time"
_STAGES = ("grouped", "first file", "read", "merged", "written", "cached", "ended")
"""What each column ends with; a column begins where the one before it ends."""
_HEAD = (
    "| Spark | list, group | wait for Spark | read | merge | write | scan cache | end | all |",
    "|---|---|---|---|---|---|---|---|---|",
)
_INTRODUCTION = """\
Written by `python -m benchmarks.run stages`: {datasets:,} datasets in {files:,} files, medians of
{rounds} scans. Java starts while files are listed, so listing looks slower than it is. The wait for
Spark ends with the first file that was read. The end is that of the session, Java and Python."""


def marks(tree: str, lake: str, began: float) -> dict[str, float]:
    """Scan; the seconds from the start of the process to the end of each stage."""
    ends: dict[str, float] = {}

    def note(
        stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        del total, pages, note
        now = time.time() - began
        if stage is ScanStage.READ and done:
            ends.setdefault("first file", now)
        ends[stage.value] = now

    asked = ScanOptions(sources=(lake,), engine="spark")
    scan(open_tree(Path(tree)), asked, now=datetime.now(UTC), progress=note)
    return ends


def section() -> str:
    """Measure; the section of the page."""
    lines = [*_HEAD]
    for start in scans.STARTS:
        lines.append(_row(start))
        print(lines[-1], flush=True)
    introduction = _INTRODUCTION.format(
        datasets=scans.DATASETS, files=scans.DATASETS * 10, rounds=scans.ROUNDS
    )
    return "\n".join([HEADING, "", introduction, "", *lines])


def _row(start: str) -> str:
    with scans.prepared(scans.DATASETS, start) as folder:
        found = [_scanned_apart(folder) for _ in range(scans.ROUNDS + 1)][1:]
    spent = {
        stage: statistics.median(one[stage] - one[before] for one in found)
        for before, stage in zip(("began", *_STAGES), _STAGES, strict=False)
    }
    whole = statistics.median(one["ended"] for one in found)
    cells = (start, *(f"{seconds:.1f} s" for seconds in (*spent.values(), whole)))
    return f"| {' | '.join(cells)} |"


def _scanned_apart(folder: Path) -> dict[str, float]:
    scans.forgotten(folder / "home")
    began = time.time()
    command = [sys.executable, "-m", "benchmarks.stages", "home", "lake", str(began)]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=scans.environment()
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {"began": 0.0, **found, "ended": time.time() - began}


if __name__ == "__main__":
    print(json.dumps(marks(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
