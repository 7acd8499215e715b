"""`lumos snap notify`: who should hear of what breaks, and telling them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lumos_snap.ci.webhook import Webhook
from lumos_snap.errors import LumosError
from lumos_snap.model.entities import Group, User
from lumos_snap.render.notifications import Letter, letter, messages
from lumos_snap.report.diff import ChangedDataset, ChangeFinding, ChangeWord, Difference, LevelWord
from lumos_snap.report.notify import Affected, Notice, Notified
from lumos_snap.rules.severity import Family
from lumos_snap.tree import Tree
from lumos_snap.tree.atomic import replace_file

Owned = dict[str | None, list[Affected]]


def notify(
    tree: Tree, difference: Difference, *, webhook: Webhook | None, folder: Path | None
) -> Notified:
    """Group what breaks by owner; post it and write it where that is asked for."""
    report = grouped(tree, difference)
    if not report.notices:
        return report
    if folder is not None:
        report = replace(report, notices=tuple(_written(report, folder)))
    if webhook is None:
        return report
    found = messages(report)
    for message in found:
        webhook.post(message)
    return replace(report, posted=len(found))


def grouped(tree: Tree, difference: Difference) -> Notified:
    """Who owns what breaks, and who reads it."""
    owned: Owned = {}
    read: Owned = {}
    breaking = 0
    for dataset in difference.datasets:
        found = [one for one in dataset.findings if _breaks(one)]
        breaking += len(found)
        owners = _owners(tree, difference, dataset) if found else ()
        for one in found:
            for owner in owners or (None,):
                owned.setdefault(owner, []).append(_affected(one))
            for reader, urns in _readers(one).items():
                if reader not in owners:
                    read.setdefault(reader, []).append(_affected(one, tuple(urns)))
    names = sorted({*owned, *read}, key=lambda name: (name is None, name or ""))
    return Notified(
        base=difference.base,
        head=difference.head,
        breaking=breaking,
        unread=len(difference.damaged) + len(difference.undecided),
        notices=tuple(_notice(tree, name, owned, read) for name in names),
        posted=0,
    )


def _breaks(one: ChangeFinding) -> bool:
    """What a policy misses is no change: its owner hears of it from `lumos snap check`."""
    return one.level is LevelWord.BREAKING and one.family != Family.POLICY


def _owners(tree: Tree, difference: Difference, dataset: ChangedDataset) -> tuple[str, ...]:
    """Who owns a dataset now; of one that is gone, who owned it."""
    is_gone = dataset.change is ChangeWord.REMOVED
    commit = difference.base.commit if is_gone else difference.head.commit
    side = tree.at(commit) if commit else tree
    snapshot = side.get(dataset.urn)
    owners = snapshot.ownership.owners if snapshot is not None else ()
    return tuple(dict.fromkeys(one.group or one.user or "" for one in owners))


def _readers(one: ChangeFinding) -> Mapping[str, list[str]]:
    """Who owns what is made from it, and which datasets those are."""
    found: dict[str, list[str]] = {}
    for consumer in one.impact.consumers if one.impact else ():
        for owner in consumer.owners:
            found.setdefault(owner, []).append(consumer.urn)
    return found


def _affected(one: ChangeFinding, reads: tuple[str, ...] = ()) -> Affected:
    return Affected(
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


def _notice(tree: Tree, name: str | None, owned: Owned, read: Owned) -> Notice:
    return Notice(
        owner=name,
        email=_email(tree, name) if name else None,
        owned=tuple(owned.get(name, ())),
        read=tuple(read.get(name, ())),
    )


def _email(tree: Tree, name: str) -> str | None:
    """Where an entity of the tree says that the owner can be written to."""
    for entity in (tree.entity(Group, name), tree.entity(User, name)):
        if entity is not None and entity.email:
            return entity.email
    return None


def _written(report: Notified, folder: Path) -> Iterator[Notice]:
    """Two files for each owner: what a mail is made of."""
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
