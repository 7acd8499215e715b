"""A diff as GitLab's code quality report: a list of issues with fingerprints."""

from lumos_snap.render.annotations import MOST, Annotation, AnnotationKind, Grade, cut, notices
from lumos_snap.render.json_report import dump_json
from lumos_snap.report.diff import DiffReport
from lumos_snap.text import escape_surrogates


def difference(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff."""
    found = cut(notices(report, everything=everything), MOST).kept
    return dump_json([_issue(one) for one in found], indent=True)


def _issue(one: Annotation) -> dict[str, object]:
    return {
        "description": " · ".join((one.says, *one.more)),
        "check_name": one.title,
        "fingerprint": one.identity,
        "severity": _severity(one),
        # A deleted file has no line, but GitLab requires one.
        "location": {"path": escape_surrogates(one.path), "lines": {"begin": max(one.line, 1)}},
    }


def _severity(one: Annotation) -> str:
    if one.grade is Grade.ERROR:
        is_plain = one.kind is AnnotationKind.CHANGE and not (one.finding and one.finding.silent)
        return "critical" if is_plain else "blocker"
    return "major" if one.grade is Grade.WARNING else "info"
