"""The page of what was verified: which group, on which commit, when, and what ran."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

PAGE = "docs/verified.md"
_HEAD = """\
# Verified components

Which systems this code was tested with, beyond `make test`, and on which commit. `make
test-components` runs the tests of `tests/components/` and rewrites this page: a row changes only
where all tests of its group passed on a commit.

| group | commit | date | what ran |
|---|---|---|---|
"""
_ROW = re.compile(
    r"^\| ([\w-]+) \| ([0-9a-f]{7,40}) \| (\d{4}-\d\d-\d\d) \| (.*) \|$", re.MULTILINE
)


class Row(NamedTuple):
    """A group that passed."""

    group: str
    commit: str
    date: str
    ran: str


def rows(text: str) -> dict[str, Row]:
    """The rows of a page, by group."""
    return {found[1]: Row(*found.groups()) for found in _ROW.finditer(text)}


def written(rows: Mapping[str, Row], known: Iterable[str]) -> str:
    """The page; groups that no longer exist are left out."""
    names = sorted(set(known) & set(rows))
    return _HEAD + "".join(f"| {' | '.join(rows[name])} |\n" for name in names)
