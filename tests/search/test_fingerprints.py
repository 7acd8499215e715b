"""Stamps of files: they tell that a file is as it was, and only once its times are sure to move."""

import os
from pathlib import Path

import pytest

from lumos_snap.search.fingerprints import build_stamper, stamp_of
from lumos_snap.tree.folder import FolderFiles

SECOND = 1_000_000_000
LONG_AGO = SECOND * SECOND
HOUR = 3600 * SECOND


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.json"
    made.write_text("some")
    return made


def stamp(file: Path, now: int) -> str:
    return stamp_of(FolderFiles(file.parent), file.name, build_stamper(now))


@pytest.mark.parametrize(
    ("later", "is_stamped"),
    [(-SECOND, False), (0, False), (2 * SECOND - 1, False), (2 * SECOND, True), (HOUR, True)],
)
@pytest.mark.parametrize("modified", [-LONG_AGO, -SECOND, 0, HOUR])
def test_a_file_has_a_stamp_two_seconds_after_its_latest_time(
    file: Path, modified: int, later: int, *, is_stamped: bool
) -> None:
    """A copy may bring its time of modification with it; a clock may have been wrong."""
    created = file.stat().st_ctime_ns
    os.utime(file, ns=(created, created + modified))
    status = file.stat()
    latest = max(status.st_ctime_ns, status.st_mtime_ns)
    assert bool(stamp(file, latest + later)) == is_stamped


def test_a_stamp_changes_with_the_size_the_times_and_the_file_itself(file: Path) -> None:
    now = file.stat().st_ctime_ns + HOUR
    before = stamp(file, now)
    assert before == stamp(file, now + HOUR)
    times = file.stat()
    file.write_text("more of it")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    larger = stamp(file, now)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns - 1))
    older = stamp(file, now)
    copy = file.with_name("copy")
    copy.write_text("more of it")
    copy.replace(file)
    assert len({before, larger, older, stamp(file, now)}) == 4


def test_what_is_not_there_has_none(file: Path) -> None:
    now = file.stat().st_ctime_ns + HOUR
    file.unlink()
    assert stamp(file, now) == ""
