"""Documents of a DataHub store: read them from entities, and turn changes into aspect writes.

Column metadata follows a renamed column: an entry moves as it is, with its attribution and time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentPlace,
    DocumentWrite,
    Identity,
    Reading,
    UnchangedDocument,
    Unreadable,
    WriteAction,
)
from lumos_snap.catalogs.datahub import audit_stamps, quality
from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.aspect_merge import merge_aspects
from lumos_snap.catalogs.datahub.aspect_registry import TABLES
from lumos_snap.catalogs.datahub.audit_stamps import Edits, Stamp
from lumos_snap.catalogs.datahub.custom_properties import OWN
from lumos_snap.catalogs.datahub.dataset_properties import FIELDS
from lumos_snap.catalogs.datahub.field_paths import read as read_path
from lumos_snap.catalogs.datahub.field_paths import to_v1
from lumos_snap.catalogs.datahub.mapping import (
    MappedDocument,
    from_aspects,
    is_removed,
    read_aspects_alone,
    to_aspects,
)
from lumos_snap.catalogs.datahub.structured_properties import STRUCTURED
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.errors import OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.schema import Document

_ENTRIES = "editableSchemaFieldInfo"
_LISTS = (("globalTags", "tags", "tag"), ("glossaryTerms", "terms", "urn"))


def follow_renames(aspects: Mapping[str, Aspect], moved: Mapping[str, str]) -> Mapping[str, Aspect]:
    """Move field entries to their current paths; `moved` maps former paths to current ones."""
    held = aspects.get(FIELDS.aspect)
    if not moved or held is None:
        return aspects
    found: dict[str, Aspect] = {}
    for entry in held.get(_ENTRIES) or ():
        path = format_path(read_path(entry["fieldPath"]))
        now = moved.get(path, path)
        one = {**entry, "fieldPath": to_v1(parse_path(now))} if now != path else entry
        found[now] = _unite_entries(found[now], one) if now in found else one
    return {**aspects, FIELDS.aspect: {**held, _ENTRIES: list(found.values())}}


def _unite_entries(one: Aspect, other: Aspect) -> Aspect:
    """Merge two entries about one column that do not contradict each other."""
    found: dict[str, Any] = {**other, **{name: held for name, held in one.items() if held}}
    for name, items, key in _LISTS:
        marks = [*_items(one, name, items), *_items(other, name, items)]
        if marks:
            by_key = {mark.get(key): mark for mark in reversed(marks)}
            found[name] = {**found[name], items: list(reversed(by_key.values()))}
    return found


def _items(entry: Aspect, name: str, items: str) -> list[Any]:
    return (entry.get(name) or {}).get(items) or []


STATUS = "status"
_KINDS = {kind.name: kind for kind in KINDS}
PARTS = {
    name: frozenset(codec.aspect for codec in table.codecs)
    | ({STATUS} if table.can_be_removed else frozenset())
    for name, table in TABLES.items()
}

Writes = Mapping[str, Mapping[str, Aspect]]
"""Aspects to write, by urn and name."""


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """A stored entity: its aspects by name, and a version of each."""

    aspects: Mapping[str, Aspect] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    """The last writer of each aspect, where the store records it."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """Unique tokens of an aspect's content over its history, where the store has them."""


NOTHING = StoredEntity()
Companions = Mapping[str, StoredEntity]


def versions(kind: str, stored: StoredEntity, companions: Companions) -> dict[str, str]:
    """The versions of the parts of a document; a missing part has none."""
    own = {name: one for name, one in stored.versions.items() if name in PARTS[kind]}
    others = {urn: version for urn, one in companions.items() if (version := _version(one))}
    return {**own, **others}


def _version(companion: StoredEntity) -> str:
    return "" if is_removed(companion.aspects) else companion.versions.get(quality.ASPECT, "")


def read(
    identity: Identity,
    stored: StoredEntity,
    companions: Companions,
    names: Names,
    marks: Mapping[Identity, str],
) -> Reading | None:
    """Read a document; return it as unchanged if it has the known mark."""
    mark = _mark(identity.kind, stored, companions, names)
    work_out = partial(_read_held, identity, stored, companions, names, mark)
    return (
        UnchangedDocument(identity, work_out)
        if mark and marks.get(identity) == mark
        else work_out()
    )


def _mark(kind: str, stored: StoredEntity, companions: Companions, names: Names) -> str:
    """One token for all parts of a document; empty if a part has no token.

    It includes the naming settings: with other settings a urn means another dataset.
    """
    digest = blake2b(names.naming.told().encode(), digest_size=12)
    parts = [(name, stored, name) for name in sorted(stored.versions.keys() & PARTS[kind])]
    for urn, one in sorted(companions.items()):
        parts += [(f"{urn} {name}", one, name) for name in sorted(one.versions)]
    for label, one, name in parts:
        token = one.tokens.get(name)
        if not token:
            return ""
        digest.update(f"{label} {token}\n".encode())
    return digest.hexdigest() if parts else ""


