"""`lumos snap check`: whether datasets, as they stand, are what the policy asks for."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical.kinds import SNAPSHOT, kind_at
from lumos_snap.config import CONFIG_NAME
from lumos_snap.flows.deciding import (
    breaches_words,
    damaged_words,
    waiver_remarks,
)
from lumos_snap.flows.describing import described
from lumos_snap.flows.judges import Judges, require_sound
from lumos_snap.flows.ruling import Ruling, ruling
from lumos_snap.flows.sides import Asked, Side, chosen_sides
from lumos_snap.flows.spread import spread
from lumos_snap.flows.stating import Portion, Stated, ages, stated
from lumos_snap.flows.waivers import Accepted, filed_waivers, waivers_of
from lumos_snap.flows.wanting import Wanted
from lumos_snap.report.base import Finding as ReportedFinding
from lumos_snap.report.changes import ChangeFinding, Compared, Remark
from lumos_snap.report.checked import CheckCounts, Checked
from lumos_snap.rules.policy import matches
from lumos_snap.rules.verdict import FailOn
from lumos_snap.rules.waiving import Waivers
from lumos_snap.tree import Tree
from lumos_snap.tree.changing import Announce
from lumos_snap.tree.files import batches

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class _Scope:
    """Which datasets are looked at, and by whom."""

    tree: Tree
    bench: Judges
    paths: tuple[str, ...]
    portions: Iterator[Portion]
    accepted: Accepted
    base: Side | None = None
    ruled: Ruling | None = None
    is_whole: bool = False


def check(
    open_here: Callable[[], Tree],
    asked: Asked,
    announce: Announce,
    progress: Progress,
    *,
    everything: bool,
) -> Checked:
    """Look at every dataset, or at those that differ from a base, and say what follows."""
    scope = _changed(open_here, asked, announce) if not everything else _whole(open_here(), asked)
    fail_on = asked.fail_on or scope.bench.fail_on
    damaged, waivers = scope.accepted.wrong, Waivers(scope.accepted.filed, asked.today)
    findings: list[ChangeFinding] = []
    for one in _stated(scope, progress):
        damaged += one.damaged
        for breach, at in one.findings:
            findings += described([waivers.decide(breach)], one.path, at, fail_on)
    findings.sort(key=lambda one: (not one.blocks, one.path, one.line, one.rule, one.fingerprint))
    return _report(scope, fail_on, tuple(findings), damaged, waivers)


def _whole(tree: Tree, asked: Asked) -> _Scope:
    policy = tree.config.policy
    require_sound(policy)
    wanted = Wanted(asked.datasets)
    paths = tuple(filter(wanted, tree.paths(SNAPSHOT)))
    wanted.require_known(tree)
    bench = Judges(policy, None, "", asked.today)
    portions = tree.files.portions(paths)
    filed, wrong = filed_waivers(tree)
    accepted = Accepted(filed, (), wrong)
    return _Scope(tree, bench, paths, portions, accepted, is_whole=not asked.datasets)


def _changed(open_here: Callable[[], Tree], asked: Asked, announce: Announce) -> _Scope:
    """What a branch changed; the policy of the target branch asks as well."""
    chosen = chosen_sides(open_here, asked.sought, announce)
    ruled = ruling(chosen, None)
    wanted = Wanted(asked.datasets)
    contents: dict[str, bytes] = {}
    for change in chosen.changes:
        if kind_at(change.path) is SNAPSHOT and change.after is not None and wanted(change.path):
            contents[change.path] = change.after
    tree = chosen.head_tree
    wanted.require_known(tree)
    accepted = waivers_of(tree, chosen.target, ruled.new_waivers, asked.approvals)
    portions = iter(batches(contents.items()))
    bench = ruled.judges(asked)
    return _Scope(tree, bench, tuple(contents), portions, accepted, chosen.base, ruled)


def _stated(scope: _Scope, progress: Progress) -> Iterator[Stated]:
    work = functools.partial(stated, bench=scope.bench)
    total, done = len(scope.paths), 0
    if scope.bench.asks:
        for batch, count in spread(work, scope.portions, size=total):
            yield from batch
            done += count
            progress(done, total)
    if scope.bench.asks_ages:
        yield from ages(scope.tree.files, scope.bench, scope.paths)


def _report(
    scope: _Scope,
    fail_on: FailOn,
    findings: tuple[ChangeFinding, ...],
    damaged: tuple[ReportedFinding, ...],
    waivers: Waivers,
) -> Checked:
    blocking = sum(one.blocks for one in findings)
    waived = sum(one.waived for one in findings)
    reasons = [breaches_words(blocking)] if blocking else []
    reasons += [damaged_words(damaged)] if damaged else []
    if fail_on != "none":
        expired = ((one.path, one.waiver.expires) for one in waivers.expired)
        reasons += [f"{path}: the waiver expired on {day}" for path, day in expired]
    return Checked(
        source=scope.tree.label,
        base=Compared(**scope.base._asdict()) if scope.base else None,
        demands=scope.bench.asked,
        checked=len(scope.paths),
        verdict="fail" if reasons else "pass",
        reasons=tuple(reasons),
        fail_on=fail_on,
        counts=CheckCounts(
            blocking=blocking, other=len(findings) - blocking - waived, waived=waived
        ),
        policy_changes=scope.ruled.changes if scope.ruled else (),
        new_waivers=scope.accepted.new,
        findings=findings,
        damaged=damaged,
        remarks=(
            *(scope.ruled.remarks if scope.ruled else ()),
            *waiver_remarks(waivers, scope.accepted),
            *(_idle_patterns(scope) if scope.is_whole else ()),
        ),
    )


def _idle_patterns(scope: _Scope) -> Iterator[Remark]:
    """Patterns that cover no dataset: a slip of the pen would lower the guard unseen."""
    names = [path.removeprefix(f"{SNAPSHOT.folder}/").removesuffix(".json") for path in scope.paths]
    policy = scope.bench.policy
    patterns = dict.fromkeys(
        pattern
        for demand in (*policy.demands, *policy.freshness)
        for pattern in (demand.match, *(one.match for one in demand.except_))
    )
    for pattern in patterns:
        if names and not any(matches(pattern, name) for name in names):
            yield Remark(path=CONFIG_NAME, message=f"the pattern `{pattern}` covers no dataset")
