"""A sync or verification as plain text: one document after the other, and a summary."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import orjson

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType
from lumos_snap.render.plain_text import count, findings, table
from lumos_snap.schema import keys_of, value_of
from lumos_snap.schema.fast_check import fits

if TYPE_CHECKING:
    from lumos_snap.report.envelope import FileFinding
    from lumos_snap.report.sync import (
        NamedDocument,
        PlannedDocument,
        SyncChange,
        SyncConflict,
        SyncDrift,
        SyncLosses,
        SyncPlan,
        SyncReport,
        VerifyReport,
    )

_ACTIONS: Mapping[str, tuple[str, str]] = {
    "create": ("+", "created"),
    "update": ("~", "changed"),
    "revive": ("^", "revived"),
    "delete": ("-", "deleted"),
}
_SIGNS: Mapping[str, str] = {"added": "+", "removed": "-"}
_DRIFTS: Mapping[str, tuple[str, str]] = {
    "pulled": ("<", "goes into the tree with --pull"),
    "reverted": (">", "is reverted"),
    "kept": ("=", "stays: it is not ours"),
}
_WINNERS: Mapping[str, str] = {
    "nobody": "left to you",
    "git": "git wins",
    "catalog": "the catalog wins",
}
_OUTCOMES: Mapping[str, str] = {
    "written": "written",
    "settled": "as wanted already",
    "conflict": "in conflict",
    "failed": "failed",
}
_LONGEST = 60
_WAY_OUT = (
    "  → make both sides say the same, or say who wins: `policy` of the catalog in lumos.yaml"
)


def plan(report: "SyncPlan", *, limit: int = 100) -> Iterator[str]:
    """The planned writes, pulls and conflicts."""
    shown = report.documents[: limit or None]
    for one in shown:
        yield from _document(one)
        yield ""
    if len(report.documents) > len(shown):
        more = count(len(report.documents) - len(shown), "more document")
        yield from (f"… and {more}: --limit 0 shows all", "")
    yield from _losses(report.losses, report.catalog)
    yield _plan_summary(report)
    if report.counts.conflicting:
        yield _WAY_OUT


def _document(one: "PlannedDocument") -> Iterator[str]:
    sign, word = _ACTIONS[one.action] if one.action else (" ", "")
    columns = f": {count(one.columns, 'column')}" if one.columns else ""
    yield f"{sign} {document_name(one.kind, one.id)}  {word}{columns}".rstrip()
    yield from map(change, one.changes)
    for drift in one.drifts:
        yield _drift(drift)
    yield from (f"    = {kept}  stays: it is not ours" for kept in one.kept)
    for conflict in one.conflicts:
        yield from _conflict(conflict)
    if one.refusal:
        yield f"    ! {one.refusal}"


def document_name(kind: str, identity: str) -> str:
    """The display name of a document: a dataset's urn, otherwise kind and id."""
    return identity.removeprefix("lumos://") if kind == "snapshot" else f"{kind} {identity}"


def change(one: "SyncChange") -> str:
    """One change in a line."""
    return f"    {_SIGNS.get(one.action, '~')} {_what(one)}"


def _drift(one: "SyncDrift") -> str:
    sign, fate = _DRIFTS[one.becomes]
    who = ", ".join(filter(None, (f"by {one.by}" if one.by else "", one.when)))
    return f"    {sign} {one.action}{f' {who}:' if who else ''} {_what(one)}  {fate}"


def _what(one: "SyncChange") -> str:
    """The subject and values of a change; additions and removals show the type, if any."""
    name = " ".join(dict.fromkeys(part for part in (one.subject, one.field, one.item) if part))
    if one.action in _SIGNS:
        held = one.new if one.action == "added" else one.old
        kind = f": {_type_in(held)}" if _type_in(held) else ""
        is_told = isinstance(held, dict | list) or str(held) == one.item
        return f"{name}{kind}" if is_told else f"{name}: {_value(held)}"
    return f"{name}: {_value(one.old)} → {_value(one.new)}"


def _type_in(held: object) -> str:
    """The type of a column in notation; empty if the value is no column."""
    if not isinstance(held, dict) or "type" not in held:
        return ""
    own = {name: one for name, one in held.items() if name in keys_of(DataType)}
    return format_type(value_of(own, DataType)) if fits(own, DataType) else ""


def _value(held: object) -> str:
    if kind := _type_in(held):
        return kind
    text = held if isinstance(held, str) else orjson.dumps(held).decode()
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f'"{short}"' if isinstance(held, str) else short


