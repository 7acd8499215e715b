"""Everything that a listing has met, sorted by path, however much it is and in whatever order.

What fits is sorted in memory; beyond that, sorted runs lie in files and are merged as they are
read. A listing that comes sorted already makes a single run.
"""

import heapq
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.scan.lines import lines_in, opened

_IN_MEMORY = 100_000  # lines, of which each takes some 300 bytes


@dataclass(slots=True)
class Roll:
    """Lines, put in one by one and read back sorted."""

    folder: Path
    """Where what is too much for memory goes."""
    in_memory: int = _IN_MEMORY
    count: int = 0
    _lines: list[str] = field(default_factory=list)
    _runs: list[Path] = field(default_factory=list)
    _last: str = ""

    def add(self, line: str) -> None:
        """Put a line in."""
        self._lines.append(line)
        self.count += 1
        if len(self._lines) >= self.in_memory:
            self._put_down()

    def _put_down(self) -> None:
        self._lines.sort()
        if not self._runs or self._lines[0] < self._last:
            self._runs.append(self.folder / f"run-{len(self._runs)}")
        with opened(self._runs[-1], "a") as file:
            file.writelines(f"{line}\n" for line in self._lines)
        self._last = self._lines[-1]
        self._lines.clear()

    def sorted(self) -> Iterator[str]:
        """All lines, by path."""
        self._lines.sort()
        with ExitStack() as stack:
            runs = [lines_in(stack.enter_context(opened(run, "r"))) for run in self._runs]
            yield from heapq.merge(*runs, self._lines) if runs else self._lines
