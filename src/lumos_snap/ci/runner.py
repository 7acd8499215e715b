"""Output of a step to its runner: outputs, commands, summary and files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from lumos_snap.ci.aggregate import merge_diffs, new_waivers, policy_changes
from lumos_snap.ci.comment_body import body_of
from lumos_snap.render import diff_formats
from lumos_snap.render.json_report import to_json
from lumos_snap.report.gate import GateReport, TreeResult
from lumos_snap.text import sanitize_text


def outputs(values: Mapping[str, str]) -> str:
    """Lines for the outputs file of a step; a value cannot start another line."""
    return "".join(f"{name}={_one_line(value)}\n" for name, value in values.items())


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


def command(name: str, message: str, *, title: str = "Lumos Snapshots") -> str:
    """A workflow command: `error`, `warning` or `notice`."""
    return f"::{name} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def escape_commands(text: str, mark: str) -> str:
    """A text in which workflow commands are disabled; `mark` must be unknown to the text."""
    return f"::stop-commands::{mark}\n{text}\n::{mark}::\n"


_MOST_OF_A_SUMMARY = 900_000
"""Characters: a runner accepts 1 MiB per step."""
_SARIF = "diff.sarif"
_OF_ALL_TREES = {"sarif": _SARIF, "html": "diff.html", "junit": "junit.xml"}
"""Formats for other tools, and their files."""


def text(report: GateReport) -> str:
    """Text of the log."""
    return "\n".join(_lines(report))


def _lines(report: GateReport) -> Iterator[str]:
    for tree in report.trees:
        if len(report.trees) > 1:
            yield f"== {sanitize_text(tree.name)}"
        if tree.difference is None:
            yield f"UNDECIDED: {sanitize_text(tree.problem or '')}"
            if tree.hint:
                yield f"  → {sanitize_text(tree.hint)}"
        else:
            yield diff_formats.FORMATS["text"](tree.difference, diff_formats.DiffStyle()).rstrip(
                "\n"
            )
        if len(report.trees) > 1:
            yield ""


def annotations(report: GateReport) -> str:
    """Annotations of files, for all trees together."""
    found = merge_diffs(report.trees)
    if found is not None:
        return diff_formats.FORMATS["github"](found, diff_formats.DiffStyle())
    return "".join(f"{command('error', _problem(tree))}\n" for tree in report.trees)


def _problem(tree: TreeResult) -> str:
    told = f"{tree.name}: {tree.problem}"
    return sanitize_text(f"{told}. {tree.hint}" if tree.hint else told)


def summary(report: GateReport) -> str:
    """Text of the run's summary page."""
    return body_of(report.trees, most=_MOST_OF_A_SUMMARY) + "\n"


def step_outputs(report: GateReport, folder: Path | None) -> dict[str, str]:
    """Outputs for later steps."""
    counts = report.counts
    return {
        "verdict": report.verdict,
        "breaking": str(counts.breaking + counts.silent),
        "silent": str(counts.silent),
        "non-breaking": str(counts.non_breaking),
        "informational": str(counts.informational),
        "datasets": str(counts.datasets),
        "new-waivers": str(new_waivers(report.trees)),
        "policy-changes": str(policy_changes(report.trees)),
        "bump": report.bump.value,
        "report": "" if folder is None else str(folder),
        "sarif": str(folder / _SARIF) if folder and merge_diffs(report.trees) else "",
    }


def files(report: GateReport) -> Mapping[str, str]:
    """All formats for other tools, by file name."""
    found = merge_diffs(report.trees)
    forms = {
        name: diff_formats.FORMATS[form](found, diff_formats.DiffStyle(limit=0))
        for form, name in _OF_ALL_TREES.items()
        if found is not None
    }
    return {"gate.json": to_json(report), "summary.md": summary(report), **forms}
