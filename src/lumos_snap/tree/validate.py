"""Validation of stored documents: content, path and environment."""

from typing import TypeVar

from lumos_snap.canonical.document_kinds import SNAPSHOT, DocumentKind, kind_of
from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.canonical.rules import ENVIRONMENT, MISPLACED
from lumos_snap.documents import Problem
from lumos_snap.documents.json_text import locate
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.schema import Document, Value

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
