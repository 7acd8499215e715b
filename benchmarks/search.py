"""How long a search takes in a large tree whose index is there, above what any search takes.

    python -m benchmarks.search

prints each question with its times, in a tree of 100,000 snapshots.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import lake

DATASETS = 100_000
ROUNDS = 9
EVERYWHERE = "a word of every dataset, each of which is ranked"
QUESTIONS = {
    "one dataset": ["table_4711"],
    "the beginning of a word": ["table_47"],
    "two fields and a filter": ["owner:team-7", "urn:topic17", "--tag", "tier-1"],
    "nothing, with suggestions": ["evnets"],
    EVERYWHERE: ["events"],
}
_SETTLED = 3.0
"""Seconds after which what was written is not looked at again."""


@dataclass(frozen=True)
class Asked:
    """One question, and the seconds that it takes above start-up."""

    what: str
    seconds: float


def questions(lumos: str) -> Iterator[Asked]:
    """Each question, asked of a tree of 100,000 and of a tree of one dataset in turn."""
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as name:
        small, large = Path(name) / "small", Path(name) / "large"
        for folder, datasets in ((small, 1), (large, DATASETS)):
            folder.mkdir()
            lake.build(folder, datasets)
        time.sleep(_SETTLED)
        for folder in (small, large):
            _seconds(lumos, folder, ["nothing"])  # makes the index
        for what, words in QUESTIONS.items():
            yield Asked(what, _above_start(lumos, small, large, words))


def _above_start(lumos: str, small: Path, large: Path, words: list[str]) -> float:
    """What the size of a tree costs a question: medians of runs in turn."""
    times: dict[Path, list[float]] = {small: [], large: []}
    for number in range(ROUNDS + 1):
        for folder in (small, large):
            spent = _seconds(lumos, folder, words)
            if number:  # the first round looks at every file, and fills caches
                times[folder].append(spent)
    return statistics.median(times[large]) - statistics.median(times[small])


def _seconds(lumos: str, folder: Path, words: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [lumos, "snap", "search", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    for asked in questions(str(Path(sys.executable).parent / "lumos")):
        print(f"{asked.seconds * 1000:6.0f} ms  {asked.what}", flush=True)
