"""`lumos snap check`: whether documents are valid, and datasets what the policy asks for."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical.document_kinds import SNAPSHOT, kind_at
from lumos_snap.config import CONFIG_NAME
from lumos_snap.flows.comparing import left_behind
from lumos_snap.flows.deciding import (
    breaches_words,
    damaged_words,
    waiver_remarks,
)
from lumos_snap.flows.describing import described
from lumos_snap.flows.judges import Judges, require_sound
from lumos_snap.flows.judging import stray, unfit
from lumos_snap.flows.presence import require_visible
from lumos_snap.flows.ruling import Ruling, ruling
from lumos_snap.flows.sides import Asked, Side, chosen_sides
from lumos_snap.flows.spread import spread
from lumos_snap.flows.stating import Portion, Stated, ages, stated
from lumos_snap.flows.waivers import Accepted, filed_waivers, waivers_of
from lumos_snap.flows.wanting import Wanted
from lumos_snap.report.check import CheckCounts, Checked
from lumos_snap.report.diff import ChangeFinding, Compared, Remark
from lumos_snap.report.envelope import Finding as ReportedFinding
from lumos_snap.rules.finding import FailOn
from lumos_snap.rules.policy import matches
from lumos_snap.rules.waivers import Waivers
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.files import batches
from lumos_snap.tree.path_kinds import Remark as Noticed
from lumos_snap.tree.path_kinds import why_stray

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class _Scope:
    """Which documents are looked at, and by whom."""

    tree: Tree
    bench: Judges
    documents: tuple[str, ...]
    portions: Iterator[Portion]
    accepted: Accepted
    damaged: tuple[ReportedFinding, ...] = ()
    """Files that are no documents."""
    base: Side | None = None
    ruled: Ruling | None = None
    is_whole: bool = False

    @functools.cached_property
    def paths(self) -> tuple[str, ...]:
        """The snapshots among the documents."""
        return tuple(path for path in self.documents if kind_at(path) is SNAPSHOT)


def check(
    open_here: Callable[[], Tree],
    asked: Asked,
    announce: Announce,
    progress: Progress,
    *,
    everything: bool,
) -> Checked:
    """Look at every document, or at those that differ from a base, and say what follows."""
    scope = _changed(open_here, asked, announce) if not everything else _whole(open_here(), asked)
    fail_on = asked.fail_on or scope.bench.fail_on
    damaged = dict.fromkeys((*scope.damaged, *scope.accepted.wrong))
    waivers = Waivers(scope.accepted.filed, asked.today)
    findings: list[ChangeFinding] = []
    for one in _stated(scope, progress):
        damaged |= dict.fromkeys(one.damaged)
        for breach, at in one.findings:
            findings += described([waivers.decide(breach)], one.path, at, fail_on)
    findings.sort(key=lambda one: (not one.blocks, one.path, one.line, one.rule, one.fingerprint))
    return _report(scope, fail_on, tuple(findings), tuple(damaged), waivers)


def _whole(tree: Tree, asked: Asked) -> _Scope:
    policy = tree.config.policy
    require_sound(policy)
    wanted = Wanted(asked.datasets)
    found = tree.listed()
    documents = tuple(filter(wanted, found.documents))
    wanted.require_known(tree)
    bench = Judges(policy, None, "", asked.today)
    portions = tree.files.portions(documents)
    filed, wrong = filed_waivers(tree)
    accepted = Accepted(filed, (), wrong)
    damaged = () if asked.datasets else tuple(unfit(found))
    scope = _Scope(tree, bench, documents, portions, accepted, damaged, is_whole=not asked.datasets)
    require_visible(tree, scope.paths)
    return scope


def _changed(open_here: Callable[[], Tree], asked: Asked, announce: Announce) -> _Scope:
    """What a branch changed; the policy of the target branch asks as well."""
    chosen = chosen_sides(open_here, asked.sought, announce)
    ruled = ruling(chosen, None)
    wanted = Wanted(asked.datasets)
    former: bytes | None = None
    contents: dict[str, bytes] = {}
    damaged: list[ReportedFinding] = []
    for change in chosen.changes:
        if change.path == CONFIG_NAME:
            former = change.before
        elif change.form_after is not None and wanted(change.path):
            why = why_stray(change.path, change.form_after)
            if why or change.after is None:
                damaged.append(stray(Noticed(change.path, why or "it is gone")))
            else:
                contents[change.path] = change.after
    tree = chosen.head_tree
    wanted.require_known(tree)
    snapshots = tree.paths(SNAPSHOT)
    require_visible(tree, snapshots, chosen.base.commit)
    if former is not None:
        untouched = (path for path in snapshots if path not in contents)
        damaged += left_behind(chosen, former, filter(wanted, untouched))
    accepted = waivers_of(tree, chosen.target, ruled.new_waivers, asked.approvals)
    portions = iter(batches(contents.items()))
    bench = ruled.judges(asked)
    return _Scope(
        tree, bench, tuple(contents), portions, accepted, tuple(damaged), chosen.base, ruled
    )


def _stated(scope: _Scope, progress: Progress) -> Iterator[Stated]:
    environment = scope.tree.config.environment
    work = functools.partial(stated, bench=scope.bench, environment=environment)
    total, done = len(scope.documents), 0
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
