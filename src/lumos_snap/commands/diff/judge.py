"""`lumos snap diff`: findings, waivers and the verdict."""

import datetime
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.compare import CompareResult, Pair, iter_pairs
from lumos_snap.commands.diff.settings import DiffPolicies, PolicyJudge, load_policies
from lumos_snap.commands.diff.sides import DiffOptions, DiffSides, require_spelling, resolve_sides
from lumos_snap.commands.diff.view import DocumentLines, describe_findings
from lumos_snap.commands.diff.waivers import ChangeWaivers, void_remarks, waivers_of
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.config import CONFIG_NAME
from lumos_snap.diff import Comparison, Fact
from lumos_snap.engines import engine_names
from lumos_snap.errors import OutsideError
from lumos_snap.git import Repository, find_linked_steps
from lumos_snap.report.diff import (
    BumpWord,
    ChangedDataset,
    ChangeFinding,
    ChangeWord,
    ComparedSide,
    Counts,
    DiffReport,
    Remark,
    Verdict,
)
from lumos_snap.report.envelope import FileFinding as ReportedFinding
from lumos_snap.rules.case import Case
from lumos_snap.rules.finding import FailOn, Finding, Waivers, bump_of, fails
from lumos_snap.rules.judge import judge_fact
from lumos_snap.rules.policy import DatasetPolicy
from lumos_snap.rules.rule import Bump, Family, Level
from lumos_snap.schema import prepare
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.selection import PathSelection

if TYPE_CHECKING:
    from lumos_snap.report.diff import DiffReport

Progress = Callable[[int, int], object]


@dataclass(slots=True)
class FindingTally:
    """Counters that are updated per dataset, so that datasets need not be kept."""

    fail_on: FailOn
    levels: Counter[Level] = field(default_factory=Counter)
    failing: Counter[Level] = field(default_factory=Counter)
    breaches: int = 0
    """Number of failing policy violations."""
    waived: int = 0
    bump: Bump = Bump.NONE

    def count(self, finding: Finding) -> None:
        """Count one finding."""
        self.levels[finding.level] += 1
        if finding.rule.family is Family.POLICY:
            self.breaches += fails(finding, self.fail_on)
        else:
            self.failing[finding.level] += fails(finding, self.fail_on)
        self.waived += finding.waived
        self.bump = max(self.bump, finding.bump)


def judge_sides(chosen: DiffSides, asked: DiffOptions, progress: Progress) -> DiffReport:
    """Compare both sides, judge the differences and build the report."""
    ruled = load_policies(chosen, asked.config)
    bench = ruled.judges(asked)
    sides, tally = CompareResult(), FindingTally(asked.fail_on or bench.fail_on)
    accepted = waivers_of(chosen.head_tree, chosen.target, ruled.new_waivers, asked.approvals)
    sides.damaged += accepted.wrong
    waivers = Waivers(accepted.filed, asked.today)
    datasets: list[tuple[Level, ChangedDataset]] = []
    wanted = PathSelection(asked.datasets)
    advance = functools.partial(_advance, progress, chosen.total)
    for pair in iter_pairs(chosen, sides, wanted, advance):
        findings = tuple(map(waivers.decide, _findings(bench, pair.comparison)))
        for one in findings:
            tally.count(one)
        gravest = max(one.level for one in findings)
        datasets.append((gravest, _dataset(pair, asked.today, findings, tally.fail_on)))
    progress(chosen.total, chosen.total)
    if sides.is_new and chosen.base.commit is not None:
        _refuse_tree_behind_link(chosen.head_tree.repository, chosen.base.commit)
    wanted.require_known(chosen.head_tree)
    require_spelling(chosen.head_tree)
    datasets.sort(key=lambda one: (-one[0], one[1].urn))
    found = tuple(one for _, one in datasets)
    return _report(chosen, sides, tally, ruled, JudgedDatasets(accepted, waivers, found))


