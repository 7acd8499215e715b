"""`lumos snap log`: every change of a dataset or column, and the evolution of a tree."""

import datetime
import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import SUFFIX
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Action, Fact
from lumos_snap.errors import LumosError
from lumos_snap.git import GitEntry, Repository, open_repository
from lumos_snap.git.history import LoggedCommit, history
from lumos_snap.history.column_changes import ROOTS, columns_in
from lumos_snap.history.dataset_log import (
    DatasetHistory,
    DatasetStep,
    Period,
    dataset_path,
    period,
    steps_at,
)
from lumos_snap.history.findings import (
    JudgedStep,
    bump,
    changes,
    commit_info,
    ends_at,
    format_time,
    judge_steps,
    policy_of,
    urn_at,
    utc_time,
    versions,
)
from lumos_snap.history.renames import path_before, touches, with_moves
from lumos_snap.history.versions import Documents, parse_strictly
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.report.history import (
    Bumps,
    DatasetEvolution,
    EvolutionReport,
    Frequency,
    LogEntry,
    LogReport,
    Span,
)
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.rule import Bump, Level
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """The requested part of a history."""

    ref: str | None = None
    since: str | None = None
    until: str | None = None
    column: str | None = None
    limit: int = 0


def log(tree: Tree, wanted: str, asked: LogOptions) -> LogReport:
    """List the changes of a dataset, newest first."""
    repository = open_repository(tree.root)
    limits = period(repository, asked.since, asked.until, asked.ref or "HEAD")
    path = dataset_path(tree, repository, limits.start, wanted)
    column = None if asked.column is None else _Column(_normalize_path(asked.column), path)
    commits = _commits(repository, path, limits)
    documents = Documents(repository, parse_strictly)
    past = DatasetHistory(repository, documents, steps_at(path, commits), period=limits)
    found = _Entries(policy_of(tree), asked.limit)
    try:
        for one in judge_steps(past):
            found.end = ends_at(repository, [one.step.commit]) or found.end
            if not found.takes(column.of(one) if column else one):
                break
    finally:
        documents.close()
    if column and not found.entries:
        column.require(tree)
    return LogReport(
        source=tree.label,
        urn=urn_at(path),
        path=path,
        field=column.asked if column else None,
        entries=tuple(found.entries),
        is_cut=found.is_cut,
        ends_at=found.end,
    )


@dataclass(slots=True)
class _Entries:
    """Log entries, up to a limit; 0 means no limit."""

    policy: Policy
    limit: int
    entries: list[LogEntry] = field(default_factory=list)
    is_cut: bool = False
    end: str | None = None

    def takes(self, one: JudgedStep) -> bool:
        """Add the entry of a step, if any; False where the limit is reached."""
        if one.says_something:
            if self.limit and len(self.entries) == self.limit:
                self.is_cut = True
                return False
            self.entries.append(_entry(one, one.findings(self.policy)))
        return True


def _commits(repository: Repository, path: str, limits: Period) -> tuple[LoggedCommit, ...]:
    return history(
        repository,
        (limits.start,),
        under=(path,),
        excluded=limits.excluded,
        since=limits.since,
        until=limits.until,
    )


def _entry(one: JudgedStep, findings: Sequence[Finding]) -> LogEntry:
    schema_version, cloud_version = versions(one.document)
    return LogEntry(
        commit=commit_info(one.step.commit),
        urn=one.urn,
        renamed_from=urn_at(one.step.former) if one.step.former else None,
        schema_version=schema_version,
        cloud_version=cloud_version,
        unreadable=one.unread or None,
        bump=bump(findings),
        changes=changes(findings),
    )


def _normalize_path(path: str) -> str:
    """Normalize a field path to the notation of the model."""
    try:
        return format_path(parse_path(path))
    except ValueError as exc:
        raise LumosError(str(exc), hint="a field path is like `page.url` or `items[]`") from exc


class _Column:
    """A column whose changes are wanted, under its name at each version."""

    def __init__(self, path: str, dataset: str) -> None:
        self.asked = path
        self._dataset = dataset
        self._names: dict[GitEntry | None, str] = {}

    def of(self, one: JudgedStep) -> JudgedStep:
        """Reduce a step to its changes of the column."""
        path = self._names.pop(one.step.after, self.asked)
        self._names.update(dict.fromkeys(one.step.before, path))
        kept = []
        for entry, each in zip(one.step.before, one.differences, strict=False):
            was = path_before(each.comparison.facts, path)
            self._names[entry] = was or path
            own = tuple(fact for fact in each.own if _is_about(fact, path, was))
            kept.append(each._replace(own=own))
        return replace(one, differences=tuple(kept))

    def require(self, tree: Tree) -> None:
        """Refuse a column that does not exist and has no history."""
        content = tree.files.read(self._dataset)
        document = parse_strictly(content) if content is not None else None
        paths = _paths(document) if isinstance(document, Mapping) else []
        if not paths or self.asked in paths:
            return
        close = difflib.get_close_matches(self.asked, paths, n=1)
        hint = f"did you mean `{close[0]}`?" if close else "`lumos snap show` lists the columns"
        raise LumosError(f"there is no column `{self.asked}` in {self._dataset}", hint=hint)


def _is_about(fact: Fact, path: str, was: str) -> bool:
    """Whether a fact is about a column; adding or removing the dataset affects all its columns."""
    if fact.subject != "dataset":
        return touches(fact, path, was)
    whole = fact.new or fact.old
    return fact.action is not Action.RENAMED and path in _paths(whole)


