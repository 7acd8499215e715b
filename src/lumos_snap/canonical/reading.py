"""Stored documents, read and judged: structure first, then laws, then form."""

import re
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import migrations
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.laws import NEWER_FORMAT, OLDER_FORMAT, STRUCTURE, breaches
from lumos_snap.documents import Place, Pointer, Problem, RefusedError, jsontext
from lumos_snap.shape import Value, value_of

V = TypeVar("V", bound=Value)


@dataclass(frozen=True, slots=True)
class Reading(Generic[V]):
    """A document as it was found; `document` is there if its structure is right."""

    cls: type[V]
    problems: tuple[Problem, ...]
    document: dict[str, Any] | None = None
    canonical: bytes | None = None

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong with what the document says."""
        return not self.problems

    @property
    def value(self) -> V | None:
        """The value that the document stands for, if its structure is right."""
        return None if self.document is None else value_of(self.document, self.cls)


def read(raw: bytes, cls: type[V]) -> Reading[V]:
    """Read one document. Nothing is raised: what is wrong is in the reading's problems."""
    try:
        document = jsontext.parse(raw)
    except RefusedError as exc:
        return Reading(cls, (exc.problem,))
    found = _other_format(document)
    if found:
        return Reading(cls, located(raw, [found]))
    try:
        return _judged(raw, document, cls)
    except RecursionError:
        message = "is nested deeper than any tool could follow"
        return Reading(cls, (Problem(jsontext.deepest(raw), STRUCTURE, message),))


def _other_format(document: Any) -> tuple[Pointer, str, str, str] | None:
    """Why a document is not of the present format, if it says so itself."""
    if migrations.shape_of(document) is not None:
        message = "is in an older shape"
        return (), OLDER_FORMAT, message, "run `lumos snap migrate-format`"
    version = document.get("lumos_version") if isinstance(document, dict) else None
    numbers = _numbers(version) if isinstance(version, str) else None
    if numbers is not None and numbers > _KNOWN:
        message = f"has format {version}, and this version knows {FORMAT_VERSION}"
        return ("lumos_version",), NEWER_FORMAT, message, "install a newer lumos-snap"
    return None


def _numbers(version: str) -> tuple[int, ...] | None:
    match = re.fullmatch(r"([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})", version)
    return tuple(map(int, match.groups())) if match else None


_KNOWN = _numbers(FORMAT_VERSION) or ()


def _judged(raw: bytes, document: Any, cls: type[V]) -> Reading[V]:
    from lumos_snap.shape.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    wrong = misfits(document, cls)
    if wrong:
        return Reading(
            cls, located(raw, [(m.pointer, STRUCTURE, m.message, m.hint) for m in wrong])
        )
    canonical = encode_document(document, cls)
    repeats = () if raw == canonical else jsontext.repeated_keys(raw)
    laws = [(b.pointer, b.law.id, b.message, b.law.fix) for b in breaches(document, cls)]
    return Reading(cls, (*repeats, *located(raw, laws)), document, canonical)


def located(raw: bytes, found: list[tuple[Pointer, str, str, str]]) -> tuple[Problem, ...]:
    """Problems in the order of the text, from pointers into it."""
    if not found:
        return ()
    places = jsontext.locate(raw, [pointer for pointer, *_ in found])
    return tuple(
        sorted(
            Problem(places.get(pointer, Place()), rule, message, hint)
            for pointer, rule, message, hint in found
        )
    )
