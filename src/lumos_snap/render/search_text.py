"""Search results as plain text."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from lumos_snap.render.plain_text import count, finding_line, table

if TYPE_CHECKING:  # importing the report classes takes time
    from lumos_snap.report.command_reports import Hit, Match, SearchReport

_FEW = 10
_MOST_NAMES = 3
_WIDEST = 48
_SILENT = frozenset({"urn", "platform"})
"""Fields that the first column shows already."""


def search_lines(report: "SearchReport") -> Iterator[str]:
    """A table of matches, the best first, with remarks."""
    if report.hits:
        yield from table(_columns(report))
    yield from _finding_lines(report)
    yield from report.remarks
    yield from _closing(report)


def _columns(report: "SearchReport") -> Iterator[tuple[str, ...]]:
    """The rows of the table, without empty columns."""
    rows = [
        ("DATASET", "QUALITY", "OWNERS", "TAGS", "DOMAIN", "FOUND IN"),
        *map(_row, report.hits),
    ]
    said = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells[1:])]
    return (tuple(row[number] or "-" for number in said) for row in rows)


def _row(hit: "Hit") -> tuple[str, ...]:
    return (
        hit.urn.removeprefix("lumos://"),
        hit.quality or "",
        ", ".join(hit.owners),
        ", ".join(hit.tags),
        hit.domain or "",
        _format_matches(hit.matches),
    )


def _format_matches(matches: "tuple[Match, ...]") -> str:
    """`name; column id, amount; words: Order value in euro`."""
    parts = []
    for name, held in groupby(matches, key=attrgetter("field")):
        texts = [match.text for match in held]
        if name == "words":
            parts.append(f"words: {_cut(texts[0])}")
        elif name == "name":
            parts.append("name")
        elif name not in _SILENT:
            more = ", …" if len(texts) > _MOST_NAMES else ""
            parts.append(f"{name} {', '.join(map(_cut, texts[:_MOST_NAMES]))}{more}")
    return "; ".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1].rstrip() + "…"


def _finding_lines(report: "SearchReport") -> Iterator[str]:
    for finding in report.findings[:_FEW]:
        yield f"left out: {finding_line(finding)}"
    if len(report.findings) > _FEW:
        more = count(len(report.findings) - _FEW, "more file")
        yield f"… and {more}: `lumos snap validate` names them all"


def _closing(report: "SearchReport") -> Iterator[str]:
    for suggestion in report.suggestions:
        meant = f": did you mean {' or '.join(suggestion.like)}?" if suggestion.like else ""
        yield f"`{_cut(suggestion.word)}` is not found{meant}"
    if not report.total:
        yield f"no dataset found in {report.source}"
    elif report.total > len(report.hits):
        shown = f"the best {len(report.hits):,} are shown"
        yield f"{count(report.total, 'dataset')} found in {report.source}: {shown}"
    else:
        yield f"{count(report.total, 'dataset')} found in {report.source}"
