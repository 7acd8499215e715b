"""A diff as GitLab's code quality report: a list of issues with a fingerprint each."""

from lumos_snap.render.annotations import MOST, Grade, Kind, Notice, cut, notices
from lumos_snap.render.json_report import written
from lumos_snap.report.diff import Difference
from lumos_snap.text import utf8


def difference(report: Difference, *, everything: bool = False) -> str:
    """The whole diff."""
    found = cut(notices(report, everything=everything), MOST).kept
    return written([_issue(one) for one in found], indent=True)


def _issue(one: Notice) -> dict[str, object]:
    return {
        "description": " · ".join((one.says, *one.more)),
        "check_name": one.title,
        "fingerprint": one.identity,
        "severity": _severity(one),
        # A file that is gone has no line, and GitLab wants one.
        "location": {"path": utf8(one.path), "lines": {"begin": max(one.line, 1)}},
    }


def _severity(one: Notice) -> str:
    if one.grade is Grade.ERROR:
        is_plain = one.kind is Kind.CHANGE and not (one.finding and one.finding.silent)
        return "critical" if is_plain else "blocker"
    return "major" if one.grade is Grade.WARNING else "info"
