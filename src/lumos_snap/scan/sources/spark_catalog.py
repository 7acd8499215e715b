"""Spark catalogs: listing and description of the tables of a session."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.executors.error_codes import DAMAGED, UNREADABLE, VANISHED
from lumos_snap.scan.sources.catalog import (
    CatalogTable,
    LateError,
    Names,
    Wants,
    ask_each,
    ask_once,
    redact_credentials,
)
from lumos_snap.scan.sources.spark_tables import (
    Parts,
    describe_table,
    is_system,
    parse_name,
    quote_name,
)
from lumos_snap.scan.sources.table_logs import OpenFolder, read_named_table
from lumos_snap.scan.spark.pyspark_versions import condition
from lumos_snap.scan.spark.session import failures, summarize_error
from lumos_snap.scan.stores.store import BadFileError, Trouble

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


LISTING = 120.0
DESCRIBING = 60.0
"""Seconds until an answer of Spark, which may depend on a metastore."""
_AT_ONCE = 4
_MOST_LATE = 3
_ALL = "*"
_FLAT = "spark_catalog"
"""The catalog whose databases are not nested."""
_GONE = frozenset(("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"))
_STRANGE = (LookupError, TypeError, ValueError)
"""Exceptions raised for a description in an unknown form."""
_ASK = (
    "check the name with `SHOW DATABASES`, and that Spark reaches what is behind it; "
    "a whole catalog is written `CATALOG.*`"
)


class SparkCatalog(NamedTuple):
    """A selection of a session's tables; without a name, those of its current catalog."""

    name: str = ""
    databases: tuple[str, ...] = ()
    """Databases as Spark quotes them; empty for all."""

    @classmethod
    def at(cls, address: str) -> "SparkCatalog":
        """Parse `DATABASE`, `CATALOG.DATABASE` or `CATALOG.*`; empty for the current catalog."""
        if not address:
            return cls()
        *outer, last = parse_name(address)
        if not outer:
            return cls(databases=(quote_name((last,)),))
        if last == _ALL:
            outer_database = (quote_name(tuple(outer[1:])),) if outer[1:] else ()
            return cls(name=outer[0], databases=outer_database)
        return cls(name=outer[0], databases=(quote_name((*outer[1:], last)),))

    def on(self, spark: "SparkSession", open_folder: OpenFolder) -> "SparkTables":
        """Return the tables of a session, ready to be listed."""
        return SparkTables(spark, self, open_folder)


class SparkTables(NamedTuple):
    """The tables of one session."""

    spark: "SparkSession"
    catalog: SparkCatalog
    open_folder: OpenFolder

    def tables(self, wants: Wants) -> Iterator[CatalogTable | Trouble]:
        """Yield every selected table and view, database by database."""
        name = self.catalog.name or self._current()
        for database in self._databases(name):
            if isinstance(database, Trouble):
                yield database
                continue
            found = self._names(name, database)
            if isinstance(found, Trouble):
                yield found
            else:
                yield from self._described(name, [one for one in found if wants(one)])

    def _current(self) -> str:
        return str(self._rows("SELECT current_catalog()", "the current catalog")[0][0])

    def _databases(self, name: str) -> Iterator[Parts | Trouble]:
        """Yield the selected databases, each before its nested ones."""
        known = [parse_name(one) for one in self.catalog.databases]
        if not known:
            rows = self._rows(f"SHOW NAMESPACES IN {quote_name((name,))}", name)
            known = sorted(one for one in _parse_rows(rows) if not is_system(one))
        for database in dict.fromkeys(known):
            yield database
            if name != _FLAT:
                yield from self._inside(name, database)

    def _inside(self, name: str, database: Parts) -> Iterator[Parts | Trouble]:
        try:
            rows = self._rows(f"SHOW NAMESPACES IN {quote_name((name, *database))}", name)
        except OutsideError as exc:
            if not _is_unsupported(exc.__cause__):
                yield Trouble("/".join(database), UNREADABLE, exc.message, hides=True)
            return
        for inner in sorted(_parse_rows(rows)):
            if len(inner) > len(database):  # some catalogs have no nested ones, and list all
                yield inner
                yield from self._inside(name, inner)

    def _names(self, name: str, database: Parts) -> list[Names] | Trouble:
        """List the tables of a database, without temporary views."""
        asked = f"SHOW TABLES IN {quote_name((name, *database))}"
        try:
            rows = self._rows(asked, ".".join((name, *database)))
        except OutsideError as exc:
            if self.catalog.databases:
                raise
            return Trouble("/".join(database), UNREADABLE, exc.message, hides=True)
        return sorted(
            (*database, str(table)) for _, table, is_temporary in rows if not is_temporary
        )

    def _rows(self, asked: str, about: str) -> list[tuple[object, ...]]:
        """Return the rows of a query; raise `OutsideError` if it fails."""
        rows = ask_once(lambda: self.spark.sql(asked).collect(), LISTING)
        if isinstance(rows, BaseException):
            if not isinstance(rows, (*failures(), LateError)):
                raise rows
            words = redact_credentials(summarize_error(rows))
            raise OutsideError(f"Spark's catalog {about}: {words}", hint=_ASK) from rows
        return [tuple(row) for row in rows]

    def _described(self, name: str, tables: list[Names]) -> Iterator[CatalogTable | Trouble]:
        late = 0
        describe = partial(_describe_one, self.spark, self.open_folder, name)
        answers = ask_each(describe, tables, at_once=_AT_ONCE, seconds=DESCRIBING)
        for names, outcome in answers:
            if isinstance(outcome, CatalogTable):
                late = 0
                yield outcome
                continue
            late = late + 1 if isinstance(outcome, LateError) else 0
            if late == _MOST_LATE:
                raise OutsideError(f"Spark's catalog {name}: {outcome}", hint=_ASK) from outcome
            yield table_trouble(names, outcome)


def _parse_rows(rows: list[tuple[object, ...]]) -> list[Parts]:
    return [parse_name(str(row[0])) for row in rows]


def _is_unsupported(exc: BaseException | None) -> bool:
    """Whether a catalog does not support nested databases, and is not merely unreachable."""
    from pyspark.errors import AnalysisException, UnsupportedOperationException

    return isinstance(exc, (AnalysisException, UnsupportedOperationException))


def _describe_one(
    spark: "SparkSession", open_folder: OpenFolder, name: str, names: Names
) -> CatalogTable:
    found = describe_table(spark, names, quote_name((name, *names)))
    if isinstance(found, CatalogTable):
        return found
    return read_named_table(names, found.log, found.location, open_folder)


def table_trouble(names: Names, exc: BaseException) -> Trouble:
    """Build the trouble for a table that cannot be described."""
    if isinstance(exc, BadFileError):
        return Trouble("/".join(names), exc.reason, redact_credentials(exc.detail))
    if isinstance(exc, _STRANGE):
        return Trouble("/".join(names), DAMAGED, f"its description is strange: {exc!r}")
    if not isinstance(exc, (*failures(), LateError, LumosError)):
        raise exc
    reason = VANISHED if condition(exc) in _GONE else UNREADABLE
    return Trouble("/".join(names), reason, redact_credentials(summarize_error(exc)))
