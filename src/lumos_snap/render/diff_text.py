"""A diff or check as plain text: the most severe first, a few lines for each breaking change."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from lumos_snap.render.plain_text import count, findings, sign, table
from lumos_snap.report.diff import (
    ChangedDataset,
    ChangeFinding,
    CheckReport,
    ComparedSide,
    Counts,
    DiffReport,
    LevelWord,
)

_FOLDED = 3
"""The number of changes per dataset that are listed if not breaking; others are counted."""


def difference(report: DiffReport, *, limit: int, everything: bool = False) -> Iterator[str]:
    """The changes by dataset, and a summary."""
    yield f"{_side(report.base)} → {_side(report.head)}"
    yield from policy_lines(report)
    left = limit or sum(len(dataset.findings) for dataset in report.datasets)
    for number, dataset in enumerate(report.datasets):
        if left <= 0:
            more = count(len(report.datasets) - number, "more dataset")
            yield from ("", f"… and {more}: --limit 0 shows all")
            break
        yield ""
        yield from _dataset(dataset, limit=left, everything=everything)
        left -= len(dataset.findings)
    yield from _entities(report.entities, everything=everything)
    for title, found in (("invalid documents", report.damaged), ("undecided", report.undecided)):
        if found:
            yield ""
            yield f"{title}:"
            yield from findings(found, limit)
    if report.remarks:
        yield ""
        yield from (f"{remark.path}: {remark.message}" for remark in report.remarks)
    yield ""
    yield from _summary(report)


def policy_lines(report: DiffReport | CheckReport) -> Iterator[str]:
    """Changes to the policy, and new waivers, in the change itself."""
    if report.policy_changes:
        yield from ("", "policy changes:")
        yield from (f"  {one.path}: {one.says}" for one in report.policy_changes)
    if report.new_waivers:
        yield from ("", "new waivers:")
        yield from (f"  {one.path}: {one.says}" for one in report.new_waivers)


def _side(side: ComparedSide) -> str:
    commit = (
        f" ({side.commit[:10]})" if side.commit and not side.commit.startswith(side.name) else ""
    )
    how = f", {side.how}" if side.how else ""
    return f"{side.name}{commit}{how}"


def _dataset(dataset: ChangedDataset, *, limit: int, everything: bool) -> Iterator[str]:
    name = dataset.urn.removeprefix("lumos://")
    change = f"  {dataset.change.value}" if dataset.change.value != "changed" else ""
    former = f" from {dataset.renamed_from}" if dataset.renamed_from else ""
    yield f"{name}{change}{former}  [{dataset.bump.value}]"
    folded: list[ChangeFinding] = []
    for one in dataset.findings[:limit]:
        if one.level is LevelWord.BREAKING:
            yield from _breaking(one)
        elif everything:
            yield _line(one)
        else:
            folded.append(one)
    yield from (_line(one) for one in folded[:_FOLDED])
    if len(folded) > _FOLDED:
        left = len(folded) - _FOLDED
        told = count(left, "more change that breaks nothing", "more changes that break nothing")
        yield f"  … and {told}: --all shows them"
    if len(dataset.findings) > limit:
        hidden = count(len(dataset.findings) - limit, "more change")
        yield f"  … and {hidden}: --limit 0 shows all"


def _breaking(one: ChangeFinding) -> Iterator[str]:
    waived = "  waived" if one.waived else "" if one.blocks else "  does not block"
    yield f"  {sign(one)} {one.rule} {one.slug}: {one.message}{waived}"
    if one.reads:
        yield f"      {one.reads}"
    yield f"      {one.why}"
    yield f"      → {one.fix}"
    if one.impact is not None and one.impact.consumers:
        from lumos_snap.render.impact_text import brief  # noqa: PLC0415 - most are felt by nobody

        yield from (f"      {line}" for line in brief(one.impact))
    yield f"      {_place(one)}  {one.fingerprint}"


def _line(one: ChangeFinding) -> str:
    return f"  {sign(one)} {one.rule} {one.slug}: {one.message}"


def _entities(found: Sequence[ChangeFinding], *, everything: bool) -> Iterator[str]:
    if found:
        yield ""
        most = len(found) if everything else _FOLDED
        yield from (one.message for one in found[:most])
        if len(found) > most:
            left = count(len(found) - most, "more entity", "more entities")
            yield f"… and {left}: --all shows them"


_VERDICTS = {"pass": "PASS", "fail": "FAIL", "undecided": "UNDECIDED"}


def _summary(report: DiffReport) -> Iterator[str]:
    counts = report.counts
    told = ", ".join(f"{number} {word}" for number, word in by_level(counts) if number)
    if counts.datasets:
        yield f"{count(counts.datasets, 'dataset')} changed: {told}"
    else:
        yield "nothing changed"
    if report.reach is not None and report.reach.affected:
        yield report.reach.says
    reasons = f": {'; '.join(report.reasons)}" if report.reasons else ""
    if report.verdict == "undecided":
        reasons = ": the base cannot be read, so nothing is known of these files"
    bump = f"  [next version: {report.bump.value}]" if counts.datasets else ""
    yield f"{_VERDICTS[report.verdict]}{reasons}{bump}"


def by_level(counts: Counts) -> tuple[tuple[int, str], ...]:
    """The number of findings of each level, the most severe first."""
    return (
        (counts.silent, "silent"),
        (counts.breaking, "breaking"),
        (counts.non_breaking, "non-breaking"),
        (counts.informational, "informational"),
        (counts.waived, "waived"),
    )


def explanation(one: ChangeFinding) -> Iterator[str]:
    """The decisions from a fact to its verdict, one line each."""
    yield f"{one.urn.removeprefix('lumos://')}: {one.message}"
    yield ""
    rows = [("fact", f"{one.subject} {one.action}: {_place(one)}")]
    rows += [(step.by, step.says) for step in one.decisions]
    rows.append(("verdict", _verdict(one)))
    yield from table(rows)
    yield ""
    yield f"why: {one.why}"
    yield f"fix: {one.fix}"
    yield from one.details


def _place(one: ChangeFinding) -> str:
    return f"{one.path}:{one.line}" if one.line else one.path


def _verdict(one: ChangeFinding) -> str:
    level = "silent" if one.silent else one.level.value
    blocks = "waived" if one.waived else "blocks" if one.blocks else "does not block"
    return f"{level}, {blocks}; version step: {one.bump.value}"


# Violations of policy requirements as plain text.


def check_lines(report: CheckReport, *, limit: int) -> Iterator[str]:
    """The findings, grouped by file, and a summary."""
    told = list(policy_lines(report))
    yield from (*told[1:], *told[:1])  # the leading empty line becomes the trailing one
    most = limit or len(report.findings)
    for path, found in groupby(report.findings[:most], key=lambda one: one.path):
        yield path
        yield from (_check_finding_line(one) for one in found)
        yield ""
    if len(report.findings) > most:
        yield f"… and {count(len(report.findings) - most, 'more finding')}: --limit 0 shows all"
        yield ""
    if report.damaged:
        yield "invalid documents:"
        yield from findings(report.damaged, limit)
        yield ""
    yield from (f"{remark.path}: {remark.message}" for remark in report.remarks)
    yield from _check_summary(report)


def _check_finding_line(one: ChangeFinding) -> str:
    fate = "  waived" if one.waived else "" if one.blocks else "  does not block"
    return (
        f"  {sign(one)} {one.line}: {one.rule} {one.slug}: {one.message}{fate}  {one.fingerprint}"
    )


def _check_summary(report: CheckReport) -> Iterator[str]:
    if not report.demands:
        yield "lumos.yaml asks for nothing: `policy.require` and others say what there must be"
    verb = "differs" if report.checked == 1 else "differ"
    since = f" that {verb} from {report.base.name}" if report.base else ""
    yield f"{count(report.checked, 'dataset')}{since} checked in {report.source}"
    told = (
        (report.counts.blocking, "blocking"),
        (report.counts.other, "not blocking"),
        (report.counts.waived, "waived"),
    )
    numbers = ", ".join(f"{number} {word}" for number, word in told if number)
    reasons = f": {'; '.join(report.reasons)}" if report.reasons else ""
    if numbers:
        yield numbers
    yield f"{report.verdict.upper()}{reasons}"
