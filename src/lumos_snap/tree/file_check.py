"""One stored file, judged: what is wrong with it, as findings."""

from dataclasses import dataclass

from lumos_snap.canonical.document_kinds import kind_at
from lumos_snap.canonical.read import read
from lumos_snap.canonical.rules import CHANGED_MEANWHILE, NOT_A_DOCUMENT, NOT_CANONICAL
from lumos_snap.documents import Place, Problem
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.report.command_reports import Finding
from lumos_snap.tree.path_kinds import NO_KIND, Found, Remark
from lumos_snap.tree.validate import faults

Content = bytes | OSError


@dataclass(frozen=True, slots=True)
class Judged:
    """A file with everything that is wrong with it; `canonical` is what its bytes should be."""

    path: str
    findings: tuple[Finding, ...]
    canonical: bytes | None = None


def judge(path: str, content: Content, environment: str | None = None) -> Judged:
    """Judge one file of a tree by its place, its structure, its laws and its form."""
    kind = kind_at(path)
    if kind is None:
        return Judged(path, (stray(Remark(path, NO_KIND)),))
    if isinstance(content, OSError):
        return Judged(path, (finding(path, unreadable(content)),))
    reading = read(content, kind.cls)
    problems = list(faults(path, content, reading, kind, environment))
    if reading.canonical not in (None, content) and not problems:
        first = _first_difference(content, reading.canonical or b"")
        message = "is not in canonical form"
        problems.append(Problem(Place(first), NOT_CANONICAL, message, "run `lumos snap fmt`"))
    return Judged(path, tuple(finding(path, problem) for problem in problems), reading.canonical)


def finding(path: str, problem: Problem) -> Finding:
    """A problem of a file, as reports have it."""
    return Finding(
        path=path,
        line=problem.place.line,
        column=problem.place.column,
        rule=problem.rule,
        message=problem.message,
        hint=problem.hint,
    )


def unreadable(exc: OSError) -> Problem:
    """Why a file's bytes could not be had."""
    message = f"cannot be read: {exc.strerror or exc}"
    return Problem(Place(), UNREADABLE, message, "check that it exists and its permissions")


def unfit(found: Found) -> list[Finding]:
    """What was met in a tree beside its documents."""
    return [*map(stray, found.strays), *map(_unlisted, found.unreadable)]


def stray(remark: Remark) -> Finding:
    """Something that has no business in a tree."""
    message, hint = f"is not a document: {remark.why}", "remove it, or keep it elsewhere"
    return finding(remark.path, Problem(Place(), NOT_A_DOCUMENT, message, hint))


def _unlisted(remark: Remark) -> Finding:
    message, hint = f"cannot be listed: {remark.why}", "check its permissions"
    return finding(remark.path, Problem(Place(), UNREADABLE, message, hint))


def changed_meanwhile(path: str) -> Finding:
    """A file that somebody else has changed since it was read."""
    message, hint = "has changed since it was read: kept as it is", "run the command again"
    return finding(path, Problem(Place(), CHANGED_MEANWHILE, message, hint))


def _first_difference(content: bytes, canonical: bytes) -> int:
    """The line in which a file first departs from its canonical form."""
    lines = content.split(b"\n")
    wanted = canonical.split(b"\n")
    pairs = zip(lines, wanted, strict=False)
    return next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(lines), len(wanted)))
