"""What later steps of a job may ask of a gate."""

from pathlib import Path

from lumos_snap.ci.runner import step_outputs
from lumos_snap.report.diff import BumpWord, Counts
from lumos_snap.report.gate import GateReport
from tests.ci.differences import judged


def test_silent_changes_are_among_those_that_break() -> None:
    counts = Counts(datasets=2, silent=1, breaking=3, non_breaking=4, informational=5, waived=0)
    report = GateReport(
        verdict="fail",
        reasons=("x",),
        bump=BumpWord.MAJOR,
        counts=counts,
        trees=(judged("a", "b"),),
    )
    found = step_outputs(report, Path("reports"))
    assert (found["breaking"], found["silent"]) == ("4", "1")
    assert (found["non-breaking"], found["informational"], found["datasets"]) == ("4", "5", "2")
    assert (found["report"], found["sarif"]) == ("reports", "reports/diff.sarif")
    assert step_outputs(report, None)["report"] == ""
