"""The tables of an engine as a script of SQL: a heading for each, then its statements."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_HEADING = re.compile(r"^-- (table|view) (\S+)(?: (\w+))?$", re.MULTILINE)
_SET = re.compile(r"SET (\S+) = ")
_BRACED = re.compile(r"\{([\w/]+)\}")


class Table(NamedTuple):
    """A table, and how it is made."""

    name: str
    kind: str
    function: str | None
    """It creates the table, where SQL cannot."""
    statements: tuple[str, ...]

    @property
    def settings(self) -> frozenset[str]:
        """What its statements set."""
        found = map(_SET.match, self.statements)
        return frozenset(one[1] for one in found if one)

    def written(self, words: Mapping[str, str]) -> Iterator[str]:
        """Its statements, with names in them."""
        for one in self.statements:
            yield _BRACED.sub(lambda found: words.get(found[1], found[0]), one)


def read(path: Path) -> tuple[Table, ...]:
    """The tables of a script, in its order."""
    _, *parts = _HEADING.split(path.read_text())
    rows = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return tuple(
        Table(name, kind, function, tuple(_statements(text))) for kind, name, function, text in rows
    )


def _statements(text: str) -> Iterator[str]:
    for one in text.split(";\n"):
        if one.strip():
            yield one.strip()
