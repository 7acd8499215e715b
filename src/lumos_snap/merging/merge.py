"""A three-way merge of two versions of one document."""

from collections.abc import Iterator, Mapping
from typing import Any

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.rules import STRUCTURE, breaches
from lumos_snap.documents.position import Pointer
from lumos_snap.merging.labels import Where
from lumos_snap.merging.versions import ABSENT, Conflict, Conflicts, Merged, Sides
from lumos_snap.merging.walk import merged_key, merged_object
from lumos_snap.schema import Document, Key

Versions = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]


def merge(
    base: Mapping[str, Any] | None, ours: Mapping[str, Any], theirs: Mapping[str, Any], cls: type
) -> Merged:
    """Both versions of a document of class `cls` as one; each of the three must be valid.

    Without a base, both sides are taken to have written everything that they say.
    """
    sides = Sides(*(canonical_document(side or {}, cls) for side in (base, ours, theirs)))
    if sides.are_settled():
        return Merged(sides.settled(), ())
    found: Conflicts = []
    document = canonical_document(merged_object(sides, cls, Where(), found), cls)
    return Merged(document, tuple(found or _breaches(document, sides, cls)))


def merge_key(
    key: Key, base: Any, ours: Any, theirs: Any, *, at: str
) -> tuple[Any, tuple[Conflict, ...]]:
    """What stands under one key of a document, from what three versions have there.

    Each of them is canonical, or absent; whether the whole document is sound then is not asked.
    Sets are in no order.
    """
    found: Conflicts = []
    held = merged_key(Sides(base, ours, theirs), key, Where(at), found)
    return held, tuple(found)


def _breaches(document: Document, sides: Sides, cls: type) -> Iterator[Conflict]:
    """What is wrong with a document although neither of its sides was wrong."""
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    wrong = [(one.pointer, STRUCTURE, one.message) for one in misfits(document, cls)]
    if not wrong:
        wrong = [(one.pointer, one.law.id, one.message) for one in breaches(document, cls)]
    for pointer, rule, message in wrong:
        keys = _keys(pointer)
        held = sides.each(lambda side: _held(side, keys))  # noqa: B023 - asked at once
        yield held.conflict(".".join(keys), f"together they break `{rule}`: {message}")


def _keys(pointer: Pointer) -> tuple[str, ...]:
    """The way to a value as far as it is the same in every version: an index is not."""
    end = next((n for n, step in enumerate(pointer) if isinstance(step, int)), len(pointer))
    return tuple(map(str, pointer[:end]))


def _held(document: Document, keys: tuple[str, ...]) -> Any:
    held: Any = document
    for key in keys:
        held = held.get(key, ABSENT) if isinstance(held, dict) else ABSENT
    return held
