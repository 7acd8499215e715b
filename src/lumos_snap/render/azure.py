"""A diff as logging commands of Azure Pipelines: errors and warnings of a run."""

from collections.abc import Iterator

from lumos_snap.render.annotations import Annotation, Grade, cut, notices, verdict_line
from lumos_snap.report.diff import DiffReport
from lumos_snap.text import sanitize_brief, sanitize_text

BUDGET = 100
"""The maximum number of issues of each type on the page of a run."""
_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"})


def difference(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff: errors, warnings, and the verdict; a waived change is a warning."""
    return "".join(f"{line}\n" for line in _lines(report, everything=everything))


def _lines(report: DiffReport, *, everything: bool) -> Iterator[str]:
    found = notices(report, everything=everything)
    errors = [one for one in found if one.grade is Grade.ERROR]
    others = [one for one in found if one.grade is not Grade.ERROR]
    for word, some in (("error", errors), ("warning", others)):
        yield from (_command(word, one) for one in cut(some, BUDGET).kept)
    yield verdict_line(report)


def _command(word: str, one: Annotation) -> str:
    said = {
        "type": word,
        "sourcepath": sanitize_text(one.path),
        "linenumber": str(one.line) if one.line else "",
        "code": sanitize_brief(one.title, 100),
    }
    told = "".join(f"{name}={held.translate(_PROPERTY)};" for name, held in said.items() if held)
    return f"##vso[task.logissue {told}]{_on_one_line(one).translate(_DATA)}"


def _on_one_line(one: Annotation) -> str:
    return " · ".join((one.says, *one.more))
