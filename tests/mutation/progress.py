"""How far a run has come, and how long it still takes."""

import sys
import time
from collections import Counter

from tests.mutation.mutants import Mutant
from tests.mutation.packages import Package
from tests.mutation.session import Result

EVERY = 10.0


class Progress:
    """Prints a line now and then, and each mutant that survives."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = self._said = time.monotonic()
        self._count: Counter[str] = Counter()

    def step(self, package: Package, mutant: Mutant, result: Result) -> None:
        """One more is done."""
        self._count[result.outcome] += 1
        if result.survived:
            self._say(f"survived: {mutant.path}:{mutant.line} {mutant.before}  →  {mutant.after}")
        done, now = self._count.total(), time.monotonic()
        if now - self._said < EVERY and done < self._total:
            return
        self._said = now
        left = (now - self._began) / done * (self._total - done)
        outcomes = ", ".join(f"{number} {name}" for name, number in sorted(self._count.items()))
        self._say(f"{done}/{self._total} ({package.name}): {outcomes}; {_minutes(left)} left")

    def _say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
