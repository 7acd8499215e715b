"""How the tests of a group ended, in the words of a line."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple


class Result(NamedTuple):
    """Counts of tests, and how long they took."""

    passed: int
    failed: int
    skipped: int
    seconds: float
    is_cut_off: bool = False

    @property
    def is_verified(self) -> bool:
        """Whether everything that could run passed, and something could."""
        return bool(self.passed) and not self.failed and not self.is_cut_off

    def __str__(self) -> str:
        counts = {"passed": self.passed, "failed": self.failed, "skipped": self.skipped}
        said = [f"{count} {name}" for name, count in counts.items() if count] or ["no tests"]
        end = ", then cut off" if self.is_cut_off else ""
        return f"{', '.join(said)} in {self.seconds:.0f} s{end}"


def read(report: Path, *, seconds: float, is_cut_off: bool) -> Result:
    """What the report of pytest counts; nothing has passed where there is none."""
    if not report.exists():
        return Result(0, 0 if is_cut_off else 1, 0, seconds, is_cut_off)
    suites = ET.parse(report).getroot().iter("testsuite")  # noqa: S314 - written by pytest
    tests = failed = skipped = 0
    for suite in suites:
        tests += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    return Result(max(tests - failed - skipped, 0), failed, skipped, seconds, is_cut_off)
