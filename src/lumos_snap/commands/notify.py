"""`lumos snap notify`: find the owners affected by breaking changes, and notify them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lumos_snap.ci.webhook import Webhook
from lumos_snap.errors import LumosError
from lumos_snap.model.entities import Group, User
from lumos_snap.render.notifications import Letter, letter, messages
from lumos_snap.report.diff import ChangedDataset, ChangeFinding, ChangeWord, DiffReport, LevelWord
from lumos_snap.report.gate import BreakingChange, NotifyReport, OwnerNotice
from lumos_snap.rules.rule import Family
from lumos_snap.tree import Tree
from lumos_snap.tree.atomic import replace_file

AffectedByOwner = dict[str | None, list[BreakingChange]]


def notify(
    tree: Tree, difference: DiffReport, *, webhook: Webhook | None, folder: Path | None
) -> NotifyReport:
    """Group breaking changes by owner; optionally post them and write them to files."""
    report = group_by_owner(tree, difference)
    if not report.notices:
        return report
    if folder is not None:
        report = replace(report, notices=tuple(_write_letters(report, folder)))
    if webhook is None:
        return report
    found = messages(report)
    for message in found:
        webhook.post(message)
    return replace(report, posted=len(found))


def group_by_owner(tree: Tree, difference: DiffReport) -> NotifyReport:
    """Group breaking changes by the owners of the datasets and of their consumers."""
    owned: AffectedByOwner = {}
    read: AffectedByOwner = {}
    breaking = 0
    for dataset in difference.datasets:
        found = [one for one in dataset.findings if _breaks(one)]
        breaking += len(found)
        owners = _owners(tree, difference, dataset) if found else ()
        for one in found:
            for owner in owners or (None,):
                owned.setdefault(owner, []).append(_build_affected(one))
            for reader, urns in _readers(one).items():
                if reader not in owners:
                    read.setdefault(reader, []).append(_build_affected(one, tuple(urns)))
    names = sorted({*owned, *read}, key=lambda name: (name is None, name or ""))
    return NotifyReport(
        base=difference.base,
        head=difference.head,
        breaking=breaking,
        unread=len(difference.damaged) + len(difference.undecided),
        notices=tuple(_notice(tree, name, owned, read) for name in names),
        posted=0,
    )


def _breaks(one: ChangeFinding) -> bool:
    """Whether a finding is a breaking change; `lumos snap check` reports policy violations."""
    return one.level is LevelWord.BREAKING and one.family != Family.POLICY


def _owners(tree: Tree, difference: DiffReport, dataset: ChangedDataset) -> tuple[str, ...]:
    """Current owners of a dataset; for a removed one, its last owners."""
    is_gone = dataset.change is ChangeWord.REMOVED
    commit = difference.base.commit if is_gone else difference.head.commit
    side = tree.at(commit) if commit else tree
    snapshot = side.get(dataset.urn)
    owners = snapshot.ownership.owners if snapshot is not None else ()
    return tuple(dict.fromkeys(one.group or one.user or "" for one in owners))


def _readers(one: ChangeFinding) -> Mapping[str, list[str]]:
    """Owners of downstream datasets, and those datasets."""
    found: dict[str, list[str]] = {}
    for consumer in one.impact.consumers if one.impact else ():
        for owner in consumer.owners:
            found.setdefault(owner, []).append(consumer.urn)
    return found


def _build_affected(one: ChangeFinding, reads: tuple[str, ...] = ()) -> BreakingChange:
    return BreakingChange(
        urn=one.urn,
        rule=one.rule,
        slug=one.slug,
        message=one.message,
        why=one.why,
        fix=one.fix,
        silent=one.silent,
        waived=one.waived,
        path=one.path,
        line=one.line,
        reads=reads,
    )


def _notice(
    tree: Tree, name: str | None, owned: AffectedByOwner, read: AffectedByOwner
) -> OwnerNotice:
    return OwnerNotice(
        owner=name,
        email=_email(tree, name) if name else None,
        owned=tuple(owned.get(name, ())),
        read=tuple(read.get(name, ())),
    )


def _email(tree: Tree, name: str) -> str | None:
    """Email address of an owner, from its entity in the tree."""
    for entity in (tree.entity(Group, name), tree.entity(User, name)):
        if entity is not None and entity.email:
            return entity.email
    return None


def _write_letters(report: NotifyReport, folder: Path) -> Iterator[OwnerNotice]:
    """Write two files for each owner, the parts of a mail."""
    if not folder.is_dir():
        raise LumosError(f"{folder}: there is no such folder", hint="create it first")
    for notice in report.notices:
        text: Letter = letter(report, notice)
        files = []
        for ending, content in (("txt", text.plain), ("html", text.html)):
            target = folder / f"{text.name}.{ending}"
            replace_file(target, content.encode("utf-8", "backslashreplace"))
            files.append(str(target))
        yield replace(notice, files=tuple(files))
