"""Looking at the files of datasets: the table that the job works on, and what comes back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError
from lumos_snap.scan import job
from lumos_snap.scan.evidence import Evidence
from lumos_snap.scan.gathered import Gathered
from lumos_snap.scan.probe.reading import reading
from lumos_snap.scan.probe.store import Store
from lumos_snap.scan.session import Diagnose, spark_session

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """Which session looks at files: the caller's, or one of our own."""

    session: "SparkSession | None" = None
    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    why_not: Diagnose
    """Why it may not start."""


Looked = Callable[[int, int], None]
"""Is told how many files were looked at, of how many."""


def looked_at(
    datasets: Sequence[tuple[Store, Gathered]], spark: Spark, looked: Looked
) -> tuple[Sequence[Evidence], int]:
    """What the files of each dataset say, and how many were looked at."""
    evidence = [Evidence() for _ in datasets]
    stores = tuple(dict.fromkeys(store for store, _ in datasets))
    files = _table(datasets, stores)
    if not files.num_rows:
        return evidence, 0
    settings = {**job.settings_for(files.num_rows), **spark.settings}
    looked(0, files.num_rows)  # Spark takes seconds to start
    with spark_session(
        spark.session,
        master=spark.master,
        settings=settings,
        why_not=spark.why_not,
    ) as running:
        in_files = _in_files(looked, files.num_rows)
        for line in job.read(running, files, reading(stores), in_files):
            evidence[line["dataset"]].add(line)
    looked(files.num_rows, files.num_rows)
    return evidence, files.num_rows


def _in_files(looked: Looked, files: int) -> job.Done:
    """Tasks are alike: a part of them is that part of the files."""
    return lambda done, total: looked(files * done // max(total, 1), files)


def _table(datasets: Sequence[tuple[Store, Gathered]], stores: Sequence[Store]) -> "pa.Table":
    try:
        import pyarrow as pa
    except ImportError as exc:
        raise LumosError(
            "scanning needs pyarrow, which is not installed",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        ) from exc
    places = {store: place for place, store in enumerate(stores)}
    rows = [
        (number, places[store], one)
        for number, (store, gathered) in enumerate(datasets)
        for one in gathered.candidates()
    ]
    paths = (one.path.encode("utf-8", "surrogateescape") for _, _, one in rows)
    return pa.table(
        {
            "dataset": pa.array((number for number, _, _ in rows), pa.int32()),
            "store": pa.array((store for _, store, _ in rows), pa.int32()),
            "path": pa.array(paths, pa.binary()),
            "hint": pa.array((one.hint for _, _, one in rows), pa.string()),
            "suffix": pa.array((one.suffix for _, _, one in rows), pa.string()),
        }
    )