def _read_held(
    identity: Identity, stored: StoredEntity, companions: Companions, names: Names, mark: str
) -> CatalogDocument | Unreadable | None:
    known = versions(identity.kind, stored, companions)
    if not stored.versions.keys() & known.keys():
        return None
    kind, urn = _KINDS[identity.kind], urn_of(identity, names)
    shown = {one: held.aspects for one, held in companions.items() if _version(held)}
    try:
        document = from_aspects(kind, urn, stored.aspects, names, shown)
        ours = _ours(identity, document, stored.aspects, names)
    except OutsideError as exc:
        return Unreadable(identity, exc.message)
    edits = Edits(stored.stamps, names)
    gone = is_removed(stored.aspects)
    return CatalogDocument(identity, document, known, ours, edits, is_removed=gone, mark=mark)


def urn_of(identity: Identity, names: Names) -> str:
    """The DataHub urn of a document."""
    return TABLES[identity.kind].theirs(names, identity.id)


def _ours(
    identity: Identity, document: Document, aspects: Mapping[str, Aspect], names: Names
) -> frozenset[DocumentPlace]:
    kind, urn = _KINDS[identity.kind], urn_of(identity, names)
    source = names.naming.source
    marked = {name: aspects[name] for name in audit_stamps.MARKED if name in aspects}
    mine = {name: audit_stamps.ours_in(one, source) for name, one in marked.items()}
    typed = {name: one for name, one in marked.items() if name == STRUCTURED.aspect}
    said, known = (read_aspects_alone(kind, urn, some, aspects, names) for some in (mine, typed))
    return audit_stamps.places(document, said, known.get(OWN, {}), kind.cls)


class AspectWrites:
    """One change as aspects; `onto` computes the writes for the current content."""

    def __init__(self, change: DocumentWrite, names: Names) -> None:
        kind = _KINDS[change.identity.kind]
        self.urn = urn_of(change.identity, names)
        self._change = change
        self._source = names.naming.source
        nothing = MappedDocument(self.urn)
        is_deleted = change.action is WriteAction.DELETE
        seen = change.seen if not is_deleted else None
        self._before = to_aspects(seen.document, kind, names) if seen else nothing
        self._after = nothing if is_deleted else to_aspects(change.document, kind, names)
        self._aspects = _differing(self._before.aspects, self._after.aspects)
        self.companions = _differing(self._before.companions, self._after.companions)
        """The urns of the companion entities that are written."""

    def parts(self) -> tuple[str, ...]:
        """The parts that are written, or that the write depends on."""
        return (*dict.fromkeys((*self._aspects, STATUS)), *self.companions)

    def onto(self, stored: StoredEntity, companions: Companions) -> Writes | None:
        """Compute the aspects to write; None if a part changed since it was read."""
        change = self._change
        there = versions(change.identity.kind, stored, companions)
        seen = change.seen.versions if change.seen else {}
        is_whole = change.action is WriteAction.DELETE or change.seen is None
        parts: Iterable[str] = {**there, **seen} if is_whole else self.parts()
        if any(there.get(name, "") != seen.get(name, "") for name in parts):
            return None
        beside = self._beside(companions)
        # A companion stays referenced until it is gone, and is referenced before it exists, so that
        # an interrupted run leaves no orphan behind.
        gone = {urn: one for urn, one in beside.items() if urn not in self._after.companions}
        return {**gone, self.urn: self._own(stored), **beside}

    def _own(self, stored: StoredEntity) -> Mapping[str, Aspect]:
        ours, before = (
            {name: side.aspects[name] for name in self._aspects if name in side.aspects}
            for side in (self._after, self._before)
        )
        moved = self._change.moved
        there, former = follow_renames(stored.aspects, moved), follow_renames(before, moved)
        found = merge_aspects(there, ours, self._source, former)
        if self._change.action in (WriteAction.REVIVE, WriteAction.DELETE):
            removed = self._change.action is WriteAction.DELETE
            found[STATUS] = {**stored.aspects.get(STATUS, {}), "removed": removed}
        return found

    def _beside(self, companions: Companions) -> Writes:
        found: dict[str, dict[str, Aspect]] = {}
        for urn in self.companions:
            stored = companions.get(urn, NOTHING)
            ours = self._after.companions.get(urn)
            if ours is None:
                found[urn] = {STATUS: {"removed": True}}
            elif is_removed(stored.aspects):  # its content was not visible
                found[urn] = {**ours, STATUS: {"removed": False}}
            else:
                before = self._before.companions.get(urn, {})
                found[urn] = merge_aspects(stored.aspects, ours, self._source, before)
        return found


def _differing(before: JsonObject, after: JsonObject) -> tuple[str, ...]:
    names = {**before, **after}
    return tuple(name for name in names if before.get(name) != after.get(name))
