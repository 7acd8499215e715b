"""Read and validate stored documents: structure first, then validation rules, then form."""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import migrations
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
)
from lumos_snap.documents import DocumentRefusedError, Pointer, Position, Problem, json_text
from lumos_snap.documents.limits import DOCUMENT, Limit
from lumos_snap.schema import Value, value_of
from lumos_snap.schema.fields import MOST_PROBLEMS

if TYPE_CHECKING:
    from lumos_snap.schema.validation import Misfit

V = TypeVar("V", bound=Value)

PRESENT = format_of(FORMAT_VERSION) or (0, 0)


@dataclass(frozen=True, slots=True)
class ReadResult(Generic[V]):
    """A document with its problems; `document` is present if its structure is valid."""

    cls: type[V]
    problems: tuple[Problem, ...]
    document: dict[str, Any] | None = None
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


def _other_format(document: Any) -> tuple[Pointer, str, str, str] | None:
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


def _find_conflicts(document: Any) -> list[tuple[Pointer, str, str, str]]:
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