@dataclass(frozen=True, slots=True)
class JudgedDatasets:
    """The changed datasets, and the waivers that were applied to them."""

    accepted: ChangeWaivers
    waivers: Waivers
    datasets: tuple[ChangedDataset, ...]

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks about the waivers."""
        return waiver_remarks(self.waivers, self.accepted)


def _findings(bench: PolicyJudge, comparison: Comparison) -> tuple[Finding, ...]:
    """Findings of a change, and policy violations of the current state of its dataset."""
    found = bench.judge(comparison)
    if comparison.new is None or not bench.asks:
        return found
    lacks = bench.judge_state(comparison.urn, comparison.new)
    return tuple(sorted((*found, *lacks), key=lambda one: -one.level))


def _advance(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def _report(
    chosen: DiffSides,
    sides: CompareResult,
    tally: FindingTally,
    ruled: DiffPolicies,
    judged: JudgedDatasets,
) -> DiffReport:
    reasons = tuple(_reasons(tally, judged.waivers, sides))
    return DiffReport(
        base=ComparedSide(**chosen.base._asdict()),
        head=ComparedSide(**chosen.head._asdict()),
        root=chosen.prefix,
        verdict=_verdict(reasons, sides),
        reasons=reasons,
        fail_on=tally.fail_on,
        bump=BumpWord(tally.bump.word),
        counts=_counts(len(judged.datasets), tally),
        policy_changes=ruled.changes,
        new_waivers=judged.accepted.new,
        datasets=judged.datasets,
        entities=tuple(_entities(sides)),
        damaged=tuple(sides.damaged),
        undecided=tuple(sides.undecided),
        remarks=(
            *_no_tree_before(chosen, sides),
            *ruled.remarks,
            *_invalid_before(sides),
            *judged.remarks,
            *_unknown_readers(judged.datasets),
        ),
    )


def _dataset(
    pair: Pair, today: datetime.date, findings: tuple[Finding, ...], fail_on: FailOn
) -> ChangedDataset:
    comparison = pair.comparison
    old = comparison.old["urn"] if comparison.old else comparison.urn
    return ChangedDataset(
        urn=comparison.urn,
        path=pair.path,
        change=_change(comparison),
        renamed_from=old if old != comparison.urn else None,
        bump=BumpWord(bump_of(findings).word),
        readers=Case(comparison, today).readers,
        findings=tuple(describe_findings(findings, pair.path, DocumentLines(pair), fail_on)),
    )


def _change(comparison: Comparison) -> ChangeWord:
    """The change of the dataset as a whole."""
    actions = [fact.action.value for fact in comparison.facts if fact.subject == "dataset"]
    return ChangeWord(actions[0]) if actions else ChangeWord.CHANGED


def _entities(sides: CompareResult) -> Iterator[ChangeFinding]:
    for path, fact in sides.entities:
        yield from describe_findings([_of_entity(path, fact)], path, None, "none")


def _of_entity(path: str, fact: Fact) -> Finding:
    return judge_fact(fact, Case(Comparison(path, None, None, ()), _NO_DAY), DatasetPolicy())


_NO_DAY = datetime.date.min


def _counts(datasets: int, tally: FindingTally) -> Counts:
    return Counts(
        datasets=datasets,
        silent=tally.levels[Level.SILENT],
        breaking=tally.levels[Level.BREAKING],
        non_breaking=tally.levels[Level.NON_BREAKING],
        informational=tally.levels[Level.INFORMATIONAL],
        waived=tally.waived,
    )


def _reasons(tally: FindingTally, waivers: Waivers, sides: CompareResult) -> Iterator[str]:
    """Reasons why the verdict is not a pass."""
    for level, count in sorted(tally.failing.items(), reverse=True):
        if count:
            yield f"{count} {level.full_word} {'change' if count == 1 else 'changes'}"
    if tally.breaches:
        yield describe_violations(tally.breaches)
    if sides.damaged:
        yield describe_invalid_files(sides.damaged)
    if tally.fail_on != "none":
        for one in waivers.expired:
            yield f"{one.path}: the waiver expired on {one.waiver.expires}"


def describe_violations(count: int) -> str:
    """Describe the number of policy violations."""
    return "1 breach of policy" if count == 1 else f"{count} breaches of policy"


def describe_invalid_files(findings: Iterable[ReportedFinding]) -> str:
    """Describe the number of invalid files."""
    count = len({one.path for one in findings})
    return "1 invalid file" if count == 1 else f"{count} invalid files"


def _verdict(reasons: tuple[str, ...], sides: CompareResult) -> Verdict:
    if reasons:
        return "fail"
    return "undecided" if sides.undecided else "pass"


def _refuse_tree_behind_link(repository: Repository, base: str) -> None:
    """Refuse where the base has a link or a submodule on the path: it cannot be compared."""
    for step in find_linked_steps(repository, base):
        raise OutsideError(
            f"cannot decide: {step} was a link or a submodule at the base, and is a folder now",
            hint="merge that change alone, after a look at every dataset that the folder holds",
        )


def _no_tree_before(chosen: DiffSides, sides: CompareResult) -> Iterator[Remark]:
    """Remark on a tree without a base: a moved tree looks new, which hides its breaking changes."""
    if sides.is_new and chosen.base.commit is not None:
        message = "the base has no tree in this folder: all that is in it counts as added"
        yield Remark(path=CONFIG_NAME, message=message)


def _invalid_before(sides: CompareResult) -> Iterator[Remark]:
    """Remarks on documents that were already invalid: this change repairs or removes them."""
    for one in sides.unreadable_before:
        message = f"invalid at the base, so it cannot be compared: {one.message}"
        yield Remark(path=one.path, message=message)
    for one in sides.invalid_before:
        message = f"invalid at the base, line {one.line}: {one.message}"
        yield Remark(path=one.path, message=message)


def waiver_remarks(waivers: Waivers, accepted: ChangeWaivers) -> tuple[Remark, ...]:
    """Remarks on waivers that have expired, or that the target branch has revoked."""
    told = [
        (one.path, f"the waiver expired on {one.waiver.expires} and covers nothing: delete it")
        for one in waivers.spent
    ]
    told += void_remarks(waivers.voided, accepted.new)
    return tuple(Remark(path=path, message=message) for path, message in told)


def _unknown_readers(datasets: tuple[ChangedDataset, ...]) -> Iterator[Remark]:
    """Remarks on unknown engines: a typo would weaken the policy unnoticed."""
    known = frozenset(engine_names())
    for one in datasets:
        for reader in one.readers:
            if reader not in known:
                message = f"nothing is known of reader `{reader}`: it is judged as `generic`"
                yield Remark(path=one.path, message=message)


# `lumos snap diff`: differences from a base, their severity, and the verdict.


def _ignore_progress(_done: int, _total: int) -> None:
    """Ignore progress."""


def _do_nothing() -> None:
    """Do nothing."""


def diff(
    open_here: Callable[[], Tree],
    asked: DiffOptions,
    announce: Announce,
    progress: Progress = _ignore_progress,
    *,
    meanwhile: Callable[[], object] = _do_nothing,
) -> "DiffReport":
    """Compare and judge two sides; `meanwhile` runs while git lists the changes."""
    chosen = BackgroundCall(functools.partial(resolve_sides, open_here, asked.sought, announce))
    if asked.impact:
        from lumos_snap.commands.diff import impact  # noqa: PLC0415 - loads while git looks

        prepare(SNAPSHOT.cls)
        meanwhile()
        return impact.judge_with_impact(chosen.result(), asked, progress)

    return judge_sides(chosen.result(), asked, progress)
