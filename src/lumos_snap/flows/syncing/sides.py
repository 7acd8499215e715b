"""The tree's side of a sync: its documents in the order of identities, read as they are needed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import orjson

from lumos_snap.canonical.kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind, kind_for
from lumos_snap.canonical.place import urn_of
from lumos_snap.canonical.quick import proven
from lumos_snap.canonical.reading import read
from lumos_snap.catalogs.datahub.naming import Definition
from lumos_snap.catalogs.planning.joining import Named, Written
from lumos_snap.catalogs.seam import Identity
from lumos_snap.errors import LumosError
from lumos_snap.model.entities import Property
from lumos_snap.shape import Document
from lumos_snap.tree import Tree

_KINDS = sorted((one for one in KINDS if one is not OBSERVATION), key=lambda one: one.name)


@dataclass(slots=True)
class TreeSide:
    """The documents of a tree that are wanted; can be gone through again."""

    tree: Tree
    wants: Callable[[str], bool]
    broken: dict[str, str] = field(default_factory=dict)
    """Files that are no documents, by path, and why: what they stand for is not known."""

    def __iter__(self) -> Iterator[Named]:
        for kind in _KINDS:
            yield from self._datasets() if kind is SNAPSHOT else self.of(kind)

    def identities(self) -> Iterator[Identity]:
        """Which documents there are; of datasets, their paths tell that."""
        for kind in _KINDS:
            named = self._urns() if kind is SNAPSHOT else (one.id for one, _ in self.of(kind))
            yield from (Identity(kind.name, name) for name in named)

    def _urns(self) -> dict[str, str]:
        """The paths of datasets, by urn and in its order."""
        return {urn: path for urn, path in sorted(self._placed()) if self.wants(urn)}

    def _placed(self) -> Iterator[tuple[str, str]]:
        for path in self.tree.paths(SNAPSHOT):
            try:
                yield str(urn_of(path.partition("/")[2])), path
            except LumosError as exc:
                self.broken[path] = exc.message

    def _datasets(self) -> Iterator[Named]:
        urns = self._urns()
        contents = self.tree.files.read_all(urns.values())
        for urn, (path, content) in zip(urns, contents, strict=True):
            if isinstance(content, OSError):
                self._document(path, content, SNAPSHOT)
            else:
                yield Identity(SNAPSHOT.name, urn), Written(content, partial(self._of, urn, path))

    def _of(self, urn: str, path: str, content: bytes) -> Document | None:
        """The dataset of an urn, if its file is that."""
        document = self._document(path, content, SNAPSHOT)
        if document is not None and document[SNAPSHOT.identity] != urn:
            self.broken[path] = f"is the place of {urn}, and not of {document[SNAPSHOT.identity]}"
            return None
        return document

    def of(self, kind: DocumentKind) -> Sequence[tuple[Identity, Document]]:
        """The entities of one kind: few, and their paths do not tell their ids."""
        return sorted(self._entities(kind), key=lambda one: one[0])

    def _entities(self, kind: DocumentKind) -> Iterator[tuple[Identity, Document]]:
        for path, content in self.tree.files.read_all(self.tree.paths(kind)):
            document = self._document(path, content, kind)
            if document is not None and self.wants(str(document[kind.identity])):
                yield Identity(kind.name, str(document[kind.identity])), document

    def _document(self, path: str, content: bytes | OSError, kind: DocumentKind) -> Document | None:
        if isinstance(content, OSError):
            self.broken[path] = content.strerror or "cannot be read"
            return None
        document = proven(content, kind.cls)
        if document is not None:
            return document
        reading = read(content, kind.cls)
        if reading.problems or reading.canonical is None:
            self.broken[path] = reading.problems[0].message
            return None
        found: Document = orjson.loads(reading.canonical)
        return found


def definitions(tree: Tree) -> dict[str, Definition]:
    """The properties that a tree defines, and a catalog is to know by type."""
    side = TreeSide(tree, lambda _: True)
    return {
        identity.id: Definition(
            type=document.get("type", "text"),
            is_multiple=document.get("multiple", False),
            allowed=frozenset(document.get("values", ())),
        )
        for identity, document in side.of(kind_for(Property))
    }
