"""A folder as a catalog: documents as they lie in a tree, for moves where there is no network.

It can hold all that a document says. A write is refused where the file is not the one that was
seen: two syncs, or a person with an editor, take nothing from each other.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.canonical.kinds import KINDS, OBSERVATION
from lumos_snap.canonical.reading import Reading as Found
from lumos_snap.canonical.reading import read
from lumos_snap.catalogs.base import path_of
from lumos_snap.catalogs.seam import (
    Action,
    Answer,
    Capabilities,
    Change,
    Confirmed,
    Deleting,
    Held,
    Identity,
    Projection,
    Reading,
    Refused,
    Stale,
    Unreadable,
)
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.shape import Document, Value, keys_of
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.replacing import replace_file

_PART = "file"
_LOCK = ".lumos-catalog.lock"
_STORED = tuple(kind for kind in KINDS if kind is not OBSERVATION)
_HOLDS = Capabilities(
    holds={kind.name: frozenset(keys_of(kind.cls)) for kind in _STORED},
    has_preconditions=True,
    deletes=Deleting.HARD,
    can_search=True,
)


@dataclass(frozen=True)
class Folder:
    """A folder that holds documents, and is one catalog."""

    name: str
    root: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def capabilities(self) -> Capabilities:
        """All sections of all documents; what is deleted is gone."""
        return _HOLDS

    def project(self, identity: Identity, document: Document) -> Projection:
        """The document itself."""
        return Projection(canonical_document(document, identity.cls))

    def read(self, identities: Iterable[Identity]) -> Iterator[Reading]:
        """What lies at the places of documents."""
        if self.root.exists() and not self.root.is_dir():
            raise OutsideError(f"{self.root}: is no folder", hint="name the folder of the catalog")
        for identity in identities:
            found = self._read(identity)
            if found is not None:
                yield found

    def _read(self, identity: Identity) -> Reading | None:
        try:
            raw = self._content(identity)
        except OutsideError as exc:
            return Unreadable(identity, exc.message)
        if raw is None:
            return None
        reading: Found[Value] = read(raw, identity.cls)
        if reading.problems or reading.canonical is None:
            first = reading.problems[0]
            return Unreadable(identity, f"{path_of(identity)}:{first.place.line}: {first.message}")
        assert reading.document is not None  # noqa: S101 - it has canonical bytes
        document = canonical_document(reading.document, identity.cls)
        return Held(identity, document, versions={_PART: _digest(raw)})

    def _content(self, identity: Identity) -> bytes | None:
        return FolderFiles(self.root).read(path_of(identity)) if self.root.exists() else None

    def apply(self, change: Change) -> Answer:
        """Write, replace or remove one file, if it still is what was seen."""
        seen = change.seen.versions.get(_PART) if change.seen else None
        try:
            with self._alone():
                raw = self._content(change.identity)
                if seen != (None if raw is None else _digest(raw)):
                    return Stale()
                return self._written(change)
        except (LumosError, OSError) as exc:
            return Refused(getattr(exc, "message", str(exc)))

    def _written(self, change: Change) -> Answer:
        place = self.root / path_of(change.identity)
        if change.action is Action.DELETE:
            place.unlink(missing_ok=True)
            return Confirmed()
        content = encode_document(change.document, change.identity.cls)
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, content)
        return Confirmed({_PART: _digest(content)})

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Between looking and writing nobody else writes: no thread, and no other process."""
        self.root.mkdir(parents=True, exist_ok=True)
        with self._lock:
            descriptor = os.open(self.root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)

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
        kind = next((one for one in _STORED if path.startswith(one.folder + "/")), None)
        raw = FolderFiles(self.root).read(path) if kind else None
        if kind is None or raw is None:
            return None
        document = read(raw, kind.cls).document or {}
        return Identity(kind.name, str(document[kind.identity])) if document else None


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
