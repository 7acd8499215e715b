"""Where a scan of a log says something else than the engine that wrote it, and why."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from tests.scan.tables.engine_facts import IN_SPARK, Said, of_engine, of_scan


class Difference(NamedTuple):
    """Facts of some tables that differ for a reason; `*` stands for anything."""

    kind: str
    table: str
    fact: str
    why: str

    def covers(self, kind: str, table: str, fact: str) -> bool:
        """Whether a fact may differ."""
        return kind == self.kind and fnmatchcase(table, self.table) and fnmatchcase(fact, self.fact)


class Compared(NamedTuple):
    """A fact, as an engine states it and as a scan finds it."""

    kind: str
    table: str
    fact: str
    engine: object
    scan: object

    @property
    def is_same(self) -> bool:
        """Whether both say the same."""
        return self.engine == self.scan

    @property
    def column(self) -> str | None:
        """The column whose type, nullability or id it is, in the words of the format."""
        end = next((end for end in _OF_COLUMNS if self.fact.endswith(end)), None)
        if end is None or self.fact.startswith(IN_SPARK):
            return None
        return self.fact.removesuffix(end)


_OF_COLUMNS = (" type", " nullable", " id")


DIFFERENCES = (
    Difference(
        "delta", "*", "property delta.columnMapping.maxColumnId",
        "Delta counts up; it means nothing to readers, and would be news with each column",
    ),
    Difference(
        "delta", "row_tracking", "property delta.rowTracking.materialized*",
        "Delta invents random names; readers of columns never see them",
    ),
    Difference(
        "delta", "properties", "property team",
        "Delta keeps what people invent; a scan takes the settings that Delta knows",
    ),
    Difference(
        "delta", "identity", "* property delta.identity.highWaterMark",
        "Delta keeps the last value there: it is data, and changes with each write",
    ),
    Difference(
        "iceberg", "*", "property owner",
        "Spark writes down who made the table; a scan takes the settings of reads and writes",
    ),
    Difference(
        "iceberg", "hadoop/properties", "property commit.retry.num-retries",
        "Iceberg keeps it for writers; it does not describe data",
    ),
    Difference(
        "iceberg", "hadoop/files_added", "property schema.name-mapping.default",
        "Iceberg keeps ids for files that were written without: they are in the schema anyhow",
    ),
    Difference(
        "iceberg", "hadoop/deletes_*", "rows",
        "Spark reads the deletes; which rows they hit is not in the log, so a scan says nothing",
    ),
    Difference(
        "iceberg", "hadoop/types_of_the_api", "spark: * type",
        "Spark shows uuid as a string and fixed as binary, because it has no such types",
    ),
    Difference(
        "hudi", "evolved_on_read", "spark: s.a comment",
        "Spark's own catalog does not hear of a comment inside; Hudi's schema has it",
    ),
    Difference(
        "hudi", "partitioned_by_times", "spark: ts type",
        "Spark shows the text in the name of the folder; Hudi's own schema has the stored number",
    ),
    Difference(
        "hudi", "without_meta_columns", "spark: *",
        "Spark shows Hudi's five columns in each table, without values where they are not stored",
    ),
)  # fmt: skip


def compared(kind: str, table: str, folder: Path, said: Said) -> Iterator[Compared]:
    """Every fact that an engine states of a table, beside what a scan of its folder finds."""
    scanned = of_scan(kind, folder)
    for fact, value in of_engine(kind, said).items():
        yield Compared(kind, table, fact, value, scanned.get(fact))


def tables(said: Mapping[str, Said]) -> Iterator[tuple[str, Said]]:
    """Tables by name: a view has no data, and no such log."""
    return ((name, one) for name, one in said.items() if one.get("kind") != "view")


def reasons(one: Compared) -> tuple[Difference, ...]:
    """The rows that allow a fact to differ."""
    return tuple(row for row in DIFFERENCES if row.covers(one.kind, one.table, one.fact))
