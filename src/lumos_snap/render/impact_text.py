"""Impact as plain text: the consumers of changes, and their number."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lumos_snap.render.plain_text import count, findings, table
from lumos_snap.report.consumers import Compatibility, Consumer, Impact

if TYPE_CHECKING:
    from lumos_snap.report.impact import (
        AffectingChange,
        DanglingEdge,
        ImpactReport,
        LineageCycle,
        Overview,
    )


def downstream(impact: Impact) -> str:
    """The number of downstream datasets, by compatibility."""
    found = Counter(one.compatibility for one in impact.consumers)
    told = ", ".join(f"{found[one]} {one.value}" for one in Compatibility if found[one])
    return f"{count(len(impact.consumers), 'dataset')} downstream: {told}"


_BRIEF = 3
_SIGNS = {Compatibility.BREAKING: "✗", Compatibility.AT_RISK: "!", Compatibility.COMPATIBLE: "+"}


def brief(impact: Impact) -> Iterator[str]:
    """A few lines below a finding: the most affected consumers."""
    harmed = [one for one in impact.consumers if one.compatibility is not Compatibility.COMPATIBLE]
    for one in harmed[:_BRIEF]:
        owners = f" ({', '.join(one.owners[:_BRIEF])})" if one.owners else ""
        yield f"{one.compatibility.value}: {_short(one.urn)}{owners}: {one.reason}"
    if len(harmed) > _BRIEF:
        yield f"… and {_more(len(harmed) - _BRIEF, impact)}"


def _more(number: int, impact: Impact) -> str:
    least = "" if impact.complete else "at least "
    return f"{least}{count(number, 'more dataset')} downstream"


def impact_lines(report: "ImpactReport", *, limit: int) -> Iterator[str]:
    """The complete impact report."""
    if report.overview is not None:
        yield from _overview(report.overview)
    for number, one in enumerate(report.changes):
        if number:
            yield ""
        yield from _affecting(one, limit)
    yield from _section("circles", [_circle(one) for one in report.cycles], limit)
    yield from _section("not in the tree", [_dangling(one) for one in report.dangling], limit)
    if report.findings:
        yield from ("", *findings(report.findings, limit))
    yield from _last(report)


def _last(report: "ImpactReport") -> Iterator[str]:
    if report.overview is not None:
        return
    yield ""
    if report.reach is None:
        yield "nothing changed that anybody would feel"
    elif report.base is not None:
        yield report.reach.says
    else:
        yield _question(report)


def _question(report: "ImpactReport") -> str:
    """The number of consumers and teams, if no change was made."""
    reach = report.reach
    assert reach is not None  # noqa: S101 - a question is about one dataset
    if not reach.affected:
        return "no dataset of this tree reads it"
    whose = f" of {count(len(reach.teams), 'team')}" if reach.teams else ""
    verb = "reads" if reach.affected == 1 else "read"
    return f"{count(reach.affected, 'dataset')}{whose} {verb} it, directly or not"


def _affecting(one: "AffectingChange", limit: int) -> Iterator[str]:
    name = _short(one.urn)
    if one.message is not None:
        yield f"{name}: {one.rule} {one.slug}: {one.message}"
    else:
        yield f"{name}{f', column {one.field}' if one.field else ''}"
    if one.reads_itself:
        yield "  it is made from itself as well, as incremental jobs do"
    consumers = one.impact.consumers
    most = limit or len(consumers)
    yield from (f"  {line}" for line in table(map(_row, consumers[:most])))
    if len(consumers) > most:
        yield f"  … and {count(len(consumers) - most, 'more dataset')}: --limit 0 shows all"
    if not one.impact.complete:
        yield "  … and more: of very many only the nearest are listed"
    yield from (f"  → {line}" for line in one.impact.advice)


def _row(one: Consumer) -> Sequence[str]:
    columns = ", ".join(one.columns) or ("*" if one.is_known else "?")
    about = [", ".join(one.owners) or "nobody", one.domain, one.tier]
    return (
        f"{_SIGNS[one.compatibility]} {one.compatibility.value}",
        _short(one.urn),
        columns,
        f"[{one.depth}]",
        "; ".join(filter(None, about)),
        one.reason,
    )


def _overview(one: "Overview") -> Iterator[str]:
    yield from table(
        (("READERS", "DATASET"), *((str(row.readers), _short(row.urn)) for row in one.most_read))
    )
    yield ""
    numbers = f"{count(one.datasets, 'dataset')}, {count(one.edges, 'edge')}"
    own = count(
        one.read_themselves, "dataset is made from itself", "datasets are made from themselves"
    )
    yield f"{numbers}{f'; {own}' if one.read_themselves else ''}"


def _section(title: str, lines: Sequence[str], limit: int) -> Iterator[str]:
    if not lines:
        return
    most = limit or len(lines)
    yield from ("", f"{title}:", *(f"  {line}" for line in lines[:most]))
    if len(lines) > most:
        yield f"  … and {len(lines) - most:,} more: --limit 0 shows all"


def _circle(one: "LineageCycle") -> str:
    return " → ".join(map(_short, (*one.datasets, one.datasets[0])))


def _dangling(one: "DanglingEdge") -> str:
    return f"{_short(one.upstream)}, which {_short(one.urn)} is made from"


def _short(urn: str) -> str:
    return urn.removeprefix("lumos://")
