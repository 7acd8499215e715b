"""A diff in Markdown, for a comment on a pull request. Names in it are hostile until escaped."""

from collections.abc import Iterator

from lumos_snap.render.difftext import by_level
from lumos_snap.render.fitting import fitted, size
from lumos_snap.render.markdownsections import sections
from lumos_snap.render.markdowntext import code, escaped
from lumos_snap.render.text import count
from lumos_snap.report.changes import Difference

COMMENT = 60_000
"""GitHub takes 65,536 characters: what is added before and after finds room."""
SUMMARY = 1_000_000
"""GitHub takes 1 MiB for the summary of a step."""
_TEAMS = 20
_ENDING = 400
"""Room for the last words."""
_SIGNS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def difference(
    report: Difference, *, everything: bool = False, files: str = "", most: int = COMMENT
) -> str:
    """The whole diff, the verdict first, in so many bytes; `files` begins the address of a file."""
    head = "\n".join(_head(report))
    found = sections(report, files=files, everything=everything)
    body = fitted(found, most - size(head) - _ENDING, _more)
    return "\n".join((head, *body, *_end(report))) + "\n"


def _more(left: int) -> str:
    return f"\n… and {count(left, 'more section')}: `lumos snap diff --limit 0` prints all."


def _head(report: Difference) -> Iterator[str]:
    reasons = escaped("; ".join(report.reasons)) if report.reasons else ""
    if report.verdict == "undecided":
        reasons = reasons or "the base cannot be read, so nothing is known of these files"
    told = f": {reasons}" if reasons else ""
    yield f"## {_SIGNS[report.verdict]} {report.verdict.capitalize()}{told}"
    yield ""
    if report.reach:
        teams = ", ".join(code(team, 80) for team in report.reach.teams[:_TEAMS])
        yield f"**{escaped(report.reach.says)}**{f': {teams}' if teams else ''}"
        yield ""
    yield _summary(report)


def _summary(report: Difference) -> str:
    base, counts = report.base, report.counts
    commit = f" ({code(base.commit[:10])})" if base.commit and base.commit != base.name else ""
    how = f", {escaped(base.how)}" if base.how else ""
    compared = f"Compared with {code(base.name, 100)}{commit}{how}."
    if not counts.datasets:
        return f"No dataset changed. {compared}"
    told = ", ".join(f"{number:,} {word}" for number, word in by_level(counts) if number)
    step = f"Next version step: **{report.bump.value}**."
    return f"{count(counts.datasets, 'dataset')} changed: {told}. {step} {compared}"


def _end(report: Difference) -> Iterator[str]:
    if any(one.blocks for dataset in report.datasets for one in dataset.findings):
        yield ""
        yield (
            "<sub>`lumos snap explain FINGERPRINT` shows how a finding was decided; "
            "`lumos snap waive FINGERPRINT --reason …` accepts it.</sub>"
        )
