"""What pytest reports becomes a line, and a verdict."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.components.result import Result, read

PASSES = "def test_{0}(): pass\n"
FAILS = "def test_{0}(): assert not '{0}'\n"
SKIPS = "import pytest\ndef test_{0}(): pytest.skip('not here')\n"
BREAKS = "import pytest\n@pytest.fixture\ndef no_{0}(): raise OSError\ndef test_{0}(no_{0}): pass\n"


@pytest.mark.parametrize(
    ("tests", "line", "is_verified"),
    [
        ((PASSES, PASSES), "2 passed in 7 s", True),
        ((PASSES, SKIPS), "1 passed, 1 skipped in 7 s", True),
        ((PASSES, FAILS), "1 passed, 1 failed in 7 s", False),
        ((PASSES, BREAKS), "1 passed, 1 failed in 7 s", False),
        ((SKIPS,), "1 skipped in 7 s", False),
        ((), "no tests in 7 s", False),
    ],
)
def test_counts(tmp_path: Path, tests: tuple[str, ...], line: str, is_verified: bool) -> None:
    source = "".join(one.format(f"n{number}") for number, one in enumerate(tests))
    (tmp_path / "test_it.py").write_text(source)
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--rootdir={tmp_path}", "-c", "/dev/null", f"--junit-xml={report}", tmp_path],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert report.exists(), done.stdout
    found = read(report, seconds=7.1, is_cut_off=False)
    assert (str(found), found.is_verified) == (line, is_verified)


def test_where_pytest_itself_ends_early_nothing_is_verified(tmp_path: Path) -> None:
    found = read(tmp_path / "missing.xml", seconds=1, is_cut_off=False)
    assert found.failed
    assert not found.is_verified


def test_what_is_cut_off_is_neither_a_failure_nor_verified() -> None:
    found = Result(3, 0, 0, 600.4, is_cut_off=True)
    assert str(found) == "3 passed in 600 s, then cut off"
    assert not found.is_verified
    assert not read(Path("/nowhere"), seconds=600, is_cut_off=True).failed
