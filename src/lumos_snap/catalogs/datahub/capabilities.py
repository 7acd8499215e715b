"""The capabilities of DataHub catalogs, and the parts of documents that they cannot store."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION, DocumentKind
from lumos_snap.catalogs.adapter import Capabilities, DeleteMode, Identity, Loss, Projection
from lumos_snap.catalogs.datahub import quality
from lumos_snap.catalogs.datahub.aspect_registry import TABLES, KindMapping, find_mapping
from lumos_snap.catalogs.datahub.audit_stamps import ATTRIBUTED
from lumos_snap.catalogs.datahub.custom_properties import item_key
from lumos_snap.catalogs.datahub.documents import StoredEntity, urn_of
from lumos_snap.catalogs.datahub.mapping import Aspects, companion_urns, project_document
from lumos_snap.catalogs.datahub.mapping_page import find_unmapped, homes, texts
from lumos_snap.catalogs.datahub.urns import LONGEST, unknown_environment
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.documents.position import Pointer
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document, Holds, Key, keys_of


@dataclass(frozen=True, slots=True)
class UnsupportedMember:
    """One part of a document that does not survive the round trip."""

    pointer: Pointer
    """Its position; an empty pointer means the whole document."""
    reason: str


TOO_LONG = f"its urn there would be longer than {LONGEST} bytes"
NO_TEXTS = "DataHub has no place for it on a {entity}, and no custom properties that could hold it"
NAMES_TOO_LONG = f"the urn there of what it names would be longer than {LONGEST} bytes"


def losses(
    document: JsonObject, kind: DocumentKind, identity: Names
) -> tuple[UnsupportedMember, ...]:
    """List the parts of a canonical document that the catalog cannot store."""
    held = project_document(document, kind, identity)
    if held is None:
        return (UnsupportedMember((), TOO_LONG),)
    table = TABLES[kind.name]
    pointers = _find_lost(document, held, kind.cls, ())
    return tuple(UnsupportedMember(pointer, _reason(pointer, table)) for pointer in pointers)


def _reason(pointer: Pointer, table: KindMapping) -> str:
    """Why a part is lost: no place in DataHub, or too long for its place."""
    placed = {re.split(r"[.\[]", home.ours)[0] for codec in table.codecs for home in codec.homes}
    has_place = pointer[0] in placed
    return NAMES_TOO_LONG if has_place else NO_TEXTS.format(entity=table.entity)


def _find_lost(whole: Any, held: Any, cls: type, at: Pointer) -> Iterator[Pointer]:
    for name, one in whole.items():
        if name not in held:
            yield (*at, name)
        elif one != held[name]:
            yield from _within(one, held[name], keys_of(cls)[name], (*at, name))


def _within(whole: Any, held: Any, key: Key, at: Pointer) -> Iterator[Pointer]:
    if key.holds is Holds.OBJECT:
        assert key.item is not None  # noqa: S101 - an object has a class
        yield from _find_lost(whole, held, key.item, at)
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
            yield from _find_lost(one, other, key.item, (*at, place))


def without(document: JsonObject, lost: Sequence[UnsupportedMember]) -> JsonObject:
    """The document without its lost parts: what the catalog can store."""
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


_KINDS = {kind.name: kind for kind in KINDS if kind is not OBSERVATION}


def _parts(table: KindMapping) -> dict[str, frozenset[str]]:
    """The aspects that store each key. A check is an entity of its own, and is left out."""
    found: dict[str, set[str]] = {}
    for aspect, home in homes(table):
        if aspect != quality.ASPECT:
            found.setdefault(_plain(home.ours), set()).add(aspect)
    for key in texts(table):
        found.setdefault(_plain(key), set()).add(table.texts)
    return {key: frozenset(parts) for key, parts in found.items()}


def _plain(key: str) -> str:
    return key.replace("[]", "").replace("…", "")


HOLDS = Capabilities(
    holds={
        name: frozenset(keys_of(kind.cls)) - frozenset(find_unmapped(TABLES[name]))
        for name, kind in _KINDS.items()
    },
    attributed=ATTRIBUTED,
    parts={name: _parts(table) for name, table in TABLES.items()},
    has_preconditions=True,
    needs_referents=False,  # a urn may name an entity that does not exist yet
    deletes=DeleteMode.SOFT,
    permanent=frozenset(name for name, one in TABLES.items() if not one.can_be_removed),
    can_search=True,
)


def projection(identity: Identity, document: Document, names: Names) -> Projection:
    """Reduce a document to what its aspects can store."""
    if why := _collision(identity, names):
        return Projection(document, refusal=why)
    found = losses(document, _KINDS[identity.kind], names)
    why = next((one.reason for one in found if one.pointer == ()), "")
    why = (
        why
        or unknown_environment(urn_of(identity, names))
        or _name_mismatch(document, identity, found)
    )
    if why:
        return Projection(document, refusal=why)
    told = (Loss(_place(one.pointer), one.reason) for one in found)
    return Projection(without(document, found), tuple(told))


def _name_mismatch(
    document: Document, identity: Identity, found: Sequence[UnsupportedMember]
) -> str:
    """Why a document is not supported: a required key contradicts its urn."""
    keys = keys_of(identity.cls)
    lost = (one.pointer[0] for one in found if len(one.pointer) == 1)
    name = next((one for one in lost if isinstance(one, str) and keys[one].is_required), "")
    return f"its `{name}` is {document[name]!r}, and its urn says otherwise" if name else ""


def _collision(identity: Identity, names: Names) -> str:
    """Why a document is not supported: its DataHub urn maps back to another document."""
    urn = urn_of(identity, names)
    back = identity_of(urn, names)
    if back is None or back == identity:
        return ""
    return f"its urn there, {urn}, stands for {back.id}"


def _place(pointer: Sequence[str | int]) -> str:
    return ".".join(step for step in pointer if isinstance(step, str))


def identity_of(urn: str, names: Names) -> Identity | None:
    """The identity of the document that a DataHub urn stands for, if any."""
    table = find_mapping(urn.removeprefix("urn:li:").partition(":")[0])
    if table is None:
        return None
    back = table.back(names, urn) if table.back else names.of_entity(urn)
    return Identity(table.kind.name, back)


def list_companions(identity: Identity, stored: StoredEntity | str | None) -> tuple[str, ...]:
    """The urns of the entities that a document names as parts of itself."""
    aspects: Aspects = stored.aspects if isinstance(stored, StoredEntity) else {}
    try:
        return companion_urns(_KINDS[identity.kind], aspects)
    except (AttributeError, TypeError):  # damaged: reading it reports that
        return ()
