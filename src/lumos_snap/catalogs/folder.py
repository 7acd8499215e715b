"""A folder as a catalog: documents in the layout of a tree, for transfers without a network.

It supports every part of a document. A write is refused if the file changed since it was read, so
that concurrent syncs and editors do not overwrite each other.
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

from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION
from lumos_snap.canonical.encode import canonical_document, encode_document, rfc8785
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
    """A folder of documents that is used as a catalog."""

    name: str
    root: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def capabilities(self) -> Capabilities:
        """All sections of all documents; deletes are hard."""
        return HOLDS

    def project(self, identity: Identity, document: Document) -> Projection:
        """The document itself, in canonical form."""
        return Projection(canonical_document(document, identity.cls))

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        """Read the files of the documents."""
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
        """Write, replace or remove one file, if its target is unchanged since it was read."""
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
        for end in range(1, path.count("/") + 2):  # reading follows no symbolic links, either
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
        """Exclude all other writers, threads and processes, between reading and writing."""
        self.root.mkdir(parents=True, exist_ok=True)
        with self._lock, hold_lock(self.root / _LOCK):
            yield

    def search(self, words: str) -> Iterator[Identity]:
        """Find documents whose identity contains all of the words; without words, list all."""
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
    """Hold an exclusive lock; it is released when the process ends, even if killed."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def parse_held(
    raw: bytes, identity: Identity, place: str, marks: Mapping[Identity, str]
) -> Reading:
    """Parse the bytes of a document; `place` is the name of their location in messages."""
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
    """Whether the target of a change is unchanged since it was read."""
    seen = change.seen.versions if change.seen else {}
    now = there.versions if there else {}
    if change.action is WriteAction.DELETE or change.seen is None or there is None:
        return seen == now
    return all(seen.get(name) == now.get(name) for name in change.sections())


def apply_write(change: DocumentWrite, there: CatalogDocument | None) -> Document:
    """Apply a change: take what differs from the version that was read, and keep the rest."""
    others = there.document if there else {}
    kept = {name: one for name, one in others.items() if name not in change.sections()}
    taken = {name: change.document[name] for name in change.sections() if name in change.document}
    return canonical_document({**kept, **taken}, change.identity.cls)


def versions(document: Document) -> dict[str, str]:
    """A digest of each section."""
    return {
        name: hashlib.blake2b(rfc8785(held), digest_size=16).hexdigest()
        for name, held in document.items()
    }
