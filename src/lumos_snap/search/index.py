"""The index itself: tables of SQLite, with FTS5 for the words and bm25 for their rank."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import OutsideError
from lumos_snap.search.document import FIELDS, WEIGHTS, IndexEntry
from lumos_snap.search.query import QueryWord
from lumos_snap.search.words import CLOSE, LINE, MARK, OPEN, name_of_line

if TYPE_CHECKING:
    import sqlite3


LAYOUT = 2
"""What an index must be made with: another one is made anew."""

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
"""  # nothing of a user is in it
_PLACES = ", ".join("?" * (len(FIELDS) + 3))
_PUT = "INSERT INTO file (folder, path, stamp, finding) VALUES (?, ?, ?, ?)"
_RANK = f"bm25(found, {', '.join(map(str, WEIGHTS))})"
# The best come first, and of equals the first path. Up to a number, files have their numbers in the
# order of paths: of those no path is looked up. Cards are fetched for what is shown only: they are
# long.
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
    """A file of a tree: the folder in whose listing it stands, its path, and its stamp."""

    folder: str
    path: str
    stamp: str

    @property
    def row(self) -> tuple[bytes, bytes, str]:
        """As the index keeps it: names may hold bytes that are not UTF-8."""
        return os.fsencode(self.folder), os.fsencode(self.path), self.stamp


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A file that was found: its place in the index, what is said of it, and its rank."""

    id: int
    path: str
    stamp: str
    card: bytes


class SearchIndex:
    """What is known of a tree's snapshots, by words."""

    def __init__(self, place: Path | None) -> None:
        """Open the index in a file, or make one in memory."""
        with ExitStack() as unless_whole:
            self._asked = unless_whole.enter_context(closing(connect(place)))
            if not self._asked.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                make_tables(self._asked)
            unless_whole.pop_all()

    def close(self) -> None:
        """Let go of the file."""
        self._asked.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """All changes together, or none of them."""
        self._asked.execute("BEGIN")
        with self._asked:  # commits, or undoes
            yield

    def folders(self) -> dict[str, str]:
        """The stamp of each folder, as it was when it was last listed."""
        return _by_path(self._asked.execute("SELECT path, stamp FROM folder"))

    def stamps(self, folder: str) -> dict[str, str]:
        """The stamp of each file of a folder, as it was when it was last read."""
        query = "SELECT path, stamp FROM file WHERE folder = ?"
        return _by_path(self._asked.execute(query, (os.fsencode(folder),)))

    def count(self) -> int:
        """How many files are known."""
        return _number(self._asked.execute("SELECT count(*) FROM file"))

    def findings(self) -> Iterator[tuple[str, bytes]]:
        """The files that were left out, and why, by path."""
        rows = self._asked.execute(
            "SELECT path, finding FROM file WHERE finding IS NOT NULL ORDER BY path"
        )
        return ((os.fsdecode(path), finding) for path, finding in rows)

    def set_folder(self, path: str, stamp: str) -> None:
        """Remember how a folder was when it was listed."""
        self._asked.execute("REPLACE INTO folder VALUES (?, ?)", (os.fsencode(path), stamp))

    def drop_folder(self, path: str) -> None:
        """Forget a folder that is gone, and its files."""
        self.drop(self.stamps(path))
        self._asked.execute("DELETE FROM folder WHERE path = ?", (os.fsencode(path),))

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files."""
        for path in map(os.fsencode, paths):
            for table, key in (("found", "rowid"), ("card", "id")):
                own = "SELECT id FROM file WHERE path = ?"
                self._asked.execute(f"DELETE FROM {table} WHERE {key} = ({own})", (path,))  # noqa: S608 - fixed text
            self._asked.execute("DELETE FROM file WHERE path = ?", (path,))

    def put(self, file: IndexedFile, card: bytes, entry: IndexEntry) -> None:
        """Remember a file, what is shown of it, and all that it is found by; it is not known."""
        number = self._asked.execute(_PUT, (*file.row, None)).lastrowid
        self._asked.execute("INSERT INTO card VALUES (?, ?)", (number, card))
        self._asked.execute(
            f"INSERT INTO found (rowid, {', '.join(FIELDS)}, whole, marks) VALUES ({_PLACES})",  # noqa: S608 - fixed text
            (number, *entry.texts, entry.whole, entry.marks),
        )

    def put_finding(self, file: IndexedFile, finding: bytes) -> None:
        """Remember a file that cannot be searched, and why; it is not known."""
        self._asked.execute(_PUT, (*file.row, finding))

    def settle(self, *, is_ordered: bool) -> None:
        """Merge what was put in many steps: that makes questions cheaper.

        `is_ordered` says that all files that are known were put in the order of their paths.
        """
        self._asked.execute("INSERT INTO found (found) VALUES ('optimize')")
        if is_ordered:
            last = _number(self._asked.execute("SELECT max(id) FROM file"))
            self._asked.execute(f"PRAGMA user_version = {last}")

    def total(self, expression: str) -> int:
        """How many files an expression finds."""
        return _number(
            self._asked.execute("SELECT count(*) FROM found WHERE found MATCH ?", (expression,))
        )

    def find(self, expression: str, limit: int) -> Iterator[IndexHit]:
        """What an expression finds, the best first; 0 is no limit."""
        ordered = _number(self._asked.execute("PRAGMA user_version"))
        rows = self._asked.execute(_FIND, (expression, limit or -1, ordered))
        return (IndexHit(number, os.fsdecode(path), *rest) for number, path, *rest in rows)

    def texts(self, met: IndexHit) -> tuple[str, ...]:
        """What is indexed of a file, for each of `FIELDS`."""
        query = f"SELECT {', '.join(FIELDS)} FROM found WHERE rowid = ?"  # noqa: S608 - fixed text
        return tuple(self._asked.execute(query, (met.id,)).fetchone())

    def is_known(self, word: QueryWord) -> bool:
        """Whether a word is found anywhere."""
        rows = self._asked.execute(
            "SELECT 1 FROM found WHERE found MATCH ? LIMIT 1", (word.expression,)
        )
        return rows.fetchone() is not None

    def like(self, start: str, shortest: int, longest: int, most: int) -> list[str]:
        """Words of the index that begin so and are about as long, the frequent ones first."""
        rows = self._asked.execute(
            "SELECT term FROM spelled WHERE term >= ?1 AND term < ?1 || ?2"
            " AND length(term) BETWEEN ?3 AND ?4 ORDER BY doc DESC, term LIMIT ?5",
            (start, MARK, shortest, longest, most),
        )
        return [term for (term,) in rows]


def make_tables(connection: "sqlite3.Connection", tables: str = _TABLES) -> None:
    """Make the tables of an index; says so where this SQLite cannot."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    try:
        connection.executescript(f"BEGIN; {tables} COMMIT;")
    except sqlite3.OperationalError as exc:
        if "no such module" not in str(exc):
            raise
        raise OutsideError(MISSING, hint="use a Python whose SQLite has it, as most do") from exc


def require_sqlite() -> None:
    """Say so where this Python cannot search at all."""
    try:
        import sqlite3  # noqa: F401, PLC0415 - some Pythons are built without it
    except ImportError as exc:
        raise OutsideError("this Python is built without SQLite", hint="use another one") from exc


def connect(place: Path | None) -> "sqlite3.Connection":
    """SQLite, with a file of an index or with memory."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    connection = sqlite3.connect(":memory:" if place is None else place, isolation_level=None)
    # A kill leaves a file that nobody takes for whole: no journal need lie on the disk.
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
"""By field, the names or words there in which something was found."""


def highlights(texts: Iterable[tuple[str, ...]], expression: str) -> list[Places]:
    """For each of some files, by its indexed texts, where an expression finds something."""
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
    """Up to three words of the index that are spelled nearly like another one.

    They begin as it does, or with its second letter: the first two may have changed places.
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