def _conflict(one: "SyncConflict") -> Iterator[str]:
    where = f"{one.at}: " if one.at else ""
    yield f"    ! conflict, {_WINNERS[one.winner]}: {where}{one.why}"
    for name, side in (("git", one.ours), ("catalog", one.theirs)):
        if one.at and side is not None:
            yield f"        {name:<7}  {_value(side)}"


def _losses(losses: Mapping[str, int], catalog: str) -> Iterator[str]:
    if losses:
        named = ", ".join(f"{at} ({number:,})" for at, number in losses.items())
        yield f"`{catalog}` has no room for, and only the tree keeps: {named}"


def _plan_summary(report: "SyncPlan") -> str:
    counts = report.counts
    words: Sequence[tuple[int, str]] = (
        (counts.created, "to create"),
        (counts.changed, "to change"),
        (counts.revived, "to revive"),
        (counts.deleted, "to delete"),
        (counts.drifted, "drifted"),
        (counts.conflicting, "in conflict"),
        (counts.refused, "refused"),
        (
            report.observations,
            "observation to send" if report.observations == 1 else "observations to send",
        ),
    )
    said = ", ".join(f"{number:,} {word}" for number, word in words if number)
    return (
        f"{count(counts.documents, 'document')} and `{report.catalog}`: {said or 'no difference'}"
    )


def pull_lines(report: "SyncPlan") -> Iterator[str]:
    """The files that a pull has written and committed."""
    if not report.written:
        yield "nothing to take over"
    for one in report.commits:
        who = f" by {one.author} <{one.email}>" if one.author else ""
        yield f"committed {one.id[:10]}{who}: {count(len(one.paths), 'document')}"
    if not report.commits:
        yield from (f"wrote {path}" for path in report.written)


def sync_lines(report: "SyncReport", *, limit: int = 100) -> Iterator[str]:
    """The documents that did not go as planned, and a summary."""
    open_ones = [one for one in report.documents if one.reason or one.conflicts]
    for one in open_ones[: limit or None]:
        reason = f": {one.reason}" if one.reason else ""
        yield f"! {document_name(one.kind, one.id)}  {_OUTCOMES[one.outcome]}{reason}"
        for conflict in one.conflicts:
            yield from _conflict(conflict)
    if limit and len(open_ones) > limit:
        yield f"… and {count(len(open_ones) - limit, 'more document')}: --limit 0 shows all"
    for urn, reason in list(report.unsent.items())[: limit or None]:
        yield f"! {document_name('snapshot', urn)}  its observation is not sent: {reason}"
    parts = [f"{n:,} {_OUTCOMES[name]}" for name, n in report.counts.items() if n]
    if report.observations:
        parts.append(f"{count(report.observations, 'observation')} sent")
    said = ", ".join(parts)
    yield f"`{report.catalog}`: {said or 'nothing to do'}"
    if report.journal:
        yield f"not finished: `lumos snap sync --resume` goes on with {report.journal}"


def invalid_lines(
    documents: "Sequence[FileFinding]", observations: "Sequence[FileFinding]", *, limit: int = 100
) -> Iterator[str]:
    """Invalid files of the tree, and the consequences."""
    yield from findings(documents, limit)
    if documents:
        yield f"{count(len(documents), 'invalid file')} left out, and nothing is deleted"
    yield from findings(observations, limit)
    if observations:
        yield f"{count(len(observations), 'invalid observation')} not sent"


def losses(report: "SyncLosses", *, limit: int = 100) -> Iterator[str]:
    """The parts that a catalog does not support and that git keeps."""
    for one in report.documents[: limit or None]:
        yield f"! {document_name(one.kind, one.id)}{'  all of it' if one.is_whole else ''}"
        yield from map(change, one.lost)
    if limit and len(report.documents) > limit:
        yield f"… and {count(len(report.documents) - limit, 'more document')}: --limit 0 shows all"
    kept = count(len(report.documents), "document")
    yield f"git keeps what `{report.catalog}` cannot hold of {kept}"


# A verification as plain text: a table of counts, the differences, and a summary.


T = TypeVar("T")


def verify_lines(report: "VerifyReport", *, limit: int = 100) -> Iterator[str]:
    """The counts of both sides, and the differences."""
    rows = [(one.what, f"{one.source:,}", f"{one.target:,}") for one in report.counts]
    yield from table([("", report.source, report.target), *rows])
    yield from _documents(report, limit)
    yield from _limit_lines([*_beside(report)], limit)
    yield _verify_summary(report)


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


def _verify_summary(report: "VerifyReport") -> str:
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
