"""Validation of stored files, with findings: content, path and environment."""

from dataclasses import dataclass
from typing import TypeVar

from lumos_snap.canonical.document_kinds import SNAPSHOT, DocumentKind, kind_at, kind_of
from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.canonical.rules import (
    CHANGED_MEANWHILE,
    ENVIRONMENT,
    MISPLACED,
    NOT_A_DOCUMENT,
    NOT_CANONICAL,
)
from lumos_snap.documents import Position, Problem
from lumos_snap.documents.json_text import UNREADABLE, locate
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.command_reports import FileFinding
from lumos_snap.schema import Document, Value
from lumos_snap.tree.files import NO_KIND, PathRemark, TreePaths

# Validation of stored documents: content, path and environment.


V = TypeVar("V", bound=Value)


def find_faults(
    path: str, content: bytes, reading: ReadResult[V], kind: DocumentKind, environment: str | None
) -> tuple[Problem, ...]:
    """Find the problems of the document at a path, except its layout."""
    if reading.document is None:
        return reading.problems
    misplaced = _find_misplaced(path, content, kind, reading.document)
    if kind is not SNAPSHOT:
        return (*reading.problems, *misplaced)
    other = _other_environment(content, reading.document, environment)
    return (*reading.problems, *misplaced, *other)


def _find_misplaced(
    path: str, content: bytes, kind: DocumentKind, document: Document
) -> tuple[Problem, ...]:
    try:
        belongs = kind.path_of(document)
    except LumosError:
        return ()  # an invalid urn is a finding of its own
    if belongs == path:
        return ()
    place = locate(content, [(kind.identity,)])[(kind.identity,)]
    message, hint = f"belongs at {belongs}", "move it with `git mv`, or mend its urn or id"
    return (Problem(place, MISPLACED, message, hint),)


def _other_environment(
    content: bytes, document: Document, environment: str | None
) -> tuple[Problem, ...]:
    own = document.get("environment")
    if own is None or environment is None or own == environment:
        return ()
    place = locate(content, [("environment",)])[("environment",)]
    message = f"environment `{own}` is not the tree's `{environment}`"
    return (Problem(place, ENVIRONMENT, message, "change it, or `environment` in lumos.yaml"),)


def read_value(path: str, content: bytes | OSError, cls: type[V], kind: DocumentKind) -> V:
    """Read the value in a file of a tree; raises its first problem."""
    if isinstance(content, OSError):
        raise OutsideError(f"{path}: cannot be read: {content.strerror}")
    reading = read(content, cls)
    _require(path, find_faults(path, content, reading, kind, None))
    value = reading.value
    assert value is not None  # noqa: S101 - without a problem there is a value
    return value


def encode_checked(value: Value, environment: str | None) -> tuple[str, bytes]:
    """Path and bytes of a value; raises the first problem that the file would have."""
    kind = kind_of(value)
    path = kind.path(getattr(value, kind.identity))
    content = encode(value)
    _require(path, find_faults(path, content, read(content, type(value)), kind, environment))
    return path, content


def _require(path: str, problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        where = f"{path}:{problem.place.line}:{problem.place.column}"
        raise LumosError(
            f"{where}: {problem.message}", hint=problem.hint or "run `lumos snap validate`"
        )


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
