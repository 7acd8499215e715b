"""Policy check of datasets, file by file: violations and their lines."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.paths import urn_of
from lumos_snap.canonical.read import read_valid
from lumos_snap.commands.diff.compare import Pair, find_environment_conflicts
from lumos_snap.commands.diff.judge import (
    describe_invalid_files,
    describe_violations,
    waiver_remarks,
)
from lumos_snap.commands.diff.settings import (
    DiffPolicies,
    PolicyJudge,
    load_policies,
    require_sound,
)
from lumos_snap.commands.diff.sides import DiffOptions, Side, require_visible, resolve_sides
from lumos_snap.commands.diff.view import DocumentLines, describe_findings
from lumos_snap.commands.diff.waivers import ChangeWaivers, read_filed_waivers, waivers_of
from lumos_snap.concurrency import map_in_processes
from lumos_snap.config import CONFIG_NAME
from lumos_snap.diff import Comparison, Fact
from lumos_snap.documents.patterns import matches_dataset
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.report.diff import ChangeFinding, CheckCounts, CheckReport, ComparedSide, Remark
from lumos_snap.report.envelope import FileFinding as ReportedFinding
from lumos_snap.rules.finding import FailOn, Finding, Waivers
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.file_check import check_file, stray_finding, unfit_findings
from lumos_snap.tree.files import Content, Files, batches, why_stray
from lumos_snap.tree.files import PathRemark as Noticed
from lumos_snap.tree.selection import PathSelection

Portion = Iterable[Content]


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A line number that is known since the file was read."""

    number: int

    def line(self, _fact: Fact) -> int:
        """Return that line."""
        return self.number


@dataclass(frozen=True, slots=True)
class DatasetState:
    """One dataset: its violations with their lines, or why its file is unreadable."""

    path: str
    findings: tuple[tuple[Finding, KnownLine], ...] = ()
    damaged: tuple[ReportedFinding, ...] = ()


def check_portion(
    portion: Portion, *, bench: PolicyJudge, environment: str | None
) -> tuple[list[DatasetState], int]:
    """Check a portion: the documents with violations or damage, and the number of documents."""
    found: list[DatasetState] = []
    count = 0
    for count, (path, content) in enumerate(portion, 1):  # noqa: B007 - counted beyond the loop
        kind = kind_at(path)
        assert kind is not None  # noqa: S101 - documents are listed by their kinds
        document, damaged = _read_document(path, content, kind, environment)
        lacks = (
            _judge_state(path, content, document, bench) if kind is SNAPSHOT and document else ()
        )
        if lacks or damaged:
            found.append(DatasetState(path, lacks, damaged))
    return found, count


def _judge_state(
    path: str, content: bytes | OSError, document: JsonObject, bench: PolicyJudge
) -> tuple[tuple[Finding, KnownLine], ...]:
    lacks = bench.judge_state(str(document["urn"]), document)
    if not lacks or isinstance(content, OSError):
        return ()
    lines = DocumentLines(Pair(path, Comparison(document["urn"], None, document, ()), content))
    return tuple((one, KnownLine(lines.line(one.fact))) for one in lacks)


def check_ages(files: Files, bench: PolicyJudge, paths: Sequence[str]) -> Iterator[DatasetState]:
    """Datasets whose data is too old or of unknown age, by their latest observations."""
    readings = {f"{OBSERVATION.folder}/{_below(path)}": path for path in paths}
    measured = frozenset(files.found((OBSERVATION.folder,)).documents) & readings.keys()
    for reading, path in readings.items():
        if reading not in measured:
            yield from _check_age(path, None, bench)
    work = functools.partial(_check_age_portion, bench=bench)
    there = sorted(measured)
    for batch in map_in_processes(work, files.portions(there), size=len(there)):
        yield from batch


def _check_age_portion(portion: Portion, *, bench: PolicyJudge) -> list[DatasetState]:
    found: list[DatasetState] = []
    for path, content in portion:
        document, damaged = _read_document(path, content, OBSERVATION, None)
        if damaged:
            found.append(DatasetState(path, damaged=damaged))
        if document is not None:
            found += _check_age(f"{SNAPSHOT.folder}/{path.partition('/')[2]}", document, bench)
    return found


def _check_age(
    path: str, observation: JsonObject | None, bench: PolicyJudge
) -> Iterator[DatasetState]:
    try:
        urn = str(urn_of(_below(path)))
    except LumosError:  # the path is not that of a dataset: `lumos snap validate` reports it
        return
    found = bench.judge_age(urn, observation)
    if found:
        yield DatasetState(path, tuple((one, KnownLine(1)) for one in found))


def _below(path: str) -> str:
    return path.removeprefix(f"{SNAPSHOT.folder}/")


def _read_document(
    path: str, content: bytes | OSError, kind: DocumentKind, environment: str | None
) -> tuple[JsonObject | None, tuple[ReportedFinding, ...]]:
    """Read the document of a file as far as possible, and collect its problems."""
    if isinstance(content, bytes):
        document = read_valid(path, content, kind, environment)
        if document is not None:
            return document, ()
    judged = check_file(path, content, environment)
    return None if judged.canonical is None else orjson.loads(judged.canonical), judged.findings


Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class _Scope:
    """The documents to check, and the policy that applies."""

    tree: Tree
    bench: PolicyJudge
    documents: tuple[str, ...]
    portions: Iterator[Portion]
    accepted: ChangeWaivers
    damaged: tuple[ReportedFinding, ...] = ()
    """Problems of files that are not documents."""
    base: Side | None = None
    ruled: DiffPolicies | None = None
    is_whole: bool = False

    @functools.cached_property
    def paths(self) -> tuple[str, ...]:
        """The snapshots among the documents."""
        return tuple(path for path in self.documents if kind_at(path) is SNAPSHOT)


