"""What a diff found, judged: findings, waivers, the verdict."""

import datetime
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lumos_snap.config import WAIVERS
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Comparison, Fact
from lumos_snap.flows.comparing import Pair, Sides, compare_sides
from lumos_snap.flows.describing import Lines, described
from lumos_snap.flows.sides import Asked, Chosen
from lumos_snap.report.base import Finding as ReportedFinding
from lumos_snap.report.changes import (
    BumpWord,
    ChangedDataset,
    ChangeFinding,
    ChangeWord,
    Compared,
    Counts,
    Difference,
    Remark,
    Verdict,
)
from lumos_snap.rules.case import Case
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judging import judge, judge_fact
from lumos_snap.rules.level import Level
from lumos_snap.rules.policy import DatasetPolicy, check, matches
from lumos_snap.rules.verdict import FailOn, bump_of, fails
from lumos_snap.rules.waiving import Filed, Waived, waive
from lumos_snap.tree import Tree

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Judged:
    """A dataset that changed, with its findings."""

    pair: Pair
    case: Case
    findings: tuple[Finding, ...]


def judged(chosen: Chosen, asked: Asked, progress: Progress) -> Difference:
    """Compare both sides, judge what differs, and say what follows."""
    policy = chosen.policy
    check(policy)
    sides = compare_sides(
        chosen.changes, _wanted(asked.datasets), lambda done: progress(done, chosen.total)
    )
    progress(chosen.total, chosen.total)
    found = [_judged(pair, policy, asked.today) for pair in sides.pairs]
    filed, wrong = _waivers(chosen.head_tree)
    sides.damaged += wrong
    findings = (each for one in found for each in one.findings)
    waived = waive(findings, filed, asked.today)
    return _report(chosen, sides, found, waived, asked.fail_on or policy.fail_on)


def _judged(pair: Pair, policy: Policy, today: datetime.date) -> Judged:
    case = Case(pair.comparison, today)
    return Judged(pair, case, judge(pair.comparison, policy, today))


def _wanted(datasets: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path of the tree is asked for."""
    if not datasets:
        return lambda _path: True
    patterns = [one.removeprefix("./") for one in datasets]

    def wanted(path: str) -> bool:
        name = path.removeprefix("snapshots/").removesuffix(".json")
        return any(matches(one, name) or matches(f"**/{one}", name) for one in patterns)

    return wanted


def _waivers(tree: Tree) -> tuple[tuple[Filed, ...], tuple[ReportedFinding, ...]]:
    paths = tree.files.listed(WAIVERS, (".yaml", ".yml"))
    if not paths:
        return (), ()
    from lumos_snap.flows.waivers import waivers_in  # noqa: PLC0415 - YAML takes its time to load

    return waivers_in(tree, paths)


def _report(
    chosen: Chosen, sides: Sides, judged: Sequence[Judged], waived: Waived, fail_on: FailOn
) -> Difference:
    findings = iter(waived.findings)
    datasets: list[tuple[Level, ChangedDataset]] = []
    for one in judged:
        own = tuple(itertools.islice(findings, len(one.findings)))
        datasets.append((max(f.level for f in own), _dataset(one, own, fail_on)))
    datasets.sort(key=lambda one: (-one[0], one[1].urn))
    reasons = tuple(_reasons(waived, sides, fail_on))
    return Difference(
        base=Compared(**chosen.base._asdict()),
        head=Compared(**chosen.head._asdict()),
        verdict=_verdict(reasons, sides),
        reasons=reasons,
        fail_on=fail_on,
        bump=BumpWord(bump_of(waived.findings).word),
        counts=_counts(len(judged), waived.findings),
        datasets=tuple(dataset for _, dataset in datasets),
        entities=tuple(_entities(sides)),
        damaged=tuple(sides.damaged),
        undecided=tuple(sides.undecided),
        remarks=tuple(_remarks(waived)),
    )


def _dataset(judged: Judged, findings: tuple[Finding, ...], fail_on: FailOn) -> ChangedDataset:
    pair = judged.pair
    comparison = pair.comparison
    old = comparison.old["urn"] if comparison.old else comparison.urn
    return ChangedDataset(
        urn=comparison.urn,
        path=pair.path,
        change=_change(comparison),
        renamed_from=old if old != comparison.urn else None,
        bump=BumpWord(bump_of(findings).word),
        readers=judged.case.readers,
        findings=tuple(described(findings, pair.path, Lines(pair), fail_on)),
    )


def _change(comparison: Comparison) -> ChangeWord:
    """What happened to the dataset as a whole."""
    actions = [fact.action.value for fact in comparison.facts if fact.subject == "dataset"]
    return ChangeWord(actions[0]) if actions else ChangeWord.CHANGED


def _entities(sides: Sides) -> Iterator[ChangeFinding]:
    for path, fact in sides.entities:
        yield from described([_of_entity(path, fact)], path, None, "none")


def _of_entity(path: str, fact: Fact) -> Finding:
    return judge_fact(fact, Case(Comparison(path, None, None, ()), _NO_DAY), DatasetPolicy())


_NO_DAY = datetime.date.min


def _counts(datasets: int, findings: Sequence[Finding]) -> Counts:
    levels = [one.level for one in findings]
    return Counts(
        datasets=datasets,
        silent=levels.count(Level.SILENT),
        breaking=levels.count(Level.BREAKING),
        non_breaking=levels.count(Level.NON_BREAKING),
        informational=levels.count(Level.INFORMATIONAL),
        waived=sum(one.waived for one in findings),
    )


def _reasons(waived: Waived, sides: Sides, fail_on: FailOn) -> Iterator[str]:
    """Why a verdict is not a pass."""
    failing = [one.level for one in waived.findings if fails(one, fail_on)]
    for level in sorted(set(failing), reverse=True):
        count = failing.count(level)
        word = "silent" if level is Level.SILENT else level.word
        yield f"{count} {word} {'change' if count == 1 else 'changes'}"
    if sides.damaged:
        yield f"{_files(sides.damaged)} cannot be read"
    if fail_on != "none":
        for one in waived.expired:
            yield f"{one.path}: the waiver expired on {one.waiver.expires}"


def _files(findings: Iterable[ReportedFinding]) -> str:
    count = len({one.path for one in findings})
    return "1 file" if count == 1 else f"{count} files"


def _verdict(reasons: tuple[str, ...], sides: Sides) -> Verdict:
    if reasons:
        return "fail"
    return "undecided" if sides.undecided else "pass"


def _remarks(waived: Waived) -> Iterator[Remark]:
    for one in waived.spent:
        message = f"the waiver expired on {one.waiver.expires} and covers nothing: delete it"
        yield Remark(path=one.path, message=message)
