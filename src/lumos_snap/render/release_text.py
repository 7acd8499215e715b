"""Releases as plain text: for the terminal, and as message of a commit and a tag."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lumos_snap.render.plain_text import count, table
from lumos_snap.report.release import DatasetVersion, PastRelease, ReleasedDataset, ReleaseReport
from lumos_snap.text import sanitize_text

_MOST_NAMED = 100
_FEW_CHANGES = 3


@dataclass(frozen=True, slots=True)
class MessageParts:
    """The parts of a release message."""

    report: ReleaseReport
    tree_version: str
    subject: str = ""


def release_message(words: MessageParts) -> str:
    """The message of a release's commit and tag; the version of the tree is the last line."""
    return "".join(f"{sanitize_text(line)}\n" for line in _message(words))


def _message(words: MessageParts) -> Iterator[str]:
    report = words.report
    yield _subject(words)
    yield ""
    yield _count_datasets(report)
    yield ""
    for dataset in report.datasets[:_MOST_NAMED]:
        yield f"{_name(dataset.urn)} {_versions(dataset)}"
        yield from (f"  {line}" for line in dataset.changes[:_FEW_CHANGES])
        if len(dataset.changes) > _FEW_CHANGES:
            yield f"  … and {count(len(dataset.changes) - _FEW_CHANGES, 'more change')}"
    if len(report.datasets) > _MOST_NAMED:
        yield f"… and {count(len(report.datasets) - _MOST_NAMED, 'more dataset')}"
    for removed in report.removed[:_MOST_NAMED]:
        yield f"{_name(removed.urn)} removed, it was {removed.previousVersion or 'never released'}"
    if len(report.removed) > _MOST_NAMED:
        yield f"… and {count(len(report.removed) - _MOST_NAMED, 'more dataset')} removed"
    yield ""
    yield f"Schema-Version: {words.tree_version}"


def _subject(words: MessageParts) -> str:
    report = words.report
    if not words.subject:
        return f"Release {report.cloudVersion}"
    known = {
        "{cloudVersion}": report.cloudVersion,
        "{schemaVersion}": report.schemaVersion,
        "{gitTag}": report.gitTag,
        "{bump}": report.bump.value,
    }
    subject = words.subject
    for name, value in known.items():
        subject = subject.replace(name, value)
    return subject


def _count_datasets(report: ReleaseReport) -> str:
    bumps = Counter(_word(dataset) for dataset in report.datasets)
    parts = [f"{bumps[word]} {word}" for word in ("major", "minor", "patch", "new") if bumps[word]]
    if report.removed:
        parts.append(f"{len(report.removed)} removed")
    total = len(report.datasets) + len(report.removed)
    return f"{count(total, 'dataset')}: {', '.join(parts)}"


def _word(dataset: ReleasedDataset) -> str:
    return "new" if dataset.previousVersion is None else dataset.bump.value


def _versions(dataset: ReleasedDataset) -> str:
    former = f", was {_name(dataset.renamedFrom)}" if dataset.renamedFrom else ""
    if dataset.previousVersion is None:
        return f"{dataset.schemaVersion} (new{former})"
    return f"{dataset.previousVersion} → {dataset.schemaVersion} ({dataset.bump.value}{former})"


def _name(urn: str) -> str:
    return urn.removeprefix("lumos://")


def release(
    report: ReleaseReport, steps: Sequence[str], *, limit: int, explain: bool = False
) -> Iterator[str]:
    """The datasets of a release, and the steps taken."""
    if not report.changesDetected:
        yield _nothing(report)
        yield from steps
        return
    start = "first release" if report.since == "none" else report.since
    yield f"{start} → {report.cloudVersion}  [{report.bump.value}]"
    most = limit or len(report.datasets) + len(report.removed)
    shown_datasets = report.datasets[:most]
    if explain:
        yield from (line for dataset in shown_datasets for line in _explain_dataset(dataset))
    else:
        rows = [(_name(one.urn), *_cells(one)) for one in shown_datasets]
        yield from (f"  {line}" for line in table(rows)) if rows else ()
    if len(report.datasets) > most:
        left = count(len(report.datasets) - most, "more dataset")
        yield f"  … and {left}: --limit 0 shows all"
    for one in report.removed[:most]:
        yield f"  {_name(one.urn)}  removed, it was {one.previousVersion or 'never released'}"
    yield _count_datasets(report)
    yield from steps


def _nothing(report: ReleaseReport) -> str:
    since = f" since {report.since}" if report.since != "none" else ": there is no dataset yet"
    return f"nothing changed{since}"


def _cells(dataset: ReleasedDataset) -> tuple[str, str]:
    former = f"  was {_name(dataset.renamedFrom)}" if dataset.renamedFrom else ""
    before = f"{dataset.previousVersion} → " if dataset.previousVersion else ""
    return f"{before}{dataset.schemaVersion}", f"{_word(dataset)}{former}"


def _explain_dataset(dataset: ReleasedDataset) -> Iterator[str]:
    versions, word = _cells(dataset)
    yield f"  {_name(dataset.urn)}  {versions}  {word}"
    decider = dataset.decidedBy
    if dataset.previousVersion is None:
        yield "      it was never released, so nothing is stepped"
    elif decider is not None:
        yield f"      {decider.rule} {decider.slug}: {decider.message}"
        yield f"      {decider.level.value}  {decider.fingerprint}"


def version(report: DatasetVersion) -> Iterator[str]:
    """The version of a dataset, its unreleased changes, and its history."""
    release_name = f" ({report.cloud_version})" if report.cloud_version else ""
    pending = report.unreleased
    unreleased = f", unreleased changes: {pending.bump.value}" if pending else ""
    yield f"{report.schema_version or 'never released'}{release_name}{unreleased}"
    if pending:
        yield f"  since {pending.since}, and a release now would be {pending.next_version}:"
        yield from (f"    {line}" for line in pending.changes)
    for one in report.history:
        yield ""
        yield from _past(one)


def _past(one: PastRelease) -> Iterator[str]:
    parts = (one.cloud_version, one.bump or "first", one.released_at)
    tag = f"  tag {one.tag}" if one.tag and one.tag != one.cloud_version else ""
    yield f"{one.schema_version or '-'}  {'  '.join(part or '-' for part in parts)}{tag}"
    yield from (f"    {line}" for line in one.changes)
