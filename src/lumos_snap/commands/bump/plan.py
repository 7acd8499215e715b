"""The plan of a release: versions, deciding findings and new file contents from two commits."""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lumos_snap.commands.bump.last_release import LastRelease, Releases
from lumos_snap.commands.diff.compare import CompareResult, Pair, compare_sides
from lumos_snap.commands.diff.sides import NOTHING, SideOptions, require_spelling, resolve_sides
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Comparison
from lumos_snap.errors import InvalidError, OutsideError
from lumos_snap.git.refs import Commit, message_of
from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.envelope import FileFinding as BrokenFile
from lumos_snap.report.release import Decider, ReleasedDataset, ReleaseReport, RemovedDataset
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.judge import judge
from lumos_snap.rules.messages import message
from lumos_snap.rules.policy import check
from lumos_snap.rules.rule import Bump
from lumos_snap.tree import Tree
from lumos_snap.versioning import (
    FIRST,
    ReleaseNames,
    ReleaseRecord,
    next_version,
    parse,
    record_release,
    step,
)
from lumos_snap.versioning.release_record import (
    SECTION,
    change_lines,
    history_of,
    last_released_version,
    moment,
    restore_versions,
    version_of,
)
from lumos_snap.versioning.versions import next_number

TRAILER = "Schema-Version: "
"""Trailer with the version of the whole tree in the message of a release."""


@dataclass(frozen=True, slots=True)
class PlannedDataset:
    """One dataset of a release."""

    pair: Pair
    findings: tuple[Finding, ...]
    bump: Bump
    previous: str | None
    version: str
    changes: tuple[str, ...]
    content: bytes
    """Content of its file in the release."""

    @property
    def path(self) -> str:
        """Path of its file."""
        return self.pair.path

    @property
    def decider(self) -> Finding | None:
        """The finding that decides its version bump."""
        return max(self.findings, key=lambda one: (one.bump, one.level), default=None)


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """A release, derived from two commits alone."""

    last: LastRelease
    naming: ReleaseNames
    head: Commit
    cloud: str
    tag: str
    bump: Bump
    tree_version: str
    datasets: tuple[PlannedDataset, ...]
    removed: tuple[RemovedDataset, ...]
    put_back: Mapping[str, bytes]
    """Files that lost the versions of the last release and are otherwise unchanged."""

    @property
    def contents(self) -> Mapping[str, bytes]:
        """The files that the release writes, by path; empty where there is no release."""
        released = {one.path: one.content for one in self.datasets}
        return {**released, **(self.put_back if self.has_changes else {})}

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to release."""
        return bool(self.datasets or self.removed)


def plan_release(tree: Tree, head: Commit, releases: Releases, last: LastRelease) -> ReleasePlan:
    """Judge what changed since the last release, and assign versions."""
    sought = SideOptions(
        base=last.commit or NOTHING, head=head.id, merge_base=False, fetch=releases.fetch
    )
    chosen = resolve_sides(lambda: tree, sought, releases.announce)
    check(chosen.policy)
    require_spelling(chosen.head_tree)
    sides = compare_sides(chosen)
    require_readable(sides, last)
    number = next_number(releases.numbers())
    naming = releases.naming
    blank = ReleaseRecord(
        cloud_version=naming.cloud(number),
        schema_version="",
        released_at=moment(head.time),
        bump=Bump.NONE,
        tag=naming.tag(number),
        changes=(),
    )
    pairs, policy, today = list(find_releasable(sides.pairs)), chosen.policy, day_of(head)
    datasets = [_plan_dataset(pair, policy, blank, today) for pair in pairs if pair.comparison.new]
    gone = [pair for pair in pairs if not pair.comparison.new]
    steps = (bump_of(judge(pair.comparison, policy, today)) for pair in gone)
    bump = max((*steps, *(one.bump for one in datasets)), default=Bump.NONE)
    return ReleasePlan(
        last=last,
        naming=naming,
        head=head,
        cloud=blank.cloud_version,
        tag=blank.tag,
        bump=bump,
        tree_version=_tree_version(releases, last, bump),
        datasets=tuple(sorted(datasets, key=lambda one: (-one.bump, one.path))),
        removed=tuple(map(_build_removal, gone)),
        put_back=dict(_restore_versions(sides.pairs)),
    )


def day_of(head: Commit) -> datetime.date:
    """Day of the commit: sunsets are judged by it, whenever the release is done."""
    return datetime.datetime.fromtimestamp(head.time, datetime.UTC).date()


def _without_version_facts(comparison: Comparison) -> Comparison:
    """The comparison without facts about versions, which only releases write."""
    facts = tuple(fact for fact in comparison.facts if fact.at[:1] != (SECTION,))
    return replace(comparison, facts=facts)


def find_releasable(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Find the pairs that differ in more than their versions."""
    for pair in pairs:
        comparison = _without_version_facts(pair.comparison)
        if comparison.facts:
            yield replace(pair, comparison=comparison)


