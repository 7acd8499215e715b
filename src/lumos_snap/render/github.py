"""A diff as workflow commands: GitHub shows them as annotations on the lines of a pull request."""

from collections.abc import Iterator

from lumos_snap.render.annotations import Annotation, Grade, cut, notices, verdict_line
from lumos_snap.report.diff import DiffReport
from lumos_snap.text import sanitize_brief, sanitize_text

BUDGET = 10
"""GitHub accepts so many annotations of each grade per step, and silently drops the rest."""
_WORDS = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def difference(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff: annotations up to the limit, and the verdict."""
    return "".join(f"{line}\n" for line in _lines(report, everything=everything))


def _lines(report: DiffReport, *, everything: bool) -> Iterator[str]:
    found = notices(report, everything=everything)
    for grade in Grade:
        kept = cut([one for one in found if one.grade is grade], BUDGET).kept
        yield from map(_command, kept)
    yield verdict_line(report)


def _command(one: Annotation) -> str:
    said = {
        "file": sanitize_text(one.path),
        "line": str(one.line) if one.line else "",
        "title": sanitize_brief(one.title, 200),
    }
    told = ",".join(f"{name}={held.translate(_PROPERTY)}" for name, held in said.items() if held)
    return f"::{_WORDS[one.grade]} {told}::{one.text.translate(_DATA)}"
