"""A derived release as a report."""

from lumos_snap.commands.bump.plan import Derived, Next
from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.release import Decider, Released, ReleasedDataset
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.messages import message


def reported(
    derived: Derived, *, dry_run: bool = False, committed: bool = False, pushed: bool = False
) -> Released:
    """What a release is, and how far it went."""
    last, is_new = derived.last, derived.has_changes
    was_released = last.number is not None
    return Released(
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


def _last_cloud(derived: Derived) -> str:
    last = derived.last
    return "" if last.number is None else derived.naming.cloud(last.number)


def _version(derived: Derived) -> str:
    """Of one dataset its version; of several, or of none, that of the whole tree."""
    if len(derived.datasets) == 1:
        return derived.datasets[0].version
    return derived.tree_version


def _dataset(one: Next) -> ReleasedDataset:
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
