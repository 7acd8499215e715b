"""`lumos doctor --warm`: a class-data archive of a scan's Java classes, for faster starts."""

import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from lumos_snap.commands.doctor.tool_versions import explain_missing_java
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.command_reports import JvmArchive
from lumos_snap.scan.spark import class_data_archive
from lumos_snap.scan.spark.launch import OPTIONS
from lumos_snap.scan.spark.session import RunningSession, spark_session
from lumos_snap.scan.spark.shutdown import end_java, java_runs
from lumos_snap.tree import open_tree

_HERE = "local[2]"
_ROWS = 3
_WITHOUT = "scans work without an archive"


def warm(now: datetime) -> JvmArchive:
    """Scan a few small files once, and keep the loaded Java classes in an archive."""
    began = time.monotonic()
    key = class_data_archive.fingerprint()
    if key is None:
        why, hint = explain_missing_java() or (
            "PySpark is missing",
            "pip install 'lumos-snap[scan]'",
        )
        raise LumosError(f"there is nothing to keep: {why}", hint=hint)
    if java_runs():
        raise LumosError("Spark runs in this process", hint="do it in a process of its own")
    with class_data_archive.prepare_target() as target:
        _run_scan({OPTIONS: class_data_archive.recording_options(target)}, now)
        code = end_java()  # Java writes the archive when it ends
        if code is None:
            raise LumosError("this PySpark gives no way to end its Java", hint=_WITHOUT)
        if code != 0 or not target.exists():
            raise OutsideError(
                f"Java made no class-data archive: it ended with {code}",
                hint=f"is there room in the cache folder? {_WITHOUT}",
            )
        made = class_data_archive.keep_archive(target, key)
    spent = round((time.monotonic() - began) * 1000)
    return JvmArchive(path=str(made.path), bytes=made.bytes, milliseconds=spent)


def _run_scan(settings: Mapping[str, str], now: datetime) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="lumos-warm-") as folder,
        spark_session(
            None, master=_HERE, settings=settings, why_not=explain_missing_java
        ) as running,
    ):
        _scan(Path(folder), running, now)


def _scan(folder: Path, running: RunningSession, now: datetime) -> None:
    """Run a scan with files of each common kind."""
    (folder / CONFIG_NAME).write_text("version: 1\n")
    lake = folder / "lake"
    for name in ("orders", "clicks", "stores"):
        (lake / name).mkdir(parents=True)
    _parquet(lake / "orders")
    (lake / "stores/stores.csv").write_text("id,name\n1,a\n2,b\n")
    (lake / "clicks/part-0.json").write_text('{"id": 1, "at": "2026-01-15"}\n')
    scan(open_tree(folder), ScanOptions(sources=(str(lake),), session=running.spark), now=now)


def _parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number in range(_ROWS):
        pq.write_table(
            pa.table({"id": [number], "total": [1.5]}), folder / f"part-{number}.parquet"
        )