def _restore_versions(pairs: Iterable[Pair]) -> Iterator[tuple[str, bytes]]:
    """Restore lost versions in files without other differences: the next release needs them."""
    for pair in pairs:
        if not _without_version_facts(pair.comparison).facts:
            content = restore_versions(pair.comparison.old, pair.comparison.new)
            if content is not None:
                yield pair.path, content


def require_readable(sides: CompareResult, last: LastRelease) -> None:
    """Raise where a document is invalid: a release never guesses its meaning."""
    if sides.damaged:
        hint = "`lumos snap validate --ref HEAD` lists all: fix them and commit"
        raise InvalidError(_first_of(sides.damaged), hint=hint)
    if sides.unreadable_before:
        hint = f"it is invalid at {last.name}: count from a later commit with `--since`"
        raise OutsideError(_first_of(sides.unreadable_before), hint=hint)


def _first_of(found: Sequence[BrokenFile]) -> str:
    first = found[0]
    more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
    return f"{first.path}:{first.line}:{first.column}: {first.message}{more}"


def _plan_dataset(
    pair: Pair, policy: Policy, blank: ReleaseRecord, today: datetime.date
) -> PlannedDataset:
    old, new = pair.comparison.old, pair.comparison.new
    assert new is not None  # noqa: S101 - the caller looked
    findings = judge(pair.comparison, policy, today)
    bump = bump_of(findings)
    previous = last_released_version(old, new)
    version = str(next_version(previous, version_of(new), bump))
    changes = change_lines(findings)
    stamp = replace(
        blank,
        schema_version=version,
        bump=Bump.NONE if previous is None else bump,
        changes=changes,
    )
    content = record_release(new, stamp, history_of(old, new))
    return PlannedDataset(pair, findings, bump, previous, version, changes, content)


def _build_removal(pair: Pair) -> RemovedDataset:
    old = pair.comparison.old
    return RemovedDataset(urn=pair.comparison.urn, path=pair.path, previousVersion=version_of(old))


def _tree_version(releases: Releases, last: LastRelease, bump: Bump) -> str:
    """Version of the whole tree: that of the last release, stepped by the largest bump.

    A release states it in the message of its commit and tag; otherwise the highest version of any
    dataset is the previous one.
    """
    words = message_of(releases.repository, last.name, last.commit) if last.commit else ""
    stated = re.findall(rf"^{TRAILER}(\S+)\s*$", words, re.MULTILINE)
    before = stated[-1] if stated and last.number else releases.recorded.highest
    if before is None:
        return str(FIRST)
    is_first = last.number is None
    return str(parse(before) if is_first else step(parse(before), bump))


def build_report(
    derived: ReleasePlan, *, dry_run: bool = False, committed: bool = False, pushed: bool = False
) -> ReleaseReport:
    """Build the report of a release and of the steps that were taken."""
    last, is_new = derived.last, derived.has_changes
    was_released = last.number is not None
    return ReleaseReport(
        cloudVersion=derived.cloud if is_new else _last_cloud(derived),
        schemaVersion=_version(derived) if is_new or was_released else "",
        gitTag=derived.tag if is_new else last.name if was_released and last.is_tagged else "",
        changesDetected=is_new,
        bump=BumpWord(derived.bump.word),
        since=last.name,
        dryRun=dry_run,
        committed=committed,
        pushed=pushed,
        datasets=tuple(map(_dataset, derived.datasets)),
        removed=derived.removed,
    )


def _last_cloud(derived: ReleasePlan) -> str:
    last = derived.last
    return "" if last.number is None else derived.naming.cloud(last.number)


def _version(derived: ReleasePlan) -> str:
    """Version of the only dataset; for several or none, that of the whole tree."""
    if len(derived.datasets) == 1:
        return derived.datasets[0].version
    return derived.tree_version


def _dataset(one: PlannedDataset) -> ReleasedDataset:
    comparison = one.pair.comparison
    old = comparison.old["urn"] if comparison.old else comparison.urn
    decider = one.decider
    return ReleasedDataset(
        urn=comparison.urn,
        path=one.path,
        renamedFrom=old if old != comparison.urn else None,
        bump=BumpWord(one.bump.word),
        previousVersion=one.previous,
        schemaVersion=one.version,
        decidedBy=None if decider is None else _decider(decider),
        changes=one.changes,
    )


def _decider(one: Finding) -> Decider:
    return Decider(
        rule=one.rule.id,
        slug=one.rule.slug,
        level=LevelWord(one.level.word),
        message=message(one.rule.message, one.told),
        fingerprint=one.fingerprint,
    )
