"""What is known is not read again; and whatever is remembered, the result is the same."""

import gzip
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.commands.scan.options import ScanStage
from lumos_snap.report.scan import ScanReport
from lumos_snap.scan.executors import pending_files
from tests.commands.scan.place import Place

Scan = Callable[..., ScanReport]


def _looked(report: ScanReport) -> int:
    return sum(source.looked_at for source in report.sources)


def _memory(place: Place) -> Path:
    return place.root / ".lumos/scan/lake.gz"


@pytest.fixture
def lake(place: Place) -> Place:
    for number in range(4):
        for day in (1, 2):
            ids = list(range(number + day))
            place.parquet(f"t{number}/day=2026-01-0{day}/part-0.parquet", id=ids)
    for number in range(30):
        place.text(f"texts/part-{number:02d}.csv", f"id,name\n{number},b\n")
    place.text("broken/part-0.parquet", b"PAR1 and no more")
    place.text("odd/a\nb\x01c.csv", "id\n1\n")
    _let_settle()
    return place


def _let_settle() -> None:
    """What is fresh may change again within a tick of the clock: it is read again."""
    time.sleep(0.05)


def test_nothing_is_read_twice(lake: Place, scanned: Scan) -> None:
    first = scanned()
    assert _looked(first) == 8 + 20 + 1 + 1
    before = lake.snapshots()
    again = scanned()
    assert _looked(again) == 0
    assert lake.snapshots() == before
    assert again.counts["unchanged"] == first.counts["added"] == 6
    assert again.bad_files == first.bad_files


def test_every_bad_file_is_named_again(lake: Place, scanned: Scan) -> None:
    for number in range(5):
        lake.text(f"t1/day=2026-01-0{number + 1}/part-9.parquet", b"")
    _let_settle()
    first = scanned()
    assert len(first.bad_files) == 6
    again = scanned()
    assert _looked(again) == 0
    assert again.bad_files == first.bad_files


