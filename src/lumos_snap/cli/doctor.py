"""`lumos doctor`."""

from pathlib import Path

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.flows.checkup import diagnose
from lumos_snap.render import text
from lumos_snap.report.reports import Health


@command("lumos doctor", "lumos doctor --json")
@options.folder
@options.as_json
def doctor(*, folder: Path, as_json: bool) -> int:
    """Look at Python, git, Java, extras, repository and settings: what is missing, and the fix.

    Exit 0 if nothing stands in the way, 1 otherwise.
    """
    report = diagnose(folder)
    options.emit(report, text.diagnosis(report), as_json=as_json)
    return options.verdict(failed=any(c.health is Health.PROBLEM for c in report.checks))
