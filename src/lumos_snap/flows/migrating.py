"""`lumos snap migrate-format`: files of a tree in older shapes become files of the present one."""

from collections.abc import Sequence
from pathlib import Path

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.laws import EXISTS, NEWER_FORMAT, OLDER_FORMAT
from lumos_snap.documents import Place, Problem
from lumos_snap.flows.choosing import chosen
from lumos_snap.flows.incoming import Content, Incoming, content_of
from lumos_snap.flows.judging import finding, judge
from lumos_snap.flows.validating import Progress
from lumos_snap.report.reports import Finding, Migrated
from lumos_snap.report.text import shown
from lumos_snap.tree import Tree
from lumos_snap.tree.writing import writing


def migrate(tree: Tree, paths: Sequence[Path], progress: Progress, *, write: bool) -> Migrated:
    """Upgrade the documents of a tree in place; without `write`, only name them."""
    documents = chosen(tree, paths).documents
    upgraded: dict[str, Content] = {}
    findings: list[Finding] = []
    for done, (path, content) in enumerate(tree.files.read_all(documents), 1):
        rules = {found.rule: found for found in judge(path, content).findings}
        if NEWER_FORMAT in rules:
            findings.append(rules[NEWER_FORMAT])
        if OLDER_FORMAT in rules and isinstance(content, bytes):
            upgraded[path] = content_of(Incoming(path, content), tree.config.environment)
        progress(done, len(documents))
    for path, new in upgraded.items():
        findings += new.findings + _in_the_way(tree, path, new)
    hindered = {found.path for found in findings}
    sound = {
        path: c for path, c in upgraded.items() if shown(path) not in hindered and not c.findings
    }
    if write:
        _replace(tree, sound)
    return Migrated(
        format_version=FORMAT_VERSION,
        checked=len(documents),
        changed=tuple(map(shown, sound)),
        written=write,
        notes=tuple(note for content in sound.values() for note in content.notes),
        findings=tuple(findings),
    )


def _in_the_way(tree: Tree, path: str, content: Content) -> tuple[Finding, ...]:
    """Files that the upgrade would have to replace: it never does."""
    return tuple(
        finding(path, Problem(Place(), EXISTS, f"{new} is there already", "remove one of the two"))
        for new, wanted in content.files.items()
        if new != path and tree.files.read(new) not in (None, wanted)
    )


def _replace(tree: Tree, upgraded: dict[str, Content]) -> None:
    """New files first, old ones after: a kill between the two loses nothing."""
    with writing(tree.root) as writer:
        for path, content in upgraded.items():
            for new, wanted in content.files.items():
                writer.put(new, wanted)
            if path not in content.files:
                writer.remove(path)
