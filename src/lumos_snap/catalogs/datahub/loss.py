"""What of a document a catalog cannot hold, by name: data for reports, and for the way back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.document_kinds import DocumentKind
from lumos_snap.catalogs.datahub.identity import LONGEST
from lumos_snap.catalogs.datahub.identity import Identity as Names
from lumos_snap.catalogs.datahub.mapping import projected
from lumos_snap.catalogs.datahub.rest import item_key
from lumos_snap.catalogs.datahub.tables import TABLES, Mapped
from lumos_snap.documents.position import Pointer
from lumos_snap.schema import Holds, Key, keys_of


@dataclass(frozen=True, slots=True)
class Loss:
    """One part of a document that does not come back."""

    pointer: Pointer
    """Where it stands; nothing at all: the whole document."""
    reason: str


TOO_LONG = f"its urn there would be longer than {LONGEST} bytes"
NO_TEXTS = "DataHub has no place for it on a {entity}, and no custom properties that could hold it"
NAMES_TOO_LONG = f"the urn there of what it names would be longer than {LONGEST} bytes"


def losses(document: Mapping[str, Any], kind: DocumentKind, identity: Names) -> tuple[Loss, ...]:
    """What of a canonical document the catalog cannot hold."""
    held = projected(document, kind, identity)
    if held is None:
        return (Loss((), TOO_LONG),)
    table = TABLES[kind.name]
    pointers = _lost(document, held, kind.cls, ())
    return tuple(Loss(pointer, _reason(pointer, table)) for pointer in pointers)


def _reason(pointer: Pointer, table: Mapped) -> str:
    """Why it is lost: what has a place does not fit there."""
    placed = {re.split(r"[.\[]", home.ours)[0] for codec in table.codecs for home in codec.homes}
    has_place = pointer[0] in placed
    return NAMES_TOO_LONG if has_place else NO_TEXTS.format(entity=table.entity)


def _lost(whole: Any, held: Any, cls: type, at: Pointer) -> Iterator[Pointer]:
    for name, one in whole.items():
        if name not in held:
            yield (*at, name)
        elif one != held[name]:
            yield from _within(one, held[name], keys_of(cls)[name], (*at, name))


def _within(whole: Any, held: Any, key: Key, at: Pointer) -> Iterator[Pointer]:
    if key.holds is Holds.OBJECT:
        assert key.item is not None  # noqa: S101 - an object has a class
        yield from _lost(whole, held, key.item, at)
    elif key.holds is Holds.FREE:
        yield from ((*at, name) for name, one in whole.items() if held.get(name) != one)
    elif key.holds is Holds.SCALARS and key.set_by is not None:
        yield from ((*at, place) for place, one in enumerate(whole) if one not in held)
    elif key.holds is Holds.OBJECTS and key.set_by is not None:
        yield from _of_items(whole, held, key, at)
    else:
        yield at


def _of_items(whole: Any, held: Any, key: Key, at: Pointer) -> Iterator[Pointer]:
    known = {item_key(one, key): one for one in held}
    for place, one in enumerate(whole):
        other = known.get(item_key(one, key))
        if other is None:
            yield (*at, place)
        elif key.item is not None:
            yield from _lost(one, other, key.item, (*at, place))


def without(document: Mapping[str, Any], lost: Sequence[Loss]) -> dict[str, Any]:
    """A document without what is lost: what the catalog holds of it."""
    pointers = [one.pointer for one in lost]
    return {} if () in pointers else _without(document, pointers)


def _without(held: Any, pointers: Sequence[Pointer]) -> Any:
    gone = {pointer[0] for pointer in pointers if len(pointer) == 1}
    inside: dict[str | int, list[Pointer]] = {}
    for pointer in pointers:
        inside.setdefault(pointer[0], []).append(pointer[1:])
    rows = held.items() if isinstance(held, Mapping) else enumerate(held)
    kept = [
        (name, _without(one, inside[name]) if name in inside else one)
        for name, one in rows
        if name not in gone
    ]
    return dict(kept) if isinstance(held, Mapping) else [one for _, one in kept]
