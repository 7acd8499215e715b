"""`lumos snap validate`: check a tree against all validation rules."""

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lumos_snap.canonical.document_kinds import SNAPSHOT, kind_at
from lumos_snap.commands.diff.sides import require_visible
from lumos_snap.commands.diff.waivers import waivers_in
from lumos_snap.concurrency import map_in_processes
from lumos_snap.config import CONFIG_NAME, WAIVERS
from lumos_snap.report.command_reports import FileFinding, ValidateReport
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import build_finding, check_file, unfit_findings
from lumos_snap.tree.files import Content
from lumos_snap.tree.selection import select_paths

Progress = Callable[[int, int], None]


def validate(tree: Tree, paths: Sequence[Path], progress: Progress) -> ValidateReport:
    """Validate the documents of a tree, or those at the given paths."""
    settings = tree.config_problems()
    environment = None if settings else tree.config.environment
    found = select_paths(tree, paths)
    if not paths:
        require_visible(tree, [path for path in found.documents if kind_at(path) is SNAPSHOT])
    findings = [build_finding(CONFIG_NAME, problem) for problem in settings]
    findings += unfit_findings(found)
    findings += () if paths else waivers_in(tree, tree.files.listed(WAIVERS, (".yaml", ".yml")))[1]
    work = functools.partial(_findings, environment=environment)
    total, done = len(found.documents), 0
    for batch, count in map_in_processes(work, tree.files.portions(found.documents), size=total):
        findings += batch
        done += count
        progress(done, total)
    return ValidateReport(source=tree.label, checked=total, findings=_in_order(findings))


def _findings(
    portion: Iterable[Content], *, environment: str | None
) -> tuple[list[FileFinding], int]:
    judged = [check_file(path, content, environment) for path, content in portion]
    return [finding for one in judged for finding in one.findings], len(judged)


def _in_order(findings: Iterable[FileFinding]) -> tuple[FileFinding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)))
