"""`lumos snap migrate-format`: files of a tree in older shapes become files of the present one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import migrations
from lumos_snap.canonical.document_kinds import kind_at
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.migrations.registry import in_format
from lumos_snap.canonical.read import PRESENT
from lumos_snap.canonical.rules import EXISTS, NEWER_FORMAT, OLDER_FORMAT
from lumos_snap.commands.import_reader import Content, Incoming, content_of
from lumos_snap.commands.validate import Progress
from lumos_snap.documents import Place, Problem, json_text
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.report.command_reports import Finding, Migrated
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import changed_meanwhile, finding, judge, unfit
from lumos_snap.tree.selection import chosen
from lumos_snap.tree.writer import Writer, writing

_PREVENTS = frozenset({UNREADABLE, NEWER_FORMAT})
"""What leaves it open whether a document is in an older shape, or how to upgrade it."""


@dataclass(frozen=True, slots=True)
class _Upgrade:
    """A document as it was read, and what becomes of it."""

    read: bytes
    content: Content


def migrate(tree: Tree, paths: Sequence[Path], progress: Progress, *, write: bool) -> Migrated:
    """Upgrade the documents of a tree in place; without `write`, only name them."""
    found = chosen(tree, paths)
    upgrades: dict[str, _Upgrade] = {}
    findings = unfit(found)
    for done, (path, content) in enumerate(tree.files.read_all(found.documents), 1):
        rules = {one.rule: one for one in judge(path, content).findings}
        findings += [one for rule, one in rules.items() if rule in _PREVENTS]
        if OLDER_FORMAT in rules and isinstance(content, bytes):
            upgrades[path] = _Upgrade(content, _upgraded(tree, path, content))
        progress(done, len(found.documents))
    sound: dict[str, _Upgrade] = {}
    for path, upgrade in upgrades.items():
        hindrances = (*upgrade.content.findings, *_in_the_way(tree, path, upgrade.content))
        findings += hindrances
        if not hindrances:
            sound[path] = upgrade
    left = _replace(tree, sound) if write else ()
    findings += map(changed_meanwhile, left)
    done_with = {path: upgrade for path, upgrade in sound.items() if path not in left}
    return Migrated(
        format_version=FORMAT_VERSION,
        checked=len(found.documents),
        changed=tuple(done_with),
        written=write,
        notes=tuple(note for upgrade in done_with.values() for note in upgrade.content.notes),
        findings=tuple(findings),
    )


def _upgraded(tree: Tree, path: str, raw: bytes) -> Content:
    """What becomes of a document in an older shape, or in an older version of the format."""
    kind, document = kind_at(path), json_text.parse(raw)
    environment = tree.config.environment
    if kind is None or migrations.shape_of(document) is not None:
        return content_of(Incoming(path, raw), environment)
    newer = in_format(document, kind.name, PRESENT)
    if newer is None:
        return Content("", {}, findings=judge(path, raw, environment).findings)
    target, content = kind.path_of(newer), encode_document(newer, kind.cls)
    findings = judge(target, content, environment).findings
    return Content("", {target: content}, findings=findings)


def _in_the_way(tree: Tree, path: str, content: Content) -> tuple[Finding, ...]:
    """Files that the upgrade would have to replace: it never does."""
    return tuple(
        finding(path, Problem(Place(), EXISTS, f"{new} is there already", "remove one of the two"))
        for new, wanted in content.files.items()
        if new != path and tree.files.read(new) not in (None, wanted)
    )


def _replace(tree: Tree, upgrades: Mapping[str, _Upgrade]) -> tuple[str, ...]:
    """Write the upgrades; returns the documents that somebody else has changed meanwhile."""
    if not upgrades:
        return ()
    left: list[str] = []
    with writing(tree.files.folder()) as writer:
        for path, upgrade in upgrades.items():
            is_as_read = tree.files.read(path) == upgrade.read
            if is_as_read and not _in_the_way(tree, path, upgrade.content):
                _replace_one(writer, path, upgrade.content)
            else:
                left.append(path)
    return tuple(left)


def _replace_one(writer: Writer, path: str, content: Content) -> None:
    """New files first, the old one after: a kill between the two loses nothing."""
    for new, wanted in content.files.items():
        writer.put(new, wanted)
    if path not in content.files:
        writer.remove(path)
