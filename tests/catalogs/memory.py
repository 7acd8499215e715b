"""A small catalog that keeps its word: parts with versions, preconditions, and who put what there.

Each section of a document is a part. A part that is written again with other content gets the next
version; numbers never come back. It remembers every write, so that tests can count them.
"""

import copy
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    CatalogDocument,
    DeleteMode,
    DocumentPlace,
    DocumentWrite,
    Edit,
    Identity,
    Loss,
    Projection,
    Reading,
    UnchangedDocument,
    WriteAction,
    WriteAnswer,
    WriteConfirmed,
    WriteStale,
)
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document, keys_of

ATTRIBUTED = {
    "governance.tags": ("governance", "tags"),
    "ownership.owners": ("ownership", "owners"),
}
DROPPED = frozenset({"versioning", "schedule"})
"""Sections of a snapshot that this catalog has no room for."""
STATUS = "(status)"


@dataclass
class Entry:
    """A document as the catalog keeps it."""

    parts: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    ours: set[DocumentPlace] = field(default_factory=set)
    edits: dict[str, Edit] = field(default_factory=dict)
    is_removed: bool = False


class Memory:
    """The catalog, as an adapter and as what people see of it."""

    name = "memory"

    def __init__(self, *, has_preconditions: bool = True, has_attribution: bool = True) -> None:
        self.capabilities = Capabilities(
            holds={"snapshot": frozenset(keys_of(Snapshot)) - DROPPED},
            attributed=frozenset(ATTRIBUTED) if has_attribution else frozenset(),
            has_preconditions=has_preconditions,
            deletes=DeleteMode.SOFT,
            can_search=True,
        )
        self.writes: list[DocumentWrite] = []
        self._entries: dict[Identity, Entry] = {}
        self._lock = threading.Lock()

    def project(self, identity: Identity, document: Document) -> Projection:
        if identity.kind != "snapshot":
            return Projection(document)
        losses = tuple(Loss(name, "has no room for it") for name in document if name in DROPPED)
        return Projection({n: v for n, v in document.items() if n not in DROPPED}, losses)

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        for identity in identities:
            with self._lock:
                entry = copy.deepcopy(self._entries.get(identity))
            if entry is None:
                continue
            held = self._held(identity, entry)
            is_same = marks.get(identity) == held.mark
            yield UnchangedDocument(identity, partial(copy.copy, held)) if is_same else held

    def _held(self, identity: Identity, entry: Entry) -> CatalogDocument:
        return CatalogDocument(
            identity,
            canonical_document(entry.parts, identity.cls),
            {name: str(number) for name, number in entry.versions.items()},
            frozenset(entry.ours) if self.capabilities.attributed else frozenset(),
            entry.edits,
            entry.is_removed,
            mark=repr(sorted(entry.versions.items())),
        )

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        with self._lock:
            self.writes.append(change)
            entry = self._entries.setdefault(change.identity, Entry())
            names = _written(change)
            if self.capabilities.has_preconditions and not _is_as_seen(entry, change, names):
                if not entry.versions:
                    del self._entries[change.identity]
                return WriteStale()
            _flag(entry, is_removed=change.action is WriteAction.DELETE)
            _put(entry, {name: change.document.get(name) for name in names}, is_ours=True)
            return WriteConfirmed({n: str(entry.versions[n]) for n in (*names, STATUS)})

    def search(self, words: str) -> Iterator[Identity]:
        with self._lock:
            found = sorted(self._entries)
        return (one for one in found if words in one.id)

    # What people do in the catalog, and what they see.

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        """Somebody makes a document say this, or removes it."""
        with self._lock:
            entry = self._entries.setdefault(identity, Entry())
            _flag(entry, is_removed=document is None)
            names = {**entry.parts, **(document or {})} if document is not None else {}
            parts = {name: (document or {}).get(name) for name in names}
            changed = {n: v for n, v in parts.items() if entry.parts.get(n) != v}
            _put(entry, changed, is_ours=False)
            entry.edits |= {name: Edit(who, "2026-01-15T10:00:00Z") for name in changed}

    def shown(self) -> dict[Identity, Document]:
        """Every document that is not removed."""
        with self._lock:
            return {
                identity: canonical_document(copy.deepcopy(entry.parts), identity.cls)
                for identity, entry in self._entries.items()
                if not entry.is_removed
            }


def _written(change: DocumentWrite) -> tuple[str, ...]:
    return () if change.action is WriteAction.DELETE else change.sections()


def _is_as_seen(entry: Entry, change: DocumentWrite, names: Iterable[str]) -> bool:
    seen: Mapping[str, str] = change.seen.versions if change.seen else {}
    asked = (*entry.versions, *seen) if change.action is WriteAction.DELETE else (*names, STATUS)
    return all(str(entry.versions.get(name, "")) == seen.get(name, "") for name in asked)


def _flag(entry: Entry, *, is_removed: bool) -> None:
    if entry.is_removed != is_removed or STATUS not in entry.versions:
        entry.is_removed = is_removed
        entry.versions[STATUS] = entry.versions.get(STATUS, 0) + 1


def _put(entry: Entry, parts: Mapping[str, Any], *, is_ours: bool) -> None:
    before = _items(entry.parts)
    for name, held in parts.items():
        entry.versions[name] = entry.versions.get(name, 0) + 1
        if held is None:
            entry.parts.pop(name, None)
        else:
            entry.parts[name] = copy.deepcopy(held)
    after = _items(entry.parts)
    entry.ours &= after
    if is_ours:
        entry.ours |= after - before


def _items(parts: Mapping[str, Any]) -> set[DocumentPlace]:
    tags = parts.get("governance", {}).get("tags", [])
    owners = parts.get("ownership", {}).get("owners", [])
    by = ("user", "group", "type")
    return {
        *(("governance", "tags", (tag,)) for tag in tags),
        *(("ownership", "owners", tuple(one.get(name) for name in by)) for one in owners),
    }
