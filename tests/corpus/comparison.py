"""What the product and two independent readers say of each file, with reasons for differences."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from tests.corpus.leaves import (
    Leaf,
    read_ours,
    read_with_avro,
    read_with_duckdb,
    read_with_fastavro,
    read_with_polars,
    read_with_pyarrow,
)
from tests.corpus.writers import CorpusFile

Read = Callable[[Path], list[Leaf]]

READERS: Mapping[str, Mapping[str, Read]] = {
    "parquet": {"pyarrow": read_with_pyarrow, "duckdb": read_with_duckdb},
    "orc": {"pyarrow": read_with_pyarrow},  # and Spark, where a session is given
    "avro": {"fastavro": read_with_fastavro, "avro": read_with_avro},
    "arrow": {"pyarrow": read_with_pyarrow, "polars": read_with_polars},
}

_TIME = r"TIME(?:STAMP)?"
REASONS: tuple[tuple[str, str, str, str], ...] = (
    ("duckdb", r"FIXED\(\d+\)", "BINARY", "DuckDB has no bytes of a fixed length"),
    ("duckdb", "FLOAT16", "FLOAT32", "DuckDB has no halves"),
    ("duckdb", r"TIME\(ms\)", r"TIME\(us\)", "DuckDB widens milliseconds"),
    ("duckdb", r"TIMESTAMP\(ms(.*)\)", r"TIMESTAMP\(us\1\)", "DuckDB widens milliseconds"),
    ("duckdb", r"TIMESTAMP\(ns.*", r"TIMESTAMP\(us\)", "INT96: DuckDB reads microseconds"),
    (
        "pyarrow", r"TIMESTAMP\((.*), UTC\)", r"TIMESTAMP\(\1, .+\)",
        "Arrow's note beside the columns names a zone; files of Parquet hold instants",
    ),
    (
        "pyarrow", r"TIMESTAMP\(ns, UTC\)", r"TIMESTAMP\(ns\)",
        "INT96 has no zone; Arrow's note beside the columns has one",
    ),
    ("polars", r"FIXED\(\d+\)", "BINARY", "polars has no bytes of a fixed length"),
    ("polars", r"TIME\(\w+\)", r"TIME\(ns\)", "polars has one time of day"),
    (
        "polars", r"TIMESTAMP\((\w+), \+02:00\)", r"TIMESTAMP\(\1, Etc/GMT-2\)",
        "polars calls the offset by a name",
    ),
    ("polars", r"TIMESTAMP\(s(.*)\)", r"TIMESTAMP\(ms\1\)", "polars widens seconds"),
    (
        "avro", rf"{_TIME}.*", "INT64",
        "the package `avro` does not know the logical types for local times",
    ),
    (
        "spark", r"TIMESTAMP\(ns.*", r"TIMESTAMP\(us, UTC\)",
        "Spark has microseconds, and takes ORC's local times for instants",
    ),
    ("pyarrow", r"TIMESTAMP\(us\)", "INT64", "Spark notes its timestamp_ntz beside ORC's long"),
)  # fmt: skip
"""Reader, what the product says, what the reader says, and why both are right."""


@dataclass(slots=True)
class Outcome:
    """Counts of a whole corpus."""

    files: int = 0
    columns: int = 0
    explained: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By reader and reason."""
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Files that a reader does not read, by reader and error."""
    wrong: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of columns in which the readers agree with the product, in percent."""
        return 100 * (1 - len(self.wrong) / self.columns)

    def lines(self) -> Iterable[str]:
        """Describe the outcome."""
        agree = f"{self.share:.3f} % agree"
        yield f"{self.files} files, {self.columns} comparisons of a column: {agree}"
        for (reader, reason), count in sorted(self.explained.items()):
            yield f"  {count:6} {reader}: {reason}"
        for (reader, error), count in sorted(self.refused.items()):
            yield f"  {count:6} files that {reader} refuses: {error}"
        yield from (f"  WRONG {one}" for one in self.wrong)


def compare_file(
    made: CorpusFile, outcome: Outcome, more: Mapping[str, Read] | None = None
) -> None:
    """Compare what is said of one file."""
    outcome.files += 1
    ours = read_ours(made.path)
    for reader, read in {**READERS[made.format], **(more or {})}.items():
        try:
            theirs = read(made.path)
        except Exception as exc:  # noqa: BLE001 - whatever another reader raises
            outcome.refused[reader, f"{type(exc).__name__}: {str(exc).splitlines()[0][:80]}"] += 1
            continue
        outcome.columns += max(len(ours), len(theirs))
        if reader == "spark" and any("`" in path for path, _ in ours):
            outcome.explained[reader, "Spark drops backticks of names in ORC files"] += 1
            theirs = _with_backticks(ours, theirs)
        if [path for path, _ in ours] != [path for path, _ in theirs]:
            first = next(
                pair
                for pair in zip_longest(ours, theirs)
                if pair[0] is None or pair[1] is None or pair[0][0] != pair[1][0]
            )
            outcome.wrong.append(f"{made.path.name} ({made.made}): {first} for {reader}")
            continue
        for (path, said), (_, other) in zip(ours, theirs, strict=True):
            if said != other:
                _explain(outcome, reader, said, other, f"{made.path.name} ({made.made}): {path}")


def _with_backticks(ours: list[Leaf], theirs: list[Leaf]) -> list[Leaf]:
    """Restore the backticks of names that differ in nothing else."""
    bare = {path.replace("`", ""): path for path, _ in ours}
    return [(bare.get(path, path), kind) for path, kind in theirs]


def _explain(outcome: Outcome, reader: str, said: str, other: str, where: str) -> None:
    for who, mine, theirs, reason in REASONS:
        found = re.fullmatch(mine, said) if who == reader else None
        if found and re.fullmatch(_fill(theirs, found), other):
            outcome.explained[reader, reason] += 1
            return
    outcome.wrong.append(f"{where}: {said}, and {other} for {reader}")


def _fill(pattern: str, found: re.Match[str]) -> str:
    return pattern.replace(r"\1", re.escape(found[1])) if r"\1" in pattern else pattern
