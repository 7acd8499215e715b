"""A verification as plain text: a table of counts, the differences, and a summary."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from lumos_snap.render.plain_text import count, table
from lumos_snap.render.sync_text import change, document_name

if TYPE_CHECKING:
    from lumos_snap.report.verify import NamedDocument, VerifyReport

T = TypeVar("T")


def verify_lines(report: "VerifyReport", *, limit: int = 100) -> Iterator[str]:
    """The counts of both sides, and the differences."""
    rows = [(one.what, f"{one.source:,}", f"{one.target:,}") for one in report.counts]
    yield from table([("", report.source, report.target), *rows])
    yield from _documents(report, limit)
    yield from _limit_lines([*_beside(report)], limit)
    yield _sum(report)


def _documents(report: "VerifyReport", limit: int) -> Iterator[str]:
    yield from _limit_lines([f"- {_name(one)}  is missing" for one in report.missing], limit)
    yield from _limit_lines([f"+ {_name(one)}  is additional" for one in report.additional], limit)
    for one in report.different[: limit or None]:
        yield f"~ {_name(one)}  differs"
        yield from map(change, one.changes)
    yield from _more(report.different, limit)


def _beside(report: "VerifyReport") -> Iterator[str]:
    """Unsupported parts, dangling references and unreadable documents, which are no differences."""
    names = {"source": report.source, "target": report.target}
    for lost in report.lost:
        at = f" {lost.at}:" if lost.at else ""
        yield f"= {_name(lost)} {at} `{names[lost.side]}` cannot hold it: {lost.reason}"
    for one in report.dangling:
        yield f"? {_name(one)}  is named in `{names[one.side]}` by {one.named_by}, and not there"
    for bad in report.unreadable:
        yield f"! {_name(bad)}  cannot be read in `{names[bad.side]}`: {bad.reason}"


def _sum(report: "VerifyReport") -> str:
    words = (
        (len(report.missing), "missing"),
        (len(report.additional), "additional"),
        (len(report.different), "different"),
        (len(report.unreadable), "unreadable"),
    )
    said = ", ".join(f"{number:,} {word}" for number, word in words if number)
    sides = f"`{report.source}` and `{report.target}`"
    lost = count(len({(one.kind, one.id) for one in report.lost}), "document")
    beside = f"; of {lost} a part cannot be held" if report.lost else ""
    return f"{sides}: {said or 'the same'}{beside}"


def _name(one: "NamedDocument") -> str:
    return document_name(one.kind, one.id)


def _limit_lines(lines: Sequence[str], limit: int) -> Iterator[str]:
    yield from lines[: limit or None]
    yield from _more(lines, limit)


def _more(found: "Sequence[object]", limit: int) -> Iterator[str]:
    if limit and len(found) > limit:
        yield f"… and {len(found) - limit:,} more: --limit 0 shows all"
