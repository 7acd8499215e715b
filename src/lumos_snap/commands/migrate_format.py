"""`lumos snap migrate-format`: upgrade files of a tree from older formats."""

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
from lumos_snap.commands.import_reader import ImportContent, IncomingDocument, content_of
from lumos_snap.commands.validate import Progress
from lumos_snap.documents import Position, Problem, json_text
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.report.command_reports import FileFinding, MigrateReport
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import build_finding, check_file, conflict_finding, unfit_findings
from lumos_snap.tree.selection import select_paths
from lumos_snap.tree.writer import Writer, open_writer

_PREVENTS = frozenset({UNREADABLE, NEWER_FORMAT})
"""Rules that leave open whether a document has an older format, or how to upgrade it."""


@dataclass(frozen=True, slots=True)
class _Upgrade:
    """A document as read, and its upgrade."""

    read: bytes
    content: ImportContent


def migrate(tree: Tree, paths: Sequence[Path], progress: Progress, *, write: bool) -> MigrateReport:
    """Upgrade the documents of a tree in place; without `write`, only list them."""
    found = select_paths(tree, paths)
    upgrades: dict[str, _Upgrade] = {}
    findings = unfit_findings(found)
    for done, (path, content) in enumerate(tree.files.read_all(found.documents), 1):
        rules = {one.rule: one for one in check_file(path, content).findings}
        findings += [one for rule, one in rules.items() if rule in _PREVENTS]
        if OLDER_FORMAT in rules and isinstance(content, bytes):
            upgrades[path] = _Upgrade(content, _upgrade_document(tree, path, content))
        progress(done, len(found.documents))
    sound: dict[str, _Upgrade] = {}
    for path, upgrade in upgrades.items():
        hindrances = (*upgrade.content.findings, *_find_obstacles(tree, path, upgrade.content))
        findings += hindrances
        if not hindrances:
            sound[path] = upgrade
    left = _replace(tree, sound) if write else ()
    findings += map(conflict_finding, left)
    done_with = {path: upgrade for path, upgrade in sound.items() if path not in left}
    return MigrateReport(
        format_version=FORMAT_VERSION,
        checked=len(found.documents),
        changed=tuple(done_with),
        written=write,
        notes=tuple(note for upgrade in done_with.values() for note in upgrade.content.notes),
        findings=tuple(findings),
    )


def _upgrade_document(tree: Tree, path: str, raw: bytes) -> ImportContent:
    """Upgrade a document from a legacy shape, or from an older version of the format."""
    kind, document = kind_at(path), json_text.parse(raw)
    environment = tree.config.environment
    if kind is None or migrations.shape_of(document) is not None:
        return content_of(IncomingDocument(path, raw), environment)
    newer = in_format(document, kind.name, PRESENT)
    if newer is None:
        return ImportContent("", {}, findings=check_file(path, raw, environment).findings)
    target, content = kind.path_of(newer), encode_document(newer, kind.cls)
    findings = check_file(target, content, environment).findings
    return ImportContent("", {target: content}, findings=findings)


def _find_obstacles(tree: Tree, path: str, content: ImportContent) -> tuple[FileFinding, ...]:
    """Findings for existing files that the upgrade would have to replace, which it never does."""
    return tuple(
        build_finding(
            path, Problem(Position(), EXISTS, f"{new} is there already", "remove one of the two")
        )
        for new, wanted in content.files.items()
        if new != path and tree.files.read(new) not in (None, wanted)
    )


def _replace(tree: Tree, upgrades: Mapping[str, _Upgrade]) -> tuple[str, ...]:
    """Write the upgrades; the result lists documents that changed in the meantime."""
    if not upgrades:
        return ()
    left: list[str] = []
    with open_writer(tree.files.folder()) as writer:
        for path, upgrade in upgrades.items():
            is_as_read = tree.files.read(path) == upgrade.read
            if is_as_read and not _find_obstacles(tree, path, upgrade.content):
                _replace_one(writer, path, upgrade.content)
            else:
                left.append(path)
    return tuple(left)


def _replace_one(writer: Writer, path: str, content: ImportContent) -> None:
    """Write new files before the old one is removed: an interruption loses nothing."""
    for new, wanted in content.files.items():
        writer.put(new, wanted)
    if path not in content.files:
        writer.remove(path)
