"""Datasets as they stand, file by file: what each lacks, and on which line that is seen."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.fast_read import valid
from lumos_snap.canonical.paths import urn_of
from lumos_snap.commands.diff.compare import Pair, left_behind
from lumos_snap.commands.diff.empty_tree import require_visible
from lumos_snap.commands.diff.judge import breaches_words, damaged_words, waiver_remarks
from lumos_snap.commands.diff.policies import Judges, require_sound
from lumos_snap.commands.diff.settings import Ruling, ruling
from lumos_snap.commands.diff.sides import Asked, Side, chosen_sides
from lumos_snap.commands.diff.view import Lines, described
from lumos_snap.commands.diff.waivers import Accepted, filed_waivers, waivers_of
from lumos_snap.concurrency import spread
from lumos_snap.config import CONFIG_NAME
from lumos_snap.diff import Comparison, Fact
from lumos_snap.errors import LumosError
from lumos_snap.report.check import CheckCounts, Checked
from lumos_snap.report.diff import ChangeFinding, Compared, Remark
from lumos_snap.report.envelope import Finding as ReportedFinding
from lumos_snap.rules.finding import FailOn, Finding
from lumos_snap.rules.policy import matches
from lumos_snap.rules.waivers import Waivers
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.file_check import judge, stray, unfit
from lumos_snap.tree.files import Content, Files, batches
from lumos_snap.tree.path_kinds import Remark as Noticed
from lumos_snap.tree.path_kinds import why_stray
from lumos_snap.tree.selection import Wanted

Portion = Iterable[Content]


@dataclass(frozen=True, slots=True)
class At:
    """A line that was found where the file was read."""

    number: int

    def line(self, _fact: Fact) -> int:
        """That line."""
        return self.number


@dataclass(frozen=True, slots=True)
class Stated:
    """One dataset: what it lacks, each with its line, or why its file tells nothing."""

    path: str
    findings: tuple[tuple[Finding, At], ...] = ()
    damaged: tuple[ReportedFinding, ...] = ()


def stated(portion: Portion, *, bench: Judges, environment: str | None) -> tuple[list[Stated], int]:
    """The documents of a portion of which there is something to say, and how many it has."""
    found: list[Stated] = []
    count = 0
    for count, (path, content) in enumerate(portion, 1):  # noqa: B007 - counted beyond the loop
        kind = kind_at(path)
        assert kind is not None  # noqa: S101 - documents are listed by their kinds
        document, damaged = _document(path, content, kind, environment)
        lacks = _lacks(path, content, document, bench) if kind is SNAPSHOT and document else ()
        if lacks or damaged:
            found.append(Stated(path, lacks, damaged))
    return found, count


def _lacks(
    path: str, content: bytes | OSError, document: dict[str, Any], bench: Judges
) -> tuple[tuple[Finding, At], ...]:
    lacks = bench.judge_state(str(document["urn"]), document)
    if not lacks or isinstance(content, OSError):
        return ()
    lines = Lines(Pair(path, Comparison(document["urn"], None, document, ()), content))
    return tuple((one, At(lines.line(one.fact))) for one in lacks)


def ages(files: Files, bench: Judges, paths: Sequence[str]) -> Iterator[Stated]:
    """Datasets whose data is too old, or of unknown age, by their latest readings."""
    readings = {f"{OBSERVATION.folder}/{_below(path)}": path for path in paths}
    measured = frozenset(files.found((OBSERVATION.folder,)).documents) & readings.keys()
    for reading, path in readings.items():
        if reading not in measured:
            yield from _aged(path, None, bench)
    work = functools.partial(_aged_portion, bench=bench)
    there = sorted(measured)
    for batch in spread(work, files.portions(there), size=len(there)):
        yield from batch


def _aged_portion(portion: Portion, *, bench: Judges) -> list[Stated]:
    found: list[Stated] = []
    for path, content in portion:
        document, damaged = _document(path, content, OBSERVATION, None)
        if damaged:
            found.append(Stated(path, damaged=damaged))
        if document is not None:
            found += _aged(f"{SNAPSHOT.folder}/{path.partition('/')[2]}", document, bench)
    return found


def _aged(path: str, observation: dict[str, Any] | None, bench: Judges) -> Iterator[Stated]:
    try:
        urn = str(urn_of(_below(path)))
    except LumosError:  # a file that is no dataset's: `lumos snap validate` says so
        return
    found = bench.judge_age(urn, observation)
    if found:
        yield Stated(path, tuple((one, At(1)) for one in found))


def _below(path: str) -> str:
    return path.removeprefix(f"{SNAPSHOT.folder}/")


def _document(
    path: str, content: bytes | OSError, kind: DocumentKind, environment: str | None
) -> tuple[dict[str, Any] | None, tuple[ReportedFinding, ...]]:
    """The document in a file as far as it can be read, and all that is wrong with it."""
    if isinstance(content, bytes):
        document = valid(path, content, kind, environment)
        if document is not None:
            return document, ()
    judged = judge(path, content, environment)
    return None if judged.canonical is None else orjson.loads(judged.canonical), judged.findings


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
