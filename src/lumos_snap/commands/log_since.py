"""`lumos snap log --since`: how a whole tree has changed over a period."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import SUFFIX
from lumos_snap.git import open_repository
from lumos_snap.git.history import Logged, history
from lumos_snap.history.dataset_log import Past, Step
from lumos_snap.history.findings import Judged, judged, policy_of
from lumos_snap.history.period import period
from lumos_snap.history.renames import with_moves
from lumos_snap.history.versions import Documents, strictly
from lumos_snap.history.view import ends_at, moment, urn_at, written
from lumos_snap.report.log import Bumps, Evolution, Evolved, Frequency, Span
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.severity import Bump, Level
from lumos_snap.tree import Tree

Progress = Callable[[int, int], None]

_SHORT = datetime.timedelta(days=92)
"""A period up to so long is told by weeks, a longer one by months."""
_UNREADABLE = "unreadable"


def evolution(
    tree: Tree,
    since: str | None,
    until: str | None,
    *,
    ref: str | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Evolution:
    """What changed in a period, by dataset and by month or week."""
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
    policy, documents = policy_of(tree), Documents(repository, strictly)
    lines = with_moves(documents, _lines(commits))
    found: list[_Seen] = []
    every = [step for steps in lines.values() for step in steps]
    documents.expect(side for step in every for side in (step.after, *step.before))
    try:
        for path, steps in lines.items():
            for one in judged(Past(repository, documents, steps, follow=False)):
                found.append(_seen(path, one, one.findings(policy)))
                progress(len(found), len(every))
    finally:
        documents.close()
    return _report(
        tree, [one for one in found if one.levels], since, until, ends_at(repository, commits)
    )


def _lines(commits: Iterable[Logged]) -> dict[str, list[Step]]:
    """The steps of each snapshot, newest first; what is no document is left out."""
    found: dict[str, list[Step]] = defaultdict(list)
    for commit in commits:
        for touched in commit.touched:
            if touched.path.endswith(SUFFIX) and not commit.is_end:
                found[touched.path].append(
                    Step(commit, touched.path, touched.before, touched.after)
                )
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one commit changed of one dataset, in numbers."""

    path: str
    commit: str
    time: int
    bump: Bump
    levels: Counter[Level | str] = field(default_factory=Counter)


def _seen(path: str, one: Judged, findings: Sequence[Finding]) -> _Seen:
    levels: Counter[Level | str] = Counter(finding.level for finding in findings)
    if one.unread:
        levels[_UNREADABLE] += 1
    commit = one.step.commit
    return _Seen(path, commit.id, commit.time, bump_of(findings), levels)


def _report(
    tree: Tree, found: Sequence[_Seen], since: str | None, until: str | None, end: str | None
) -> Evolution:
    return Evolution(
        source=tree.label,
        since=since,
        until=until,
        totals=_frequency(found),
        bumps=_bumps(found),
        datasets=tuple(sorted(_datasets(found), key=_rank)),
        spans=tuple(_spans(found)),
        ends_at=end,
    )


def _frequency(found: Iterable[_Seen]) -> Frequency:
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


def _bumps(found: Iterable[_Seen]) -> Bumps:
    steps = Counter(one.bump for one in found)
    return Bumps(major=steps[Bump.MAJOR], minor=steps[Bump.MINOR], patch=steps[Bump.PATCH])


def _datasets(found: Iterable[_Seen]) -> Iterator[Evolved]:
    by_path: dict[str, list[_Seen]] = defaultdict(list)
    for one in found:
        by_path[one.path].append(one)
    for path, those in by_path.items():
        times = [one.time for one in those]
        yield Evolved(
            urn=urn_at(path),
            path=path,
            changes=_frequency(those),
            bumps=_bumps(those),
            first=written(min(times)),
            last=written(max(times)),
        )


def _rank(one: Evolved) -> tuple[object, ...]:
    """What breaks most often first; then what changes most often."""
    breaks = one.changes.silent + one.changes.breaking
    return -breaks, -one.changes.commits, one.urn


def _spans(found: Sequence[_Seen]) -> Iterator[Span]:
    """Every month or week from the first change to the last, also those without any."""
    if not found:
        return
    days = [moment(one.time).date() for one in found]
    first, last = min(days), max(days)
    called = _week if last - first <= _SHORT else _month
    by_name: dict[str, list[_Seen]] = {}
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
