"""One export document as a catalog: the file that `lumos snap export` writes and `import` reads.

A change is a line in a file beside it, synced to disk before it is confirmed; `settle` merges both
into one document. A process that is killed in between loses nothing: readers of the document read
the changes as well, and the next `settle` merges them.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO, UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

import orjson

from lumos_snap.canonical.document_kinds import KINDS, SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.export_format import (
    SECTIONS,
    ExportStatistics,
    documents_of,
    encode_export,
    is_export,
    iter_export,
    without_downstream,
)
from lumos_snap.canonical.read import read, read_fast
from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    CatalogDocument,
    DocumentWrite,
    Identity,
    Projection,
    Reading,
    Unreadable,
    WriteAction,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    open_reading,
)
from lumos_snap.catalogs.folder import (
    HOLDS,
    STORED,
    apply_write,
    hold_lock,
    is_as_seen,
    parse_held,
    versions,
)
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.schema import Document
from lumos_snap.tree.atomic import replace_file_with

_NAMES = frozenset(kind.name for kind in STORED)
_CLASSES = {kind.name: kind.cls for kind in KINDS}
Contents = dict[Identity, bytes]
"""Documents as JSON on one line: parsed, they would need up to ten times as much memory."""
Mark = tuple[int, ...]


def changes_beside(file: Path) -> Path:
    """The file of changes that are not merged into a document yet."""
    return file.parent / f"{file.name}.changes"  # `with_name` would fail for `.`


@dataclass(slots=True)
class _ReadState:
    """The content that was read last, and from which files."""

    contents: Contents = field(default_factory=dict)
    mark: tuple[Mark, Mark] = ((), ())
    upto: int = 0
    """How many bytes of the changes it includes."""
    damage: str | None = None
    """The first problem of a contained document; None if not checked yet."""


@dataclass(frozen=True)
class ExportFileCatalog:
    """An export file that is used as a catalog."""

    name: str
    file: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: _ReadState = field(default_factory=_ReadState)

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
        """Read documents from the export and the changes beside it."""
        with self._lock:
            contents = self._now()
        for identity in identities:
            raw = contents.get(identity)
            if raw is not None:
                yield self._found(identity, raw, marks)

    def _found(
        self, identity: Identity, raw: bytes, marks: Mapping[Identity, str] = NO_MARKS
    ) -> Reading:
        return parse_held(raw, identity, f"{self.file.name}: {identity.id}", marks)

    def search(self, words: str) -> Iterator[Identity]:
        """Find documents whose identity contains all of the words; without words, list all."""
        wanted = words.casefold().split()
        with self._lock:
            found = sorted(self._now())
        for one in found:
            if one.kind in _NAMES and all(word in one.id.casefold() for word in wanted):
                yield one

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        """Append one change beside the document, if its target is unchanged since it was read."""
        try:
            with self._alone():
                raw = self._now().get(change.identity)
                if damage := self._damage():
                    return WriteRefused(
                        f"{self.file.name} would lose what is wrong in it: {damage}"
                    )
                there = None if raw is None else open_reading(self._found(change.identity, raw))
                if isinstance(there, Unreadable):
                    return WriteRefused(there.reason)
                return self._applied(change, there) if is_as_seen(change, there) else WriteStale()
        except (LumosError, OSError) as exc:
            return WriteRefused(getattr(exc, "message", str(exc)))

    def _damage(self) -> str:
        """The content that a rewrite would lose: invalid parts of documents."""
        known = self._known
        if known.damage is None:
            known.damage = next(_damages(known.contents), "")
        return known.damage

    def _applied(self, change: DocumentWrite, there: CatalogDocument | None) -> WriteAnswer:
        document = None if change.action is WriteAction.DELETE else apply_write(change, there)
        line = orjson.dumps({"of": list(change.identity), "is": document}) + b"\n"
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        descriptor = os.open(changes_beside(self.file), flags, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            file.truncate(self._known.upto)  # a killed writer may have left an incomplete line
            file.seek(self._known.upto)
            file.write(line)
            os.fsync(file.fileno())
        return WriteConfirmed(versions(document) if document else {})

    def settle(self) -> bool:
        """Merge the document and the changes beside it into one document."""
        beside = changes_beside(self.file)
        if not beside.exists():
            return False
        with self._alone():
            contents = self._now()
            if damage := self._damage():
                raise OutsideError(f"{self.file}: {damage}", hint="mend it: all else is kept")
            if beside.exists():
                replace_file_with(self.file, _pieces(contents))
                beside.unlink(missing_ok=True)
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Exclude all other writers, threads and processes, between reading and writing."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, hold_lock(self.file.with_name(f".{self.file.name}.lock")):
            yield

    def _now(self) -> Contents:
        """All current content; what was read before is not read again."""
        known = self._known
        try:
            # Changes first: if they are merged meanwhile, the document contains them.
            with _open_or_empty(changes_beside(self.file)) as changes:
                mark = _mark(self.file), _mark(changes)
                if known.mark != mark or _size(changes) < known.upto:
                    known.contents, known.upto, known.mark = _load_contents(self.file), 0, mark
                    known.damage = None
                self._catch_up(changes)
        except OSError as exc:
            raise OutsideError(f"{self.file}: cannot be read: {exc.strerror}") from exc
        return known.contents

    def _catch_up(self, changes: BinaryIO) -> None:
        changes.seek(self._known.upto)
        for line in changes:
            if not line.endswith(b"\n"):
                return
            self._take(line)
            self._known.upto += len(line)

    def _take(self, line: bytes) -> None:
        try:
            said = orjson.loads(line)
            identity, document = Identity(*said["of"]), said["is"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as exc:
            beside = changes_beside(self.file)
            raise OutsideError(f"{beside}: is damaged", hint="restore it from a copy") from exc
        if document is None:
            self._known.contents.pop(identity, None)
        else:
            self._known.contents[identity] = orjson.dumps(document)


def _open_or_empty(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return BytesIO()


def _mark(file: Path | BinaryIO) -> Mark:
    """A mark that identifies a file; for an open file, it ignores appended content."""
    try:
        found = file.stat() if isinstance(file, Path) else os.fstat(file.fileno())
    except (FileNotFoundError, UnsupportedOperation):
        return ()
    stamp = (found.st_mtime_ns, found.st_size) if isinstance(file, Path) else ()
    return (found.st_dev, found.st_ino, *stamp)


def _size(file: BinaryIO) -> int:
    return file.seek(0, os.SEEK_END)


def _load_contents(file: Path) -> Contents:
    """Load an export: incrementally if its layout allows that."""
    if not file.exists():
        return {}
    with file.open("rb") as lines:
        try:
            return _pack_contents(file, iter_export(lines))
        except ValueError:  # it was reformatted
            lines.seek(0)
            return _pack_contents(file, documents_of(_whole(file, lines.read())))


def _pack_contents(file: Path, found: Iterable[tuple[DocumentKind, Document]]) -> Contents:
    contents: Contents = {}
    for kind, document in found:
        try:
            own = without_downstream(document) if kind is SNAPSHOT else document
            identity = Identity(kind.name, str(document[kind.identity]))
        except (AttributeError, KeyError, TypeError) as exc:
            raise _unknown(file) from exc
        if identity in contents:
            raise OutsideError(f"{file}: has {identity.id} twice", hint="take one of them out")
        contents[identity] = bytes(memoryview(orjson.dumps(own)))  # exactly as long as its content
    return contents


def _damages(contents: Contents) -> Iterator[str]:
    for identity, raw in contents.items():
        cls = _CLASSES[identity.kind]
        if read_fast(raw, cls) is None:
            yield from (f"{identity.id}: {one.message}" for one in read(raw, cls).problems)


def _whole(file: Path, raw: bytes) -> Document:
    try:
        found = orjson.loads(raw)
    except orjson.JSONDecodeError as exc:
        raise _unknown(file) from exc
    if not isinstance(found, dict) or not is_export(found):
        raise _unknown(file)
    return found


def _unknown(file: Path) -> OutsideError:
    return OutsideError(
        f"{file}: is no export", hint="`lumos snap validate` says what is wrong with it"
    )


def _pieces(contents: Mapping[Identity, bytes]) -> Iterator[bytes]:
    """The pieces of the export, with only a few datasets in memory at a time."""
    count = ExportStatistics()
    named = sorted(contents)
    for one in named:
        if one.kind == SNAPSHOT.name:
            dataset = orjson.loads(contents[one])
            count.add(dataset)
            count.link(dataset)
    return encode_export(
        count, {name: _of(kind, named, contents) for name, kind in SECTIONS.items()}
    )


def _of(
    kind: DocumentKind, named: Iterable[Identity], contents: Mapping[Identity, bytes]
) -> Iterator[Document]:
    return (orjson.loads(contents[one]) for one in named if one.kind == kind.name)
