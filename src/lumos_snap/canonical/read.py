"""Read and validate stored documents: structure first, then validation rules, then form."""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import migrations
from lumos_snap.canonical.document_kinds import DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.migrations.registry import STEPS, format_of
from lumos_snap.canonical.rule_checks import TOO_DEEP
from lumos_snap.canonical.rules import (
    CONFLICTS,
    DECIDE,
    DEPTH,
    NEWER_FORMAT,
    OLDER_FORMAT,
    STRUCTURE,
    UNRESOLVED_CONFLICT,
    find_violations,
    find_violations_in_order,
)
from lumos_snap.documents import DocumentRefusedError, Pointer, Position, Problem, json_text
from lumos_snap.documents.limits import DOCUMENT, Limit, excess
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Value, value_of
from lumos_snap.schema.fast_check import is_normal_form
from lumos_snap.schema.fields import MOST_PROBLEMS

if TYPE_CHECKING:
    from lumos_snap.schema.validation import Misfit

# Fast path for documents already in canonical form: read without the validator.


def read_fast(raw: bytes, cls: type[Value], like: JsonObject | None = None) -> JsonObject | None:
    """Read a document that equals its canonical form; None if that is uncertain.

    Its keys may be in another order, which is irrelevant for comparing. `like` is a document
    already known to be valid: equal parts are not checked again.
    """
    if excess(raw):
        return None
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    if not is_normal_form(document, cls, like):
        return None
    found: dict[str, Any] = document
    return found


def read_valid(
    path: str,
    raw: bytes,
    kind: DocumentKind,
    environment: str | None,
    like: JsonObject | None = None,
) -> JsonObject | None:
    """Read the file at a path; None unless it is certainly valid.

    `like` is a document that `read_fast` returned.
    """
    document = read_fast(raw, kind.cls, like)
    if document is None or not _is_canonical(path, raw, document, kind):
        return None
    is_of_tree = environment is None or document.get("environment") in (None, environment)
    return document if is_of_tree else None


def _is_canonical(path: str, raw: bytes, document: JsonObject, kind: DocumentKind) -> bool:
    """Whether the bytes are canonical, and the document is at its path.

    Bytes that equal the re-encoded document have no repeated keys, no byte-order mark and no other
    line ends.
    """
    try:
        return (
            encode_document(document, kind.cls) == raw
            and not find_violations_in_order(document, kind.cls)
            and kind.path_of(document) == path
        )
    except (LumosError, RecursionError):  # invalid urn or too deep: validation reports it
        return False


def is_doubtful(path: str, raw: bytes, document: JsonObject, kind: DocumentKind) -> bool:
    """Whether a document that `read_fast` returned may be invalid, apart from its layout.

    With repeated keys, a byte-order mark, other line ends or other escapes, the bytes differ from
    the parsed document in more than whitespace.
    """
    said = raw.translate(None, b" \n")
    try:
        return (
            said != orjson.dumps(document).translate(None, b" ")
            or bool(find_violations_in_order(document, kind.cls))
            or kind.path_of(document) != path
        )
    except LumosError:
        return True


V = TypeVar("V", bound=Value)

PRESENT = format_of(FORMAT_VERSION) or (0, 0)


@dataclass(frozen=True, slots=True)
class ReadResult(Generic[V]):
    """A document with its problems; `document` is present if its structure is valid."""

    cls: type[V]
    problems: tuple[Problem, ...]
    document: JsonObject | None = None
    canonical: bytes | None = None

    @property
    def value(self) -> V | None:
        """The value of the document, if its structure is valid."""
        return None if self.document is None else value_of(self.document, self.cls)


def read(raw: bytes, cls: type[V], limit: Limit = DOCUMENT) -> ReadResult[V]:
    """Read one document. Nothing is raised: the result lists the problems."""
    try:
        document = json_text.parse(raw, limit)
    except DocumentRefusedError as exc:
        return ReadResult(cls, (exc.problem,))
    found = _other_format(document)
    if found:
        return ReadResult(cls, locate_problems(raw, [found]))
    try:
        return _validate(raw, document, cls)
    except RecursionError:  # only types nest this deep: the validator limits all else
        return ReadResult(cls, (Problem(json_text.deepest(raw), DEPTH.id, TOO_DEEP, DEPTH.fix),))


def _other_format(document: object) -> tuple[Pointer, str, str, str] | None:
    """Why a document is not in the current format, if it states another one."""
    if migrations.shape_of(document) is not None:
        return (), OLDER_FORMAT, "is in an older shape", _MIGRATE
    version = document.get("lumos_version") if isinstance(document, dict) else None
    if version == FORMAT_VERSION:
        return None
    stated = format_of(version) if isinstance(version, str) else None
    if stated is None or stated == PRESENT:
        return None
    message = f"has format {version}, and this version knows {FORMAT_VERSION}"
    if stated > PRESENT:
        return ("lumos_version",), NEWER_FORMAT, message, "install a newer lumos-snap"
    return ("lumos_version",), OLDER_FORMAT, message, _MIGRATE if stated in STEPS else _NO_STEP


_MIGRATE = "run `lumos snap migrate-format`"
_NO_STEP = "no upgrade from this format is known: mend `lumos_version`"


def _validate(raw: bytes, document: Any, cls: type[V]) -> ReadResult[V]:
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    wrong = misfits(document, cls)
    if wrong:
        found = _find_conflicts(document) or [_describe_misfit(misfit) for misfit in wrong]
        return ReadResult(cls, locate_problems(raw, found))
    canonical = encode_document(document, cls)
    repeats = () if raw == canonical else json_text.find_repeated_keys(raw)
    broken = islice(find_violations(document, cls), MOST_PROBLEMS)
    laws = [(b.pointer, b.law.id, b.message, b.law.fix) for b in broken]
    return ReadResult(cls, (*repeats, *locate_problems(raw, laws)), document, canonical)


def _find_conflicts(document: object) -> list[tuple[Pointer, str, str, str]]:
    """The unresolved conflicts of a merge; they are reported before all other problems."""
    if not isinstance(document, dict) or CONFLICTS not in document:
        return []
    held = document[CONFLICTS]
    listed = held if isinstance(held, list) and held else [held]
    places = [one.get("at") if isinstance(one, dict) else None for one in listed]
    return [
        (
            (CONFLICTS, index),
            UNRESOLVED_CONFLICT,
            f"two branches say different things{f' of `{place}`' if place else ''}",
            DECIDE,
        )
        for index, place in enumerate(places)
    ]


def _describe_misfit(misfit: "Misfit") -> tuple[Pointer, str, str, str]:
    if misfit.is_too_deep:
        return misfit.pointer, DEPTH.id, TOO_DEEP, DEPTH.fix
    return misfit.pointer, STRUCTURE, misfit.message, misfit.hint


def locate_problems(raw: bytes, found: list[tuple[Pointer, str, str, str]]) -> tuple[Problem, ...]:
    """Convert pointers to positions, and sort the problems by them."""
    if not found:
        return ()
    places = json_text.locate(raw, [pointer for pointer, *_ in found])
    return tuple(
        sorted(
            Problem(places.get(pointer, Position()), rule, message, hint)
            for pointer, rule, message, hint in found
        )
    )
