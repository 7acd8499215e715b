"""`lumos snap validate`: everything that is wrong with a tree, or with an export."""

import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lumos_snap.canonical.laws import breaches
from lumos_snap.canonical.reading import located, read
from lumos_snap.config import CONFIG_NAME, config_problems
from lumos_snap.documents import Pointer
from lumos_snap.errors import OutsideError
from lumos_snap.flows.choosing import chosen
from lumos_snap.flows.judging import finding, judge, stray
from lumos_snap.flows.spread import spread
from lumos_snap.model.export import Export, ExportedSnapshot
from lumos_snap.model.observation import Observation
from lumos_snap.report.reports import Finding, Validation
from lumos_snap.report.text import shown
from lumos_snap.shape import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.files import Content

Progress = Callable[[int, int], None]


def validate(tree: Tree, paths: Sequence[Path], progress: Progress) -> Validation:
    """Judge the documents of a tree, or those that paths name."""
    settings = config_problems(tree.root)
    environment = None if settings else tree.config.environment
    found = chosen(tree, paths)
    findings = [finding(CONFIG_NAME, problem) for problem in settings]
    findings += map(stray, found.strays)
    work = functools.partial(_findings, environment=environment)
    total, done = len(found.documents), 0
    for batch, count in spread(work, tree.files.portions(found.documents), size=total):
        findings += batch
        done += count
        progress(done, total)
    return Validation(source=shown(tree.label), checked=total, findings=_in_order(findings))


def _findings(portion: Iterable[Content], *, environment: str | None) -> tuple[list[Finding], int]:
    judged = [judge(path, content, environment) for path, content in portion]
    return [finding for one in judged for finding in one.findings], len(judged)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)))


def validate_export(file: Path) -> Validation:
    """Judge an export document: its structure, and the laws of all that it carries."""
    try:
        raw = file.read_bytes()
    except OSError as exc:
        raise OutsideError(f"{file}: cannot be read: {exc.strerror}") from exc
    reading = read(raw, Export)
    document = reading.document or {}
    problems = reading.problems + located(raw, list(_carried(document)))
    return Validation(
        source=shown(str(file)),
        checked=len(document.get("datasets", ())),
        findings=_in_order(finding(str(file), problem) for problem in problems),
    )


def _carried(export: Document) -> Iterable[tuple[Pointer, str, str, str]]:
    """Breaches in the documents that an export carries."""
    for section, cls in (("datasets", ExportedSnapshot), ("observations", Observation)):
        for index, document in enumerate(export.get(section, ())):
            for breach in breaches(document, cls):
                law = breach.law
                yield (section, index, *breach.pointer), law.id, breach.message, law.fix
