"""A lake that is not there: a listing that is made up, and files that all share one content.

    python -m benchmarks.generated DATASETS FILES_EACH

scans it into an empty tree, and prints as JSON how long that took and how much memory this process
and its Java needed at most. Only the disk is left out: everything else is the real scan.
"""

import importlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lumos_snap import open_tree
from lumos_snap.cli import main
from lumos_snap.commands.scan import sources
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.config.settings import SourceSettings as Settings
from lumos_snap.scan.sources.source import Source, open_source
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import FileEntry, RangedFile, Trouble, Wants

COLUMNS = 20


class GeneratedStore(NamedTuple):
    """Many files, all of them one."""

    folder: str
    datasets: int
    files_each: int

    @property
    def at_once(self) -> int:
        """Nothing keeps anybody waiting."""
        return 1

    def reader(self) -> "GeneratedStore":
        """Itself."""
        return self

    def opened(self, path: str) -> AbstractContextManager[RangedFile]:
        """The one file."""
        del path
        return LocalStore(self.folder).opened("part-0.parquet")

    def has(self, path: str) -> bool:
        """Whatever is asked for."""
        del path
        return True

    def entries(
        self, start: str, may_hold: Wants, answered: object = None
    ) -> Iterator[FileEntry | Trouble]:
        """Every file, made up as it is asked for."""
        del start, may_hold, answered
        for dataset in range(self.datasets):
            for file in range(self.files_each):
                day = f"dt=2026-{file // 28 % 12 + 1:02d}-{file % 28 + 1:02d}"
                path = f"area-{dataset % 20:02d}/table_{dataset:06d}/{day}/part-{file:06d}.parquet"
                yield FileEntry(path, 10_000, 1_700_000_000_000_000_000 + file, "tag")


def run(datasets: int, files_each: int) -> dict[str, float]:
    """Scan it, once cold and once with nothing changed."""
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as folder:
        lake, home = Path(folder, "lake"), Path(folder, "home")
        lake.mkdir()
        home.mkdir()
        columns = {f"column_{number}": [1, 2, 3] for number in range(COLUMNS)}
        pq.write_table(pa.table(columns), lake / "part-0.parquet")
        assert main(["snap", "init", str(home)]) == 0
        store = GeneratedStore(str(lake), datasets, files_each)

        def generated(settings: Settings, root: Path) -> Source:
            return replace(open_source(settings, root), store=store)

        sources.open_source = generated  # type: ignore[attr-defined]
        times = []
        for _ in range(2):
            start = time.perf_counter()
            now = datetime(2026, 1, 15, tzinfo=UTC)
            report = scan(open_tree(home), ScanOptions(sources=(str(lake),)), now=now)
            times.append(time.perf_counter() - start)
            assert sum(one.datasets for one in report.sources) == datasets
        (memory,) = (home / ".lumos/scan").iterdir()
        return {
            "files": datasets * files_each,
            "datasets": datasets,
            "cold": times[0],
            "unchanged": times[1],
            "python_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "memory_mib": memory.stat().st_size / 2**20,
        }


if __name__ == "__main__":
    from pyspark import cloudpickle

    # Workers get the class by value, under the name that it has when it is imported.
    itself = importlib.import_module("benchmarks.generated")
    cloudpickle.register_pickle_by_value(itself)
    print(json.dumps(itself.run(*map(int, sys.argv[1:3]))))