def check(
    open_here: Callable[[], Tree],
    asked: DiffOptions,
    announce: Announce,
    progress: Progress,
    *,
    everything: bool,
) -> CheckReport:
    """Check all documents, or those that differ from a base, and report the verdict."""
    scope = (
        _select_changed(open_here, asked, announce)
        if not everything
        else _select_whole_tree(open_here(), asked)
    )
    fail_on = asked.fail_on or scope.bench.fail_on
    damaged = dict.fromkeys((*scope.damaged, *scope.accepted.wrong))
    waivers = Waivers(scope.accepted.filed, asked.today)
    findings: list[ChangeFinding] = []
    for one in _iter_states(scope, progress):
        damaged |= dict.fromkeys(one.damaged)
        for breach, at in one.findings:
            findings += describe_findings([waivers.decide(breach)], one.path, at, fail_on)
    findings.sort(key=lambda one: (not one.blocks, one.path, one.line, one.rule, one.fingerprint))
    return _report(scope, fail_on, tuple(findings), tuple(damaged), waivers)


def _select_whole_tree(tree: Tree, asked: DiffOptions) -> _Scope:
    policy = tree.config.policy
    require_sound(policy)
    wanted = PathSelection(asked.datasets)
    found = tree.listed()
    documents = tuple(filter(wanted, found.documents))
    wanted.require_known(tree)
    bench = PolicyJudge(policy, None, "", asked.today)
    portions = tree.files.portions(documents)
    filed, wrong = read_filed_waivers(tree)
    accepted = ChangeWaivers(filed, (), wrong)
    damaged = () if asked.datasets else tuple(unfit_findings(found))
    scope = _Scope(tree, bench, documents, portions, accepted, damaged, is_whole=not asked.datasets)
    require_visible(tree, scope.paths)
    return scope


def _select_changed(
    open_here: Callable[[], Tree], asked: DiffOptions, announce: Announce
) -> _Scope:
    """Select what a branch changed; the policy of the target branch applies too."""
    chosen = resolve_sides(open_here, asked.sought, announce)
    ruled = load_policies(chosen, None)
    wanted = PathSelection(asked.datasets)
    former: bytes | None = None
    contents: dict[str, bytes] = {}
    damaged: list[ReportedFinding] = []
    for change in chosen.changes:
        if change.path == CONFIG_NAME:
            former = change.before
        elif change.form_after is not None and wanted(change.path):
            why = why_stray(change.path, change.form_after)
            if why or change.after is None:
                damaged.append(stray_finding(Noticed(change.path, why or "it is gone")))
            else:
                contents[change.path] = change.after
    tree = chosen.head_tree
    wanted.require_known(tree)
    snapshots = tree.paths(SNAPSHOT)
    require_visible(tree, snapshots, chosen.base.commit)
    if former is not None:
        untouched = (path for path in snapshots if path not in contents)
        damaged += find_environment_conflicts(chosen, former, filter(wanted, untouched))
    accepted = waivers_of(tree, chosen.target, ruled.new_waivers, asked.approvals)
    portions = iter(batches(contents.items()))
    bench = ruled.judges(asked)
    return _Scope(
        tree, bench, tuple(contents), portions, accepted, tuple(damaged), chosen.base, ruled
    )


def _iter_states(scope: _Scope, progress: Progress) -> Iterator[DatasetState]:
    environment = scope.tree.config.environment
    work = functools.partial(check_portion, bench=scope.bench, environment=environment)
    total, done = len(scope.documents), 0
    for batch, count in map_in_processes(work, scope.portions, size=total):
        yield from batch
        done += count
        progress(done, total)
    if scope.bench.asks_ages:
        yield from check_ages(scope.tree.files, scope.bench, scope.paths)


def _report(
    scope: _Scope,
    fail_on: FailOn,
    findings: tuple[ChangeFinding, ...],
    damaged: tuple[ReportedFinding, ...],
    waivers: Waivers,
) -> CheckReport:
    blocking = sum(one.blocks for one in findings)
    waived = sum(one.waived for one in findings)
    reasons = [describe_violations(blocking)] if blocking else []
    reasons += [describe_invalid_files(damaged)] if damaged else []
    if fail_on != "none":
        expired = ((one.path, one.waiver.expires) for one in waivers.expired)
        reasons += [f"{path}: the waiver expired on {day}" for path, day in expired]
    return CheckReport(
        source=scope.tree.label,
        base=ComparedSide(**scope.base._asdict()) if scope.base else None,
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
    """Patterns that match no dataset: a typo would weaken the policy unnoticed."""
    names = [path.removeprefix(f"{SNAPSHOT.folder}/").removesuffix(".json") for path in scope.paths]
    policy = scope.bench.policy
    patterns = dict.fromkeys(
        pattern
        for demand in (*policy.demands, *policy.freshness)
        for pattern in (demand.match, *(one.match for one in demand.except_))
    )
    for pattern in patterns:
        if names and not any(matches_dataset(pattern, name) for name in names):
            yield Remark(path=CONFIG_NAME, message=f"the pattern `{pattern}` covers no dataset")