def test_where_nothing_changed_no_java_is_needed(lake: Place, scanned: Scan) -> None:
    scanned()
    nowhere = {**os.environ, "JAVA_HOME": "/nowhere", "PATH": "/nowhere"}
    del nowhere["LUMOS_ENGINE"]
    command = [str(Path(sys.executable).parent / "lumos"), "snap", "scan", "lake"]
    done = subprocess.run(
        command, cwd=lake.root, env=nowhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "40 files listed, 0 read, 1 bad\n" in done.stdout
    lake.parquet("t9/part-0.parquet", id=[1])
    done = subprocess.run(
        command, cwd=lake.root, env=nowhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "there is no Java that runs" in done.stderr


def test_only_what_changed_is_read(lake: Place, scanned: Scan) -> None:
    scanned()
    lake.parquet("t1/day=2026-01-03/part-0.parquet", id=[1], name=["new"])
    report = scanned()
    assert _looked(report) == 1
    assert lake.columns("t1") == ["id", "name"]
    assert report.counts["changed"] == 1
    (lake.lake / "t1/day=2026-01-03/part-0.parquet").unlink()
    report = scanned()
    assert _looked(report) == 0
    assert lake.columns("t1") == ["id"]


def test_rows_of_known_files_are_counted(lake: Place, scanned: Scan) -> None:
    scanned()
    lake.parquet("t0/day=2026-01-03/part-0.parquet", id=[1, 2, 3, 4])
    scanned()
    text = (lake.root / "observations/file/lake/t0.json").read_text()
    assert '"rows": 7' in text
    assert '"files": 3' in text


def test_a_file_of_the_same_size_and_time_is_another_one(lake: Place, scanned: Scan) -> None:
    scanned()
    path = lake.lake / "odd/a\nb\x01c.csv"
    status = path.stat()
    path.write_text("xy\n1\n"[: status.st_size])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert _looked(scanned()) == 1


def test_a_hand_edit_of_what_scans_write_is_put_right(lake: Place, scanned: Scan) -> None:
    scanned()
    before = lake.snapshots()
    lake.edit("t1", schema={"fields": [{"name": "wrong", "type": "STRING", "nullable": True}]})
    assert lake.snapshots() != before
    report = scanned()
    assert _looked(report) == 0
    assert lake.snapshots() == before


def test_words_are_kept_and_nothing_is_worked_out(lake: Place, scanned: Scan) -> None:
    scanned()
    lake.edit("t1", documentation={"description": "Ours"})
    before = lake.snapshots()
    scanned()
    assert lake.snapshots() == before


def _deleted(place: Place) -> None:
    _memory(place).unlink()


def _emptied(place: Place) -> None:
    _memory(place).write_bytes(b"")


def _truncated(place: Place) -> None:
    content = _memory(place).read_bytes()
    _memory(place).write_bytes(content[: len(content) * 2 // 3])


def _flipped(place: Place) -> None:
    content = bytearray(_memory(place).read_bytes())
    content[len(content) // 2] ^= 0xFF
    _memory(place).write_bytes(content)


def _of_another_version(place: Place) -> None:
    text = gzip.decompress(_memory(place).read_bytes())
    _memory(place).write_bytes(gzip.compress(text.replace(b'"version": 1', b'"version": 9', 1)))


def _no_text(place: Place) -> None:
    _memory(place).write_bytes(gzip.compress(b"\xff\xfe{{{\n\n\n\0\0\n"))


@pytest.mark.parametrize(
    "harm",
    [_deleted, _emptied, _truncated, _flipped, _of_another_version, _no_text],
)
def test_whatever_happens_to_the_memory_the_result_is_the_same(
    lake: Place, scanned: Scan, harm: Callable[[Place], None]
) -> None:
    scanned()
    lake.commit("Scanned")
    before = lake.snapshots()
    harm(lake)
    assert _looked(scanned()) == 30
    assert lake.snapshots() == before
    assert scanned().counts["changed"] == 0
    assert _looked(scanned()) == 0


def test_the_memory_of_another_lake_is_not_believed(
    lake: Place, scanned: Scan, tmp_path: Path
) -> None:
    scanned()
    kept = _memory(lake).read_bytes()
    other = tmp_path / "other/lake"
    shutil.copytree(lake.lake, other, copy_function=shutil.copy2)
    for path in other.glob("t*/*/*.parquet"):
        path.write_bytes((lake.lake / "t0/day=2026-01-02/part-0.parquet").read_bytes())
    report = scanned(str(other))
    assert _looked(report) == 30
    assert _memory(lake).read_bytes() != kept


def test_a_part_that_was_not_asked_for_is_not_forgotten(lake: Place, scanned: Scan) -> None:
    scanned()
    lake.parquet("t1/day=2026-01-03/part-0.parquet", id=[1])
    _let_settle()
    assert _looked(scanned(only=["t1"])) == 1
    assert _looked(scanned()) == 0


def test_a_folder_that_cannot_be_listed_is_not_forgotten(lake: Place, scanned: Scan) -> None:
    scanned()
    aside = lake.root / "aside"
    (lake.lake / "t1").rename(aside)
    (lake.lake / "t1").symlink_to(lake.lake / "t1")  # a link to itself cannot be listed
    scanned()
    (lake.lake / "t1").unlink()
    aside.rename(lake.lake / "t1")
    assert _looked(scanned()) <= 2  # only where moving has touched the files


@pytest.mark.parametrize("asked", [{"write": False}])
def test_a_dry_run_remembers_nothing(lake: Place, scanned: Scan, asked: Any) -> None:
    scanned(**asked)
    assert not _memory(lake).exists()


def test_settings_that_only_decide_cause_no_reading(lake: Place, scanned: Scan) -> None:
    scanned()
    text = (lake.root / "lumos.yaml").read_text()
    (lake.root / "lumos.yaml").write_text(f"{text}environment: PROD\n")
    report = scanned()
    assert _looked(report) == 0
    assert report.counts["changed"] == 6


def test_a_scan_that_is_broken_off_need_not_begin_anew(
    lake: Place, scanned: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_files, "_A_JOB", 10)

    def progress(
        stage: ScanStage, done: int, total: int | None, pages: int = 0, *, note: str = ""
    ) -> None:
        if stage is ScanStage.READ and done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scanned(progress=progress)
    assert lake.snapshots() == {}
    assert 10 <= 30 - _looked(scanned()) < 30
    assert len(lake.snapshots()) == 6
