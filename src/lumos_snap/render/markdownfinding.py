"""One change in Markdown: what breaks, for whom, why, and what to do."""

from collections.abc import Iterator

from lumos_snap.render.consumers import downstream
from lumos_snap.render.fitting import size
from lumos_snap.render.markdowntext import code, escaped, html_code, html_text, linked, prose
from lumos_snap.render.notices import in_repository
from lumos_snap.render.signs import sign
from lumos_snap.report.changes import ChangeFinding, Difference
from lumos_snap.report.impact import Compatibility, Consumer, Impact

_FEW = 10
"""So many consumers of one change are named; all are counted."""
_SIGNS = {
    Compatibility.BREAKING: "❌",
    Compatibility.AT_RISK: "⚠️",
    Compatibility.COMPATIBLE: "✅",
}


def change(one: ChangeFinding) -> str:
    """A change that breaks nothing, in a line of a list."""
    return f"- {escaped(sign(one))} {escaped(one.message)}"


def finding(report: Difference, one: ChangeFinding, room: int, *, files: str) -> str:
    """A change that breaks something: in full, or without its consumers where room is short."""
    short = "\n".join(_told(report, one, files))
    full = "\n".join((short, *_consumers(one.impact)))
    return next((text for text in (full, short) if size(text) < room), "")


def _told(report: Difference, one: ChangeFinding, files: str) -> Iterator[str]:
    yield ""
    yield f"#### {_title(one)}"
    yield ""
    path = in_repository(report, one.path)
    place = linked(f"{path}:{one.line}" if one.line else path, files, path, one.line)
    rule = f"{escaped(one.rule, 100)} {escaped(one.slug, 100)}"
    yield f"- **Where:** {place} · {rule} · {code(one.fingerprint, 64)}"
    if one.silent:
        yield "- **Silent:** nothing fails, and other values are read"
    if one.reads:
        yield f"- **For whom:** {escaped(one.reads)}"
    yield f"- **Why:** {prose(one.why)}"
    yield f"- **What to do:** {prose(one.fix)}"
    if one.waived:
        says = next((step.says for step in one.decisions if step.by == "waiver"), "")
        yield f"- **Waived:** {escaped(says) or 'accepted'}"
    elif not one.blocks:
        yield "- It does not block"


def _title(one: ChangeFinding) -> str:
    waived = "waived: " if one.waived else ""
    return f"{sign(one)} {waived}{escaped(one.message)}"


def _consumers(impact: Impact | None) -> Iterator[str]:
    if impact is None:
        return
    if impact.consumers:
        yield from ("", f"<details>\n<summary>{html_text(downstream(impact))}</summary>", "")
        yield "| dataset | what happens | owners |"
        yield "|---|---|---|"
        yield from map(_row, impact.consumers[:_FEW])
        if len(impact.consumers) > _FEW:
            yield f"| … and {len(impact.consumers) - _FEW:,} more | | |"
        yield from ("", "</details>")
    if impact.advice:
        yield ""
        advice = enumerate(impact.advice[:_FEW], 1)
        yield from (f"{number}. {prose(text)}" for number, text in advice)


def _row(one: Consumer) -> str:
    columns = ", ".join(html_code(column, 80) for column in one.columns[:5])
    reads = columns or ("" if one.is_known else "columns are not known")
    away = f"{one.depth} steps away" if one.depth > 1 else ""
    more = "".join(f"<br>{part}" for part in (reads, away) if part)
    owners = ", ".join(html_code(owner, 80) for owner in one.owners[:5])
    happens = f"{_SIGNS[one.compatibility]} {one.compatibility.value}: {escaped(one.reason, 200)}"
    about = " · ".join(html_code(part, 60) for part in (one.domain, one.tier) if part)
    who = f"{owners or 'nobody'}{f'<br>{about}' if about else ''}"
    return f"| {html_code(one.urn.removeprefix('lumos://'), 200)}{more} | {happens} | {who} |"
