"""One stored file, judged: what is wrong with it, as findings."""

from dataclasses import dataclass

from lumos_snap.canonical.kinds import SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.laws import ENVIRONMENT, MISPLACED, NOT_A_DOCUMENT, NOT_CANONICAL
from lumos_snap.canonical.reading import read
from lumos_snap.documents import Place, Problem
from lumos_snap.documents.jsontext import UNREADABLE, locate
from lumos_snap.errors import LumosError
from lumos_snap.report.reports import Finding
from lumos_snap.report.text import shown
from lumos_snap.shape import Document

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
        return Judged(path, (stray(path),))
    if isinstance(content, OSError):
        return Judged(path, (finding(path, unreadable(content)),))
    reading = read(content, kind.cls)
    problems = list(reading.problems)
    if reading.document is not None:
        problems += _elsewhere(path, content, kind, reading.document)
        if kind is SNAPSHOT:
            problems += _other_environment(content, reading.document, environment)
    if reading.canonical not in (None, content) and not problems:
        first = _first_difference(content, reading.canonical or b"")
        message = "is not in canonical form"
        problems.append(Problem(Place(first), NOT_CANONICAL, message, "run `lumos snap fmt`"))
    return Judged(path, tuple(finding(path, problem) for problem in problems), reading.canonical)


def finding(path: str, problem: Problem) -> Finding:
    """A problem of a file, as reports have it."""
    return Finding(
        path=shown(path),
        line=problem.place.line,
        column=problem.place.column,
        rule=problem.rule,
        message=shown(problem.message),
        hint=shown(problem.hint),
    )


def unreadable(exc: OSError) -> Problem:
    """Why a file's bytes could not be had."""
    message = f"cannot be read: {exc.strerror or exc}"
    return Problem(Place(), UNREADABLE, message, "check that it exists and its permissions")


def stray(path: str) -> Finding:
    """A file that has no business in a tree."""
    message = "is not a document of the tree: a link, or a name that does not end in .json"
    return finding(
        path, Problem(Place(), NOT_A_DOCUMENT, message, "remove it, or keep it elsewhere")
    )


def _elsewhere(path: str, content: bytes, kind: DocumentKind, document: Document) -> list[Problem]:
    try:
        belongs = kind.path_of(document)
    except LumosError:
        return []  # a urn that cannot be read is a finding of its own
    if belongs == path:
        return []
    place = locate(content, [(kind.identity,)])[(kind.identity,)]
    message, hint = f"belongs at {belongs}", "move it with `git mv`, or mend its urn or id"
    return [Problem(place, MISPLACED, message, hint)]


def _other_environment(
    content: bytes, document: Document, environment: str | None
) -> list[Problem]:
    own = document.get("environment")
    if own is None or environment is None or own == environment:
        return []
    place = locate(content, [("environment",)])[("environment",)]
    message = f"environment `{own}` is not the tree's `{environment}`"
    return [Problem(place, ENVIRONMENT, message, "change it, or `environment` in lumos.yaml")]


def _first_difference(content: bytes, canonical: bytes) -> int:
    """The line in which a file first departs from its canonical form."""
    lines = content.split(b"\n")
    wanted = canonical.split(b"\n")
    pairs = zip(lines, wanted, strict=False)
    return next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(lines), len(wanted)))
