"""A folder as a catalog: documents as they lie in a tree, for moves where there is no network.

It can hold all that a document says. A write is refused where the file is not the one that was
seen: two syncs, or a person with an editor, take nothing from each other.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from lumos_snap.canonical.digest import rfc8785
from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION
from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.canonical.read import ReadResult as Found
from lumos_snap.canonical.read import read
from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    CatalogDocument,
    DeleteMode,
    DocumentWrite,
    Identity,
    Projection,
    Reading,
    UnchangedDocument,
    Unreadable,
    WriteAction,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    open_reading,
)
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.schema import Document, Value, keys_of
from lumos_snap.tree.atomic import replace_file
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.writer import refuse_link

_LOCK = ".lumos-catalog.lock"
STORED = tuple(kind for kind in KINDS if kind is not OBSERVATION)
HOLDS = Capabilities(
    holds={kind.name: frozenset(keys_of(kind.cls)) for kind in STORED},
    has_preconditions=True,
    deletes=DeleteMode.HARD,
    can_search=True,
)


@dataclass(frozen=True)
class FolderCatalog:
    """A folder that holds documents, and is one catalog."""

    name: str
    root: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def capabilities(self) -> Capabilities:
        """All sections of all documents; what is deleted is gone."""
        return HOLDS

    def project(self, identity: Identity, document: Document) -> Projection:
        """The document itself."""
        return Projection(canonical_document(document, identity.cls))

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """What lies at the places of documents."""
        if self.root.exists() and not self.root.is_dir():
            raise OutsideError(f"{self.root}: is no folder", hint="name the folder of the catalog")
        for identity in identities:
            found = self._read(identity, marks)
            if found is not None:
                yield found

    def _read(self, identity: Identity, marks: Mapping[Identity, str] = NO_MARKS) -> Reading | None:
        try:
            raw = self._content(identity)
        except OutsideError as exc:
            return Unreadable(identity, exc.message)
        if raw is None:
            return None
        return parse_held(raw, identity, path_of(identity), marks)

    def _content(self, identity: Identity) -> bytes | None:
        return FolderFiles(self.root).read(path_of(identity)) if self.root.exists() else None

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Write, replace or remove one file, if what is to change in it is as it was seen."""
        try:
            with self._alone():
                there = open_reading(self._read(change.identity))
                if isinstance(there, Unreadable):
                    return WriteRefused(there.reason)
                if not is_as_seen(change, there):
                    return WriteStale()
                return self._written(change, there)
        except (LumosError, OSError) as exc:
            return WriteRefused(getattr(exc, "message", str(exc)))

    def _written(self, change: DocumentWrite, there: CatalogDocument | None) -> WriteAnswer:
        path = path_of(change.identity)
        place = self.root / path
        for end in range(1, path.count("/") + 2):  # reading follows no links, either
            refuse_link(self.root, "/".join(path.split("/")[:end]))
        if change.action is WriteAction.DELETE:
            place.unlink(missing_ok=True)
            return WriteConfirmed()
        document = apply_write(change, there)
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, encode_document(document, change.identity.cls))
        return WriteConfirmed(versions(document))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Between looking and writing nobody else writes: no thread, and no other process."""
        self.root.mkdir(parents=True, exist_ok=True)
        with self._lock, hold_lock(self.root / _LOCK):
            yield

    def search(self, words: str) -> Iterator[Identity]:
        """Documents whose identity has all of the words in it; without words, every document."""
        wanted = words.casefold().split()
        found = (self._identity(path) for path in self._paths())
        for identity in sorted(one for one in found if one is not None):
            if all(word in identity.id.casefold() for word in wanted):
                yield identity

    def _paths(self) -> Iterator[str]:
        if self.root.is_dir():
            yield from FolderFiles(self.root).found().documents

    def _identity(self, path: str) -> Identity | None:
        kind = next((one for one in STORED if path.startswith(one.folder + "/")), None)
        raw = FolderFiles(self.root).read(path) if kind else None
        if kind is None or raw is None:
            return None
        document = read(raw, kind.cls).document or {}
        return Identity(kind.name, str(document[kind.identity])) if document else None


@contextmanager
def hold_lock(lock: Path) -> Iterator[None]:
    """While nobody else holds a lock: it ends with its process, however that ends."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def parse_held(
    raw: bytes, identity: Identity, place: str, marks: Mapping[Identity, str]
) -> Reading:
    """What some bytes hold of a document; `place` is what to call where they lie."""
    mark = hashlib.blake2b(raw, digest_size=16).hexdigest()
    work_out = partial(_read_held, raw, identity, place, mark)
    return UnchangedDocument(identity, work_out) if marks.get(identity) == mark else work_out()


def _read_held(
    raw: bytes, identity: Identity, place: str, mark: str
) -> CatalogDocument | Unreadable:
    reading: Found[Value] = read(raw, identity.cls)
    if reading.problems or reading.document is None:
        first = reading.problems[0]
        return Unreadable(identity, f"{place}:{first.place.line}: {first.message}")
    document = canonical_document(reading.document, identity.cls)
    return CatalogDocument(identity, document, versions=versions(document), mark=mark)


def is_as_seen(change: DocumentWrite, there: CatalogDocument | None) -> bool:
    """Whether nobody has touched what the change is about."""
    seen = change.seen.versions if change.seen else {}
    now = there.versions if there else {}
    if change.action is WriteAction.DELETE or change.seen is None or there is None:
        return seen == now
    return all(seen.get(name) == now.get(name) for name in change.sections())


def apply_write(change: DocumentWrite, there: CatalogDocument | None) -> Document:
    """What is there after a change: what differs from what was seen, and all else as it is."""
    others = there.document if there else {}
    kept = {name: one for name, one in others.items() if name not in change.sections()}
    taken = {name: change.document[name] for name in change.sections() if name in change.document}
    return canonical_document({**kept, **taken}, change.identity.cls)


def versions(document: Document) -> dict[str, str]:
    """A token for each section: what it says."""
    return {
        name: hashlib.blake2b(rfc8785(held), digest_size=16).hexdigest()
        for name, held in document.items()
    }