def _paths(document: Any) -> list[str]:
    """The paths of all columns."""
    return [column.path for root in ROOTS for column in columns_in(document, root)]


Progress = Callable[[int, int], None]

_SHORT = datetime.timedelta(days=92)
"""Periods up to this length are grouped by week, longer ones by month."""
_UNREADABLE = "unreadable"


def build_evolution(
    tree: Tree,
    since: str | None,
    until: str | None,
    *,
    ref: str | None = None,
    progress: Progress = lambda _done, _total: None,
) -> EvolutionReport:
    """Summarize the changes in a period, by dataset and by month or week."""
    repository = open_repository(tree.root)
    limits = period(repository, since, until, ref or "HEAD")
    commits = history(
        repository,
        (limits.start,),
        under=(SNAPSHOT.folder,),
        excluded=limits.excluded,
        since=limits.since,
        until=limits.until,
    )
    policy, documents = policy_of(tree), Documents(repository, parse_strictly)
    lines = with_moves(documents, _lines(commits))
    found: list[_DatasetCommit] = []
    every = [step for steps in lines.values() for step in steps]
    documents.expect(side for step in every for side in (step.after, *step.before))
    try:
        for path, steps in lines.items():
            for one in judge_steps(DatasetHistory(repository, documents, steps, follow=False)):
                found.append(_count_levels(path, one, one.findings(policy)))
                progress(len(found), len(every))
    finally:
        documents.close()
    return _report(
        tree, [one for one in found if one.levels], since, until, ends_at(repository, commits)
    )


def _lines(commits: Iterable[LoggedCommit]) -> dict[str, list[DatasetStep]]:
    """The steps of each snapshot, newest first; other files are left out."""
    found: dict[str, list[DatasetStep]] = defaultdict(list)
    for commit in commits:
        for touched in commit.touched:
            if touched.path.endswith(SUFFIX) and not commit.is_end:
                found[touched.path].append(
                    DatasetStep(commit, touched.path, touched.before, touched.after)
                )
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class _DatasetCommit:
    """Counts of one commit's changes to one dataset."""

    path: str
    commit: str
    time: int
    bump: Bump
    levels: Counter[Level | str] = field(default_factory=Counter)


def _count_levels(path: str, one: JudgedStep, findings: Sequence[Finding]) -> _DatasetCommit:
    levels: Counter[Level | str] = Counter(finding.level for finding in findings)
    if one.unread:
        levels[_UNREADABLE] += 1
    commit = one.step.commit
    return _DatasetCommit(path, commit.id, commit.time, bump_of(findings), levels)


def _report(
    tree: Tree,
    found: Sequence[_DatasetCommit],
    since: str | None,
    until: str | None,
    end: str | None,
) -> EvolutionReport:
    return EvolutionReport(
        source=tree.label,
        since=since,
        until=until,
        totals=_frequency(found),
        bumps=_bumps(found),
        datasets=tuple(sorted(_datasets(found), key=_rank)),
        spans=tuple(_spans(found)),
        ends_at=end,
    )


def _frequency(found: Iterable[_DatasetCommit]) -> Frequency:
    levels: Counter[Level | str] = Counter()
    commits = set()
    for one in found:
        levels.update(one.levels)
        commits.add(one.commit)
    return Frequency(
        commits=len(commits),
        silent=levels[Level.SILENT],
        breaking=levels[Level.BREAKING],
        non_breaking=levels[Level.NON_BREAKING],
        informational=levels[Level.INFORMATIONAL],
        unreadable=levels[_UNREADABLE],
    )


def _bumps(found: Iterable[_DatasetCommit]) -> Bumps:
    steps = Counter(one.bump for one in found)
    return Bumps(major=steps[Bump.MAJOR], minor=steps[Bump.MINOR], patch=steps[Bump.PATCH])


def _datasets(found: Iterable[_DatasetCommit]) -> Iterator[DatasetEvolution]:
    by_path: dict[str, list[_DatasetCommit]] = defaultdict(list)
    for one in found:
        by_path[one.path].append(one)
    for path, those in by_path.items():
        times = [one.time for one in those]
        yield DatasetEvolution(
            urn=urn_at(path),
            path=path,
            changes=_frequency(those),
            bumps=_bumps(those),
            first=format_time(min(times)),
            last=format_time(max(times)),
        )


def _rank(one: DatasetEvolution) -> tuple[object, ...]:
    """Sort key: most breaking changes first, then most changes."""
    breaks = one.changes.silent + one.changes.breaking
    return -breaks, -one.changes.commits, one.urn


def _spans(found: Sequence[_DatasetCommit]) -> Iterator[Span]:
    """All months or weeks from the first change to the last, including empty ones."""
    if not found:
        return
    days = [utc_time(one.time).date() for one in found]
    first, last = min(days), max(days)
    called = _week if last - first <= _SHORT else _month
    by_name: dict[str, list[_DatasetCommit]] = {}
    for number in range((last - first).days + 1):
        by_name.setdefault(called(first + datetime.timedelta(days=number)), [])
    for day, one in zip(days, found, strict=True):
        by_name[called(day)].append(one)
    for name, those in by_name.items():
        datasets = len({one.path for one in those})
        yield Span(name=name, datasets=datasets, changes=_frequency(those))


def _week(day: datetime.date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _month(day: datetime.date) -> str:
    return f"{day.year:04}-{day.month:02}"
