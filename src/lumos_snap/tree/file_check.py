"""Validation of one stored file, with findings."""

from dataclasses import dataclass

from lumos_snap.canonical.document_kinds import kind_at
from lumos_snap.canonical.read import read
from lumos_snap.canonical.rules import CHANGED_MEANWHILE, NOT_A_DOCUMENT, NOT_CANONICAL
from lumos_snap.documents import Position, Problem
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.report.command_reports import FileFinding
from lumos_snap.tree.path_kinds import NO_KIND, PathRemark, TreePaths
from lumos_snap.tree.validate import find_faults

Content = bytes | OSError


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A file and its findings; `canonical` is its content in canonical form."""

    path: str
    findings: tuple[FileFinding, ...]
    canonical: bytes | None = None


def check_file(path: str, content: Content, environment: str | None = None) -> FileCheck:
    """Validate one file of a tree: its path, its structure, its validation rules and its form."""
    kind = kind_at(path)
    if kind is None:
        return FileCheck(path, (stray_finding(PathRemark(path, NO_KIND)),))
    if isinstance(content, OSError):
        return FileCheck(path, (build_finding(path, unreadable_problem(content)),))
    reading = read(content, kind.cls)
    problems = list(find_faults(path, content, reading, kind, environment))
    if reading.canonical not in (None, content) and not problems:
        first = _first_difference(content, reading.canonical or b"")
        message = "is not in canonical form"
        problems.append(Problem(Position(first), NOT_CANONICAL, message, "run `lumos snap fmt`"))
    return FileCheck(
        path, tuple(build_finding(path, problem) for problem in problems), reading.canonical
    )


def build_finding(path: str, problem: Problem) -> FileFinding:
    """Build the finding for a problem of a file."""
    return FileFinding(
        path=path,
        line=problem.place.line,
        column=problem.place.column,
        rule=problem.rule,
        message=problem.message,
        hint=problem.hint,
    )


def unreadable_problem(exc: OSError) -> Problem:
    """The problem of a file that could not be read."""
    message = f"cannot be read: {exc.strerror or exc}"
    return Problem(Position(), UNREADABLE, message, "check that it exists and its permissions")


def unfit_findings(found: TreePaths) -> list[FileFinding]:
    """Findings for everything in a tree that is not a document."""
    return [*map(stray_finding, found.strays), *map(_unlistable_finding, found.unreadable)]


def stray_finding(remark: PathRemark) -> FileFinding:
    """The finding for a file that does not belong in a tree."""
    message, hint = f"is not a document: {remark.why}", "remove it, or keep it elsewhere"
    return build_finding(remark.path, Problem(Position(), NOT_A_DOCUMENT, message, hint))


def _unlistable_finding(remark: PathRemark) -> FileFinding:
    message, hint = f"cannot be listed: {remark.why}", "check its permissions"
    return build_finding(remark.path, Problem(Position(), UNREADABLE, message, hint))


def conflict_finding(path: str) -> FileFinding:
    """The finding for a file that was changed by others since it was read."""
    message, hint = "has changed since it was read: kept as it is", "run the command again"
    return build_finding(path, Problem(Position(), CHANGED_MEANWHILE, message, hint))


def _first_difference(content: bytes, canonical: bytes) -> int:
    """The first line where a file differs from its canonical form."""
    lines = content.split(b"\n")
    wanted = canonical.split(b"\n")
    pairs = zip(lines, wanted, strict=False)
    return next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(lines), len(wanted)))
