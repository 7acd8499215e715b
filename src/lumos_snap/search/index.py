"""The search index: SQLite tables, with FTS5 for words and bm25 for ranking."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import OutsideError
from lumos_snap.search.document import (
    CLOSE,
    FIELDS,
    LINE,
    MARK,
    OPEN,
    WEIGHTS,
    IndexEntry,
    name_of_line,
)
from lumos_snap.search.query import QueryWord

if TYPE_CHECKING:
    import sqlite3


LAYOUT = 2
"""Version of the index layout; an index of another version is rebuilt."""

WORDS = """
CREATE VIRTUAL TABLE found USING fts5 (
    {fields}, whole, marks, tokenize = 'unicode61 remove_diacritics 2');
""".format(fields=", ".join(FIELDS))
_TABLES = f"""
CREATE TABLE folder (path BLOB PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, folder BLOB NOT NULL, path BLOB NOT NULL UNIQUE,
    stamp TEXT NOT NULL, finding BLOB);
CREATE TABLE card (id INTEGER PRIMARY KEY, says BLOB NOT NULL);
CREATE INDEX file_of_folder ON file (folder);
CREATE INDEX finding_of_file ON file (path) WHERE finding IS NOT NULL;
{WORDS}
CREATE VIRTUAL TABLE spelled USING fts5vocab (found, 'row');
"""  # contains no user input
_PLACES = ", ".join("?" * (len(FIELDS) + 3))
_PUT = "INSERT INTO file (folder, path, stamp, finding) VALUES (?, ?, ?, ?)"
_RANK = f"bm25(found, {', '.join(map(str, WEIGHTS))})"
# Best hits first, equal ones by path. Up to ?3, row numbers are in the order of paths, so that no
# path need be looked up for sorting. Cards are long, and are fetched only for the hits that are
# shown.
_FIND = f"""
SELECT best.id, path, stamp, says FROM (
    SELECT * FROM (
        SELECT rowid AS id, {_RANK} AS score FROM found
        WHERE found MATCH ?1 AND rowid <= ?3 ORDER BY score, rowid LIMIT ?2)
    UNION ALL
    SELECT * FROM (
        SELECT file.id, {_RANK} AS score FROM found JOIN file ON file.id = found.rowid
        WHERE found MATCH ?1 AND found.rowid > ?3 ORDER BY score, path LIMIT ?2)
) AS best JOIN file ON file.id = best.id JOIN card ON card.id = best.id
ORDER BY score, path LIMIT ?2
"""  # noqa: S608 - fixed text
MISSING = "the SQLite of this Python has no full-text search (FTS5)"


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of a tree: the folder that lists it, its path, and its stamp."""

    folder: str
    path: str
    stamp: str

    @property
    def row(self) -> tuple[bytes, bytes, str]:
        """The row in the index: names may contain bytes that are not UTF-8."""
        return os.fsencode(self.folder), os.fsencode(self.path), self.stamp


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A file that was found: its row, its stamp, and its card."""

    id: int
    path: str
    stamp: str
    card: bytes


class SearchIndex:
    """Full-text index of a tree's snapshots."""

    def __init__(self, place: Path | None) -> None:
        """Open the index in a file, or create one in memory."""
        with ExitStack() as unless_whole:
            self._asked = unless_whole.enter_context(closing(connect(place)))
            if not self._asked.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                make_tables(self._asked)
            unless_whole.pop_all()

    def close(self) -> None:
        """Close the database."""
        self._asked.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Group changes in a transaction."""
        self._asked.execute("BEGIN")
        with self._asked:  # commits or rolls back
            yield

    def folders(self) -> dict[str, str]:
        """The stamp of each folder when it was last listed."""
        return _by_path(self._asked.execute("SELECT path, stamp FROM folder"))

    def stamps(self, folder: str) -> dict[str, str]:
        """The stamp of each file in a folder when it was last read."""
        query = "SELECT path, stamp FROM file WHERE folder = ?"
        return _by_path(self._asked.execute(query, (os.fsencode(folder),)))

    def count(self) -> int:
        """Number of indexed files."""
        return _number(self._asked.execute("SELECT count(*) FROM file"))

    def findings(self) -> Iterator[tuple[str, bytes]]:
        """Findings of files that cannot be searched, by path."""
        rows = self._asked.execute(
            "SELECT path, finding FROM file WHERE finding IS NOT NULL ORDER BY path"
        )
        return ((os.fsdecode(path), finding) for path, finding in rows)

    def set_folder(self, path: str, stamp: str) -> None:
        """Store the stamp of a listed folder."""
        self._asked.execute("REPLACE INTO folder VALUES (?, ?)", (os.fsencode(path), stamp))

    def drop_folder(self, path: str) -> None:
        """Remove a folder and its files from the index."""
        self.drop(self.stamps(path))
        self._asked.execute("DELETE FROM folder WHERE path = ?", (os.fsencode(path),))

    def drop(self, paths: Iterable[str]) -> None:
        """Remove files from the index."""
        for path in map(os.fsencode, paths):
            for table, key in (("found", "rowid"), ("card", "id")):
                own = "SELECT id FROM file WHERE path = ?"
                self._asked.execute(f"DELETE FROM {table} WHERE {key} = ({own})", (path,))  # noqa: S608 - fixed text
            self._asked.execute("DELETE FROM file WHERE path = ?", (path,))

    def put(self, file: IndexedFile, card: bytes, entry: IndexEntry) -> None:
        """Add a new file with its card and its searchable text."""
        number = self._asked.execute(_PUT, (*file.row, None)).lastrowid
        self._asked.execute("INSERT INTO card VALUES (?, ?)", (number, card))
        self._asked.execute(
            f"INSERT INTO found (rowid, {', '.join(FIELDS)}, whole, marks) VALUES ({_PLACES})",  # noqa: S608 - fixed text
            (number, *entry.texts, entry.whole, entry.marks),
        )

    def put_finding(self, file: IndexedFile, finding: bytes) -> None:
        """Add a new file that cannot be searched, with its finding."""
        self._asked.execute(_PUT, (*file.row, finding))

    def settle(self, *, is_ordered: bool) -> None:
        """Optimize the index after many inserts, for faster queries.

        `is_ordered` tells that all files were inserted in the order of their paths.
        """
        self._asked.execute("INSERT INTO found (found) VALUES ('optimize')")
        if is_ordered:
            last = _number(self._asked.execute("SELECT max(id) FROM file"))
            self._asked.execute(f"PRAGMA user_version = {last}")

    def total(self, expression: str) -> int:
        """Number of files that match an expression."""
        return _number(
            self._asked.execute("SELECT count(*) FROM found WHERE found MATCH ?", (expression,))
        )

    def find(self, expression: str, limit: int) -> Iterator[IndexHit]:
        """Find files that match an expression, best first; a limit of 0 means no limit."""
        ordered = _number(self._asked.execute("PRAGMA user_version"))
        rows = self._asked.execute(_FIND, (expression, limit or -1, ordered))
        return (IndexHit(number, os.fsdecode(path), *rest) for number, path, *rest in rows)

    def texts(self, met: IndexHit) -> tuple[str, ...]:
        """The indexed text of a file, for each of `FIELDS`."""
        query = f"SELECT {', '.join(FIELDS)} FROM found WHERE rowid = ?"  # noqa: S608 - fixed text
        return tuple(self._asked.execute(query, (met.id,)).fetchone())

    def is_known(self, word: QueryWord) -> bool:
        """Whether any file matches a word."""
        rows = self._asked.execute(
            "SELECT 1 FROM found WHERE found MATCH ? LIMIT 1", (word.expression,)
        )
        return rows.fetchone() is not None

    def like(self, start: str, shortest: int, longest: int, most: int) -> list[str]:
        """Words of the index with a prefix and a length in a range, frequent ones first."""
        rows = self._asked.execute(
            "SELECT term FROM spelled WHERE term >= ?1 AND term < ?1 || ?2"
            " AND length(term) BETWEEN ?3 AND ?4 ORDER BY doc DESC, term LIMIT ?5",
            (start, MARK, shortest, longest, most),
        )
        return [term for (term,) in rows]


def make_tables(connection: "sqlite3.Connection", tables: str = _TABLES) -> None:
    """Create the tables of an index; raises where this SQLite lacks FTS5."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    try:
        connection.executescript(f"BEGIN; {tables} COMMIT;")
    except sqlite3.OperationalError as exc:
        if "no such module" not in str(exc):
            raise
        raise OutsideError(MISSING, hint="use a Python whose SQLite has it, as most do") from exc


