"""Violations of policy requirements as plain text."""

from collections.abc import Iterator
from itertools import groupby

from lumos_snap.render.diff_text import policy_lines
from lumos_snap.render.plain_text import count, findings, sign
from lumos_snap.report.check import CheckReport
from lumos_snap.report.diff import ChangeFinding


def check_lines(report: CheckReport, *, limit: int) -> Iterator[str]:
    """The findings, grouped by file, and a summary."""
    told = list(policy_lines(report))
    yield from (*told[1:], *told[:1])  # the leading empty line becomes the trailing one
    most = limit or len(report.findings)
    for path, found in groupby(report.findings[:most], key=lambda one: one.path):
        yield path
        yield from (_line(one) for one in found)
        yield ""
    if len(report.findings) > most:
        yield f"… and {count(len(report.findings) - most, 'more finding')}: --limit 0 shows all"
        yield ""
    if report.damaged:
        yield "invalid documents:"
        yield from findings(report.damaged, limit)
        yield ""
    yield from (f"{remark.path}: {remark.message}" for remark in report.remarks)
    yield from _summary(report)


def _line(one: ChangeFinding) -> str:
    fate = "  waived" if one.waived else "" if one.blocks else "  does not block"
    return (
        f"  {sign(one)} {one.line}: {one.rule} {one.slug}: {one.message}{fate}  {one.fingerprint}"
    )


def _summary(report: CheckReport) -> Iterator[str]:
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
