"""Where in what was found the words are: asked of a table that holds nothing else.

To ask the whole index of each file that is shown would be to search it as often.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing

from lumos_snap.search.entry import FIELDS
from lumos_snap.search.index import WORDS, connected
from lumos_snap.search.text import CLOSE, LINE, OPEN, stated

_MARKED = ", ".join(
    f"highlight(found, {number}, '{OPEN}', '{CLOSE}')" for number in range(len(FIELDS))
)
_INSERT = f"INSERT INTO found (rowid, {', '.join(FIELDS)}) VALUES (?{', ?' * len(FIELDS)})"  # noqa: S608 - fixed text
_SELECT = f"SELECT rowid, {_MARKED} FROM found WHERE found MATCH ?"  # noqa: S608 - fixed text

Places = Mapping[str, tuple[str, ...]]
"""By field, the names or words there in which something was found."""


def highlights(texts: Iterable[tuple[str, ...]], expression: str) -> list[Places]:
    """For each of some files, by its indexed texts, where an expression finds something."""
    with closing(connected(None)) as connection:
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
    return stated(line.replace(OPEN, "").replace(CLOSE, ""))