def require_sqlite() -> None:
    """Raise where this Python has no SQLite."""
    try:
        import sqlite3  # noqa: F401, PLC0415 - some Pythons are built without it
    except ImportError as exc:
        raise OutsideError("this Python is built without SQLite", hint="use another one") from exc


def connect(place: Path | None) -> "sqlite3.Connection":
    """Open SQLite with an index file, or in memory."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    connection = sqlite3.connect(":memory:" if place is None else place, isolation_level=None)
    # An index of a killed process lacks its seal and is rebuilt: no journal on disk is needed.
    with ExitStack() as unless_set:
        unless_set.enter_context(closing(connection))
        for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "cache_size = -65536"):
            connection.execute(f"PRAGMA {pragma}")
        unless_set.pop_all()
    return connection


def _by_path(rows: "sqlite3.Cursor") -> dict[str, str]:
    return {os.fsdecode(path): stamp for path, stamp in rows}


def _number(rows: "sqlite3.Cursor") -> int:
    (number,) = rows.fetchone()
    return int(number)


_MARKED = ", ".join(
    f"highlight(found, {number}, '{OPEN}', '{CLOSE}')" for number in range(len(FIELDS))
)
_INSERT = f"INSERT INTO found (rowid, {', '.join(FIELDS)}) VALUES (?{', ?' * len(FIELDS)})"  # noqa: S608 - fixed text
_SELECT = f"SELECT rowid, {_MARKED} FROM found WHERE found MATCH ?"  # noqa: S608 - fixed text

Places = Mapping[str, tuple[str, ...]]
"""By field, the names or texts with a match."""


def highlights(texts: Iterable[tuple[str, ...]], expression: str) -> list[Places]:
    """Find the matches of an expression in the indexed texts of files."""
    with closing(connect(None)) as connection:
        connection.executescript(WORDS)
        rows = [(number, *fields) for number, fields in enumerate(texts)]
        connection.executemany(_INSERT, rows)
        found: list[Places] = [{} for _ in rows]
        for number, *marked in connection.execute(_SELECT, (expression,)):
            found[number] = {
                name: tuple(_bare(line) for line in text.split(LINE) if OPEN in line)
                for name, text in zip(FIELDS, marked, strict=True)
                if OPEN in text
            }
    return found


def _bare(line: str) -> str:
    return name_of_line(line.replace(OPEN, "").replace(CLOSE, ""))


_MOST = 3
_CANDIDATES = 4_000
_LONGEST = 64
_ALIKE = 0.7


def suggest_words(index: SearchIndex, word: str) -> tuple[str, ...]:
    """Up to three words of the index with a similar spelling.

    They share the first or the second letter, because the first two may be transposed.
    """
    plain = re.sub(r"[\W_]+", "", word).casefold()[:_LONGEST]
    shortest, longest = len(plain) - 3, len(plain) + 8
    candidates = [
        term
        for start in dict.fromkeys(plain[:2])
        for term in index.like(start, shortest, longest, _CANDIDATES)
        if term != word.casefold()
    ]
    import difflib  # noqa: PLC0415 - only where nothing was found

    return tuple(difflib.get_close_matches(plain, candidates, n=_MOST, cutoff=_ALIKE))
