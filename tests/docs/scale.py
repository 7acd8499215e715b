"""The arithmetic of docs/scale.md: from what is assumed, and what the code asks for, its tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lumos_snap.scan.executors.pending_files import _A_JOB
from lumos_snap.scan.spark.job import FILES_A_TASK
from lumos_snap.scan.stores import azure, hdfs
from lumos_snap.scan.stores.lazy_reader import AT_ONCE
from lumos_snap.scan.stores.object_store import PageRequest
from lumos_snap.scan.stores.request_pool import THREADS
from lumos_snap.scan.stores.store import ENDS

FILES, DATASETS, FOLDERS = 10_000_000, 1_000_000, 2_000_000
CHANGED = FILES // 100
LATENCIES = (20, 50, 100)
CORES = (2, 32, 256)
MIDDLE, SOME = LATENCIES[1], CORES[1]
SCANS = ("first scan", "1 % of the files changed", "nothing changed")
TASKS = _A_JOB // FILES_A_TASK
"""How many tasks a job has, where nothing else is set."""
READS = 2
"""The size of a file, and its end."""
PREFIXES = 256
"""How many prefixes are listed one by one, about: each may end with a page that is not full."""
LOOKED = 0.4
"""Milliseconds of a core for one small Parquet file, as `benchmarks.generated` measured it."""
FILE, DATASET = (37, 21), (1_300, 200)
"""Microseconds of the driver for each, in a first scan and where nothing changed; likewise."""
KEPT, START = 10_000, 200
"""Bytes of the driver's memory for each dataset, and MB for a scan of none; likewise."""
LINE, REMEMBERED = 115, 41
"""Bytes on disk: of a file's line, and of a file in what is remembered."""


@dataclass(frozen=True)
class Kind:
    """A kind of store: what a page of it holds, its prices and its limit."""

    page: int
    parsing: int | None
    """Microseconds of a core for each object of a page, as `benchmarks.pages` measured it."""
    listing: float = 0
    """Dollars for 1,000 requests."""
    reading: float = 0
    limit: int | None = None
    """How many reads a second it answers before it has grown, as its maker says."""

    @property
    def requests(self) -> int:
        """Of a listing."""
        if self.parsing is None:
            return FOLDERS
        return FILES // self.page + DATASETS // self.page + PREFIXES

    @property
    def price(self) -> float:
        """Of a listing."""
        return self.requests * self.listing / 1_000

    def price_of(self, files: int) -> float:
        """Of a listing, and of reading some files."""
        return self.price + files * READS * self.reading / 1_000


_PAGE = PageRequest("").most
KINDS: Mapping[str, Kind] = {
    "S3": Kind(_PAGE, 45, 0.005, 0.0004, 5_500),
    "GCS": Kind(_PAGE, 11, 0.005, 0.0004, 5_000),
    "Azure": Kind(azure._page_size(PageRequest("")), 121, 0.005, 0.0004, 20_000),
    "HDFS": Kind(hdfs._PAGE, None),
}


def tables() -> Mapping[str, str]:
    """Each table of the page, by the word of its mark."""
    return {
        "together": _together(),
        "assumed": _assumed(),
        "listing": _listing(),
        "reading": _reading(),
        "limits": _limits(),
        "price": _price(),
        "driver": _driver(),
    }


def _together() -> str:
    """Of one latency and one cluster; each changed file is in a dataset of its own."""
    rows = []
    for name, one in KINDS.items():
        if one.parsing is None or one.limit is None:
            continue
        waiting = one.requests * MIDDLE / 1_000 / THREADS
        listing = max(waiting, FILES * one.parsing / 1e6)
        times = []
        for files, datasets in ((FILES, DATASETS), (CHANGED, CHANGED), (0, 0)):
            requests = files * READS
            reading = max(requests * MIDDLE / 1_000 / (SOME * AT_ONCE), requests / one.limit)
            times.append(_time(listing + reading + _own(files, datasets)))
        rows.append((name, *times))
    return _table(("store", *SCANS), rows)


