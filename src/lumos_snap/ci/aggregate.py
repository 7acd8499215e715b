"""Aggregation of several trees: one verdict, the counts, and one diff."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

from lumos_snap.config import CONFIG_NAME
from lumos_snap.report.diff import BumpWord, Counts, DiffReport, Verdict
from lumos_snap.report.envelope import FileFinding
from lumos_snap.report.gate import GateReport, TreeResult

State = Literal["success", "failure", "error"]
_STATES: Mapping[Verdict, State] = {"pass": "success", "fail": "failure", "undecided": "error"}
_BUMPS = (BumpWord.NONE, BumpWord.PATCH, BumpWord.MINOR, BumpWord.MAJOR)


def gate_trees(results: Sequence[TreeResult]) -> GateReport:
    """Build the gate report of all trees."""
    found = [one.difference for one in results if one.difference]
    return GateReport(
        verdict=verdict_of(results),
        reasons=tuple(_reasons(results)),
        bump=max((one.bump for one in found), key=_BUMPS.index, default=BumpWord.NONE),
        counts=_counts(found),
        trees=tuple(results),
    )


def verdict_of(results: Sequence[TreeResult]) -> Verdict:
    """Combine the verdicts: any failure fails, and any undecided tree prevents a pass."""
    verdicts = {one.difference.verdict if one.difference else "undecided" for one in results}
    if "fail" in verdicts:
        return "fail"
    return "undecided" if "undecided" in verdicts or not verdicts else "pass"


def state_of(results: Sequence[TreeResult]) -> State:
    """The verdict as a commit state of GitHub."""
    return _STATES[verdict_of(results)]


def describe_verdict(results: Sequence[TreeResult]) -> str:
    """The verdict in one line."""
    report = gate_trees(results)
    if report.reasons:
        return "; ".join(report.reasons)
    if not report.counts.datasets:
        return "no dataset changed"
    return f"nothing that blocks; next version step: {report.bump.value}"


def _reasons(results: Sequence[TreeResult]) -> list[str]:
    found = []
    for one in results:
        prefix = f"{one.name}: " if len(results) > 1 else ""
        if one.difference is None:
            found.append(f"{prefix}{one.problem}")
        elif one.difference.verdict == "undecided":
            found.append(f"{prefix}the base cannot be read")
        else:
            found += [f"{prefix}{reason}" for reason in one.difference.reasons]
    return found


def _counts(found: Sequence[DiffReport]) -> Counts:
    each = [one.counts for one in found]
    return Counts(
        datasets=sum(one.datasets for one in each),
        silent=sum(one.silent for one in each),
        breaking=sum(one.breaking for one in each),
        non_breaking=sum(one.non_breaking for one in each),
        informational=sum(one.informational for one in each),
        waived=sum(one.waived for one in each),
    )


def new_waivers(results: Sequence[TreeResult]) -> int:
    """Number of waivers that the target branch lacks."""
    return sum(len(one.difference.new_waivers) for one in results if one.difference)


def policy_changes(results: Sequence[TreeResult]) -> int:
    """Number of changed policy settings."""
    return sum(len(one.difference.policy_changes) for one in results if one.difference)


def merge_diffs(results: Sequence[TreeResult]) -> DiffReport | None:
    """Merge the diffs of all trees, for limits per step: a runner shows ten annotations."""
    found = [one.difference for one in results if one.difference]
    if not found or len(results) == 1:
        return found[0] if found else None
    report, trees = gate_trees(results), list(map(_from_the_top, found))
    return replace(
        trees[0],
        verdict=report.verdict,
        reasons=report.reasons,
        bump=report.bump,
        counts=report.counts,
        policy_changes=tuple(item for one in trees for item in one.policy_changes),
        new_waivers=tuple(item for one in trees for item in one.new_waivers),
        datasets=tuple(item for one in trees for item in one.datasets),
        entities=tuple(item for one in trees for item in one.entities),
        damaged=(*_not_judged(results), *(item for one in trees for item in one.damaged)),
        undecided=tuple(item for one in trees for item in one.undecided),
        remarks=tuple(item for one in trees for item in one.remarks),
        reach=None,
    )


def _not_judged(results: Sequence[TreeResult]) -> Iterator[FileFinding]:
    """Findings for trees without a verdict, which would otherwise look as if they passed."""
    for one in results:
        if one.difference is None:
            yield FileFinding(
                path=str(PurePosixPath(one.name) / CONFIG_NAME),
                line=0,
                column=0,
                rule="not-judged",
                message=one.problem or "nothing is known of this tree",
                hint=one.hint,
            )


def _from_the_top(difference: DiffReport) -> DiffReport:
    """The report with paths from the top of the repository, because trees have different roots."""
    if difference.root is None:
        return difference
    prefix = f"{difference.root}/"
    return replace(
        difference,
        root=None,
        policy_changes=tuple(
            replace(one, path=prefix + one.path) for one in difference.policy_changes
        ),
        new_waivers=tuple(replace(one, path=prefix + one.path) for one in difference.new_waivers),
        datasets=tuple(
            replace(
                one,
                path=prefix + one.path,
                findings=tuple(replace(each, path=prefix + each.path) for each in one.findings),
            )
            for one in difference.datasets
        ),
        entities=tuple(replace(one, path=prefix + one.path) for one in difference.entities),
        damaged=tuple(replace(one, path=prefix + one.path) for one in difference.damaged),
        undecided=tuple(replace(one, path=prefix + one.path) for one in difference.undecided),
        remarks=tuple(replace(one, path=prefix + one.path) for one in difference.remarks),
    )
