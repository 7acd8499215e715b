"""The tree's side of a sync: its documents in the order of identities, read as they are needed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from lumos_snap.canonical.kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind, kind_for
from lumos_snap.canonical.place import urn_of
from lumos_snap.canonical.quick import proven
from lumos_snap.canonical.reading import read
from lumos_snap.catalogs.datahub.naming import Definition
from lumos_snap.catalogs.planning.joining import Named
from lumos_snap.catalogs.seam import Identity
from lumos_snap.errors import LumosError
from lumos_snap.model.entities import Property
from lumos_snap.shape import Document
from lumos_snap.tree import Tree

_KINDS = sorted((one for one in KINDS if one is not OBSERVATION), key=lambda one: one.name)
_BY_URN = (SNAPSHOT, OBSERVATION)


@dataclass(slots=True)
class TreeSide:
    """The documents of a tree that are wanted; can be gone through again."""

    tree: Tree
    wants: Callable[[str], bool]
    broken: dict[str, str] = field(default_factory=dict)
    """Files that are no documents, by path, and why: what they stand for is not known."""

    def __iter__(self) -> Iterator[Named]:
        for kind in _KINDS:
            yield from self.of(kind)

    def of(self, kind: DocumentKind) -> Iterator[Named]:
        """Those of one kind."""
        paths = self.tree.paths(kind)
        if kind in _BY_URN:
            yield from self.read(kind, sorted(paths, key=_urn))
        else:  # few, and their paths do not tell their ids
            yield from sorted(self.read(kind, paths), key=lambda one: one[0])

    def read(self, kind: DocumentKind, paths: Iterable[str]) -> Iterator[Named]:
        """Those of one kind that lie at some paths."""
        for path, content in self.tree.files.read_all(paths):
            if kind in _BY_URN and not self.wants(_urn(path)):
                continue
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


def _urn(path: str) -> str:
    try:
        return str(urn_of(path.partition("/")[2]))
    except LumosError:
        return path