def _own(files: int, datasets: int) -> float:
    """The seconds of the driver for what is new, and for what is as it was."""
    new = files * FILE[0] + datasets * DATASET[0]
    return (new + (FILES - files) * FILE[1] + (DATASETS - datasets) * DATASET[1]) / 1e6


def _assumed() -> str:
    rows = (
        (name, f"${one.listing:.4f}", f"${one.reading:.4f}", f"{one.limit:,}")
        for name, one in KINDS.items()
        if one.limit
    )
    head = ("store", "1,000 listings", "1,000 reads", "reads a second at first")
    return _table(head, [*rows, ("HDFS", "-", "-", "-")])


def _listing() -> str:
    waits = [f"waiting, {latency} ms each" for latency in LATENCIES]
    head = ("store", "objects a page", "requests", *waits, "client's work on one core")
    rows = [
        (
            name,
            f"{one.page:,}",
            f"{one.requests:,}",
            *(_time(one.requests * ms / 1_000 / THREADS) for ms in LATENCIES),
            "not measured" if one.parsing is None else _time(FILES * one.parsing / 1e6),
        )
        for name, one in KINDS.items()
    ]
    return _table(head, rows)


def _reading() -> str:
    waits = [f"waiting, {latency} ms each" for latency in LATENCIES]
    rows = [
        (
            f"{cores}",
            f"{cores * AT_ONCE:,}",
            *(_time(FILES * READS * ms / 1_000 / (cores * AT_ONCE)) for ms in LATENCIES),
            _time(FILES * LOOKED / 1_000 / cores),
        )
        for cores in CORES
    ]
    return _table(("cores", "requests at once", *waits, "work on these cores"), rows)


def _limits() -> str:
    rows = [
        (name, f"{one.limit:,}", _time(FILES * READS / one.limit))
        for name, one in KINDS.items()
        if one.limit
    ]
    return _table(("store", "reads a second", "at least"), rows)


def _price() -> str:
    rows = [
        (name, *(f"${one.price_of(files):,.2f}" for files in (FILES, CHANGED, 0)))
        for name, one in KINDS.items()
        if one.listing
    ]
    return _table(("store", *SCANS), rows)


def _driver() -> str:
    rows = [
        (
            what,
            f"{file} µs",
            f"{dataset:,} µs",
            _time(FILES * file / 1e6),
            _time(DATASETS * dataset / 1e6),
            _time((FILES * file + DATASETS * dataset) / 1e6),
        )
        for what, file, dataset in zip(("first", "nothing changed"), FILE, DATASET, strict=True)
    ]
    each = ("a file", "a dataset", "all files", "all datasets", "together")
    return _table(("scan", *each), rows)


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:,.0f} s"
    minutes = seconds / 60
    return f"{minutes:,.0f} min" if minutes < 100 else f"{minutes / 60:,.1f} h"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    ruler = "|" + "---|" * (cells[0].count("|") - 1)
    return "\n".join([cells[0], ruler, *cells[1:]]) + "\n"


def numbers() -> Mapping[str, str]:
    """Numbers within sentences, by what must stand around them."""
    moved = FILES * ENDS
    return {
        "files": f"{FILES:,} files",
        "datasets": f"{DATASETS:,} datasets",
        "folders": f"{FOLDERS:,} folders",
        "moved": f"{moved / 1e9:,.0f} GB",
        "tasks": f"{TASKS} tasks",
        "asked at once": f"{TASKS * AT_ONCE} requests at once",
        "reads": f"{FILES * READS:,} requests",
        "daily": f"{CHANGED * READS:,} requests",
        "memory": f"{(START + DATASETS * KEPT / 1e6) / 1_000:.1f} GB",
        "on disk": f"{2 * FILES * LINE / 1e9:.1f} to {3 * FILES * LINE / 1e9:.1f} GB",
        "remembered": f"{FILES * REMEMBERED / 1e6:,.0f} MB",
    }
