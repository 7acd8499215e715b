"""The tree's side of a sync: its documents in the order of identities, read as they are needed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import orjson

from lumos_snap.canonical.kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind, kind_for
from lumos_snap.canonical.place import urn_of
from lumos_snap.canonical.quick import valid
from lumos_snap.catalogs.datahub.naming import Definition
from lumos_snap.catalogs.planning.joining import Named, Written
from lumos_snap.catalogs.seam import Identity
from lumos_snap.errors import LumosError
from lumos_snap.flows.judging import judge
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
            yield from self._datasets() if kind is SNAPSHOT else self.of(kind)

    def identities(self) -> Iterator[Identity]:
        """Which documents there are; of datasets, their paths tell that."""
        for kind in _KINDS:
            if kind is SNAPSHOT:
                yield from (Identity(kind.name, urn) for urn, _ in self._placed(kind))
            else:
                yield from (identity for identity, _ in self.of(kind))

    def _placed(self, kind: DocumentKind) -> Sequence[tuple[str, str]]:
        """Urns and paths of documents whose paths tell their urns, in order."""
        found = []
        for path in self.tree.paths(kind):
            try:
                found.append((str(urn_of(path.partition("/")[2])), path))
            except LumosError as exc:
                self.broken[path] = exc.message
        return sorted(one for one in found if self.wants(one[0]))

    def _datasets(self) -> Iterator[Named]:
        placed = self._placed(SNAPSHOT)
        contents = self.tree.files.read_all(path for _, path in placed)
        for (urn, path), (_, content) in zip(placed, contents, strict=True):
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

    def of(self, kind: DocumentKind) -> Iterator[tuple[Identity, Document]]:
        """Those of one kind, parsed."""
        if kind in _BY_URN:
            yield from self.read(kind, [path for _, path in self._placed(kind)])
        else:  # few, and their paths do not tell their ids
            yield from sorted(self.read(kind, self.tree.paths(kind)), key=lambda one: one[0])

    def read(self, kind: DocumentKind, paths: Iterable[str]) -> Iterator[tuple[Identity, Document]]:
        """Those of one kind that lie at some paths."""
        for path, content in self.tree.files.read_all(paths):
            document = self._document(path, content, kind)
            if document is not None and self.wants(str(document[kind.identity])):
                yield Identity(kind.name, str(document[kind.identity])), document

    def _document(self, path: str, content: bytes | OSError, kind: DocumentKind) -> Document | None:
        if isinstance(content, OSError):
            self.broken[path] = content.strerror or "cannot be read"
            return None
        environment = self.tree.config.environment
        document = valid(path, content, kind, environment)
        if document is not None:
            return document
        judged = judge(path, content, environment)
        if judged.findings or judged.canonical is None:
            first = judged.findings[0]
            self.broken[path] = f"line {first.line}, column {first.column}: {first.message}"
            return None
        found: Document = orjson.loads(judged.canonical)
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
