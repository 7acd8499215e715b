"""`lumos snap fmt`: rewrite documents in canonical form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.canonical.rules import NOT_CANONICAL, STRUCTURE, UNRESOLVED_CONFLICT
from lumos_snap.commands.validate import Progress
from lumos_snap.concurrency import map_in_processes
from lumos_snap.documents.json_text import REPEATED_KEY, UNREADABLE
from lumos_snap.report.command_reports import FileFinding, FormatReport
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import check_file, conflict_finding, unfit_findings
from lumos_snap.tree.files import Content
from lumos_snap.tree.selection import select_paths

_PREVENTS = frozenset({UNREADABLE, REPEATED_KEY, STRUCTURE, UNRESOLVED_CONFLICT})
"""Rules that leave the canonical bytes of a document undecided."""


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """A document as read and in canonical form, or the findings that prevent the rewrite."""

    path: str
    read: bytes = b""
    canonical: bytes = b""
    findings: tuple[FileFinding, ...] = ()


def fmt(tree: Tree, paths: Sequence[Path], progress: Progress, *, write: bool) -> FormatReport:
    """Rewrite the documents that are not in canonical form; without `write`, only list them."""
    found = select_paths(tree, paths)
    total, done = len(found.documents), 0
    rewrites: list[_Rewrite] = []
    findings = unfit_findings(found)
    for batch, count in map_in_processes(
        _format_portion, tree.files.portions(found.documents), size=total
    ):
        findings += [finding for one in batch for finding in one.findings]
        rewrites += [one for one in batch if not one.findings]
        done += count
        progress(done, total)
    changed = tuple(one.path for one in rewrites)
    if write and rewrites:
        written = tree.write_bytes(
            {one.path: one.canonical for one in rewrites},
            expected={one.path: one.read for one in rewrites},
        )
        changed = written.changed
        findings += map(conflict_finding, written.left)
    return FormatReport(
        checked=total,
        changed=tuple(changed),
        written=write,
        findings=tuple(findings),
    )


def _format_portion(portion: Iterable[Content]) -> tuple[list[_Rewrite], int]:
    """Documents of a portion that need a rewrite or cannot be formatted; the count of all."""
    judged = [_format_one(path, content) for path, content in portion]
    return [one for one in judged if one], len(judged)


def _format_one(path: str, content: bytes | OSError) -> _Rewrite | None:
    judged = check_file(path, content)
    prevented = tuple(finding for finding in judged.findings if finding.rule in _PREVENTS)
    if isinstance(content, OSError) or prevented:
        return _Rewrite(path, findings=prevented)
    rules = {finding.rule for finding in judged.findings}
    if NOT_CANONICAL in rules or judged.canonical not in (None, content):
        return _Rewrite(path, content, judged.canonical or b"")
    return None
