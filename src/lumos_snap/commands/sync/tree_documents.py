"""Documents of the tree for a sync, sorted by identity and read on demand.

Git keeps those that a catalog supports only in part.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import orjson

from lumos_snap.canonical.document_kinds import (
    KINDS,
    OBSERVATION,
    SNAPSHOT,
    DocumentKind,
    kind_at,
    kind_for,
)
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.paths import names_at, urn_of
from lumos_snap.canonical.read import read_valid
from lumos_snap.catalogs import sync_state
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.datahub.settings import PropertyDefinition
from lumos_snap.catalogs.report import build_losses_report
from lumos_snap.catalogs.sync.drift import facts
from lumos_snap.catalogs.sync.join import Named, RawDocument, iter_documents
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync_state import Contents, SyncBase, path_of
from lumos_snap.errors import LumosError
from lumos_snap.git import custom_refs
from lumos_snap.model.entities import Property
from lumos_snap.report.envelope import FileFinding
from lumos_snap.report.sync import SyncLosses
from lumos_snap.schema import Document
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import check_file, stray_finding
from lumos_snap.tree.files import Form, TreePaths

_KINDS = sorted((one for one in KINDS if one is not OBSERVATION), key=lambda one: one.name)
_BY_URN = (SNAPSHOT, OBSERVATION)


@dataclass(slots=True)
class TreeSide:
    """The selected documents of a tree; iterable more than once."""

    tree: Tree
    wants: Callable[[str], bool]
    invalid: dict[str, FileFinding] = field(default_factory=dict)
    """First problem of each invalid document, by path."""
    unclear: set[Identity] = field(default_factory=set)
    """Identities of the invalid documents, whose state in the tree is unknown."""
    _listed: TreePaths | None = None

    def __iter__(self) -> Iterator[Named]:
        self._note_strays()
        for kind in _KINDS:
            yield from self._datasets() if kind is SNAPSHOT else self.of(kind)

    def identities(self) -> Iterator[Identity]:
        """The identities of all documents; those of datasets follow from their paths."""
        for kind in _KINDS:
            if kind is SNAPSHOT:
                yield from (Identity(kind.name, urn) for urn, _ in self._placed(kind))
            else:
                yield from (identity for identity, _ in self.of(kind))

    def _found(self) -> TreePaths:
        if self._listed is None:
            self._listed = self.tree.listed()
        return self._listed

    def _paths(self, kind: DocumentKind) -> Iterator[str]:
        return (one for one in self._found().documents if one.startswith(f"{kind.folder}/"))

    def _note_strays(self) -> None:
        """Record links and misnamed files in place of documents."""
        for one in self._found().strays:
            at = identity_at(one.path)
            if self.wants(at.id) and kind_at(one.path) is not OBSERVATION:
                self._note(stray_finding(one), at)

    def _note(self, finding: FileFinding, *unclear: Identity) -> None:
        self.invalid.setdefault(finding.path, finding)
        self.unclear.update(unclear)

    def _placed(self, kind: DocumentKind) -> Sequence[tuple[str, str]]:
        """Sorted urns and paths of documents whose paths determine their urns."""
        found, misplaced = [], []
        for path in self._paths(kind):
            try:
                found.append((str(urn_of(path.partition("/")[2])), path))
            except LumosError:
                misplaced.append(path)
        for path, content in self.tree.files.read_all(misplaced):
            self._document(path, content, kind)
        return sorted(one for one in found if self.wants(one[0]))

    def _datasets(self) -> Iterator[Named]:
        placed = self._placed(SNAPSHOT)
        contents = self.tree.files.read_all(path for _, path in placed)
        for (urn, path), (_, content) in zip(placed, contents, strict=True):
            if isinstance(content, OSError):
                self._document(path, content, SNAPSHOT)
            else:
                parse = partial(self._document, path, kind=SNAPSHOT)
                yield Identity(SNAPSHOT.name, urn), RawDocument(content, parse)

    def of(self, kind: DocumentKind) -> Iterator[tuple[Identity, Document]]:
        """Parsed documents of one kind."""
        if kind in _BY_URN:
            yield from self.read(kind, [path for _, path in self._placed(kind)])
        else:  # few, and their paths do not determine their ids
            yield from sorted(self.read(kind, self._paths(kind)), key=lambda one: one[0])

    def read(self, kind: DocumentKind, paths: Iterable[str]) -> Iterator[tuple[Identity, Document]]:
        """Parsed documents of one kind at the given paths."""
        for path, content in self.tree.files.read_all(paths):
            document = self._document(path, content, kind)
            if document is not None and self.wants(str(document[kind.identity])):
                yield Identity(kind.name, str(document[kind.identity])), document

    def _document(self, path: str, content: bytes | OSError, kind: DocumentKind) -> Document | None:
        """The document at a path, if it is valid."""
        environment = self.tree.config.environment
        if not isinstance(content, OSError):
            document = read_valid(path, content, kind, environment)
            if document is not None:
                return document
        judged = check_file(path, content, environment)
        found: Document | None = orjson.loads(judged.canonical) if judged.canonical else None
        if judged.findings or found is None:
            said = [Identity(kind.name, str(found[kind.identity]))] if found else []
            self._note(judged.findings[0], identity_at(path), *said)
            return None
        return found


def identity_at(path: str) -> Identity:
    """Identity of the document that belongs at a path; the path itself for none."""
    kind = kind_at(path) or SNAPSHOT
    below = path.removeprefix(kind.folder + "/")
    try:
        named = str(urn_of(below)) if kind in _BY_URN else names_at(below)[0]
    except LumosError:
        named = path
    return Identity(kind.name, named)


def definitions(tree: Tree) -> dict[str, PropertyDefinition]:
    """The typed properties that a tree defines, for the catalog."""
    side = TreeSide(tree, lambda _: True)
    return {
        identity.id: PropertyDefinition(
            type=document.get("type", "text"),
            is_multiple=document.get("multiple", False),
            allowed=frozenset(document.get("values", ())),
        )
        for identity, document in side.of(kind_for(Property))
    }


# Documents that a catalog supports only in part: git keeps them, to restore what is lost.


def find_documents_to_keep(side: TreeSide, base: SyncBase, lossy: Iterable[Identity]) -> Contents:
    """Updates of the kept documents; None for a document that no longer loses anything."""
    paths = {path_of(one): one for one in lossy}
    is_sure = not side.invalid and next(side.identities(), None) is not None
    old = (one for one in sync_state.read_kept(base, but=paths) if side.wants(one.id))
    gone = (one for one in old if is_sure and _may_go(one, side.tree, base))
    return {**dict.fromkeys(gone), **dict(_iter_new(side, base, paths))}


def _iter_new(
    side: TreeSide, base: SyncBase, paths: Mapping[str, Identity]
) -> Iterator[tuple[Identity, Document]]:
    """The documents at some paths that differ from their kept versions."""
    known = sync_state.oids(base)
    there = [path for path in paths if side.tree.files.form(path) is Form.FILE]
    for kind, some in groupby(there, key=kind_at):
        assert kind is not None  # noqa: S101 - they are documents
        for identity, document in side.read(kind, list(some)):
            content = encode_document(document, kind.cls)
            if known.get(path_of(identity)) != custom_refs.blob_id(base.repository, content):
                yield identity, document


def _may_go(one: Identity, tree: Tree, base: SyncBase) -> bool:
    """Whether it no longer loses anything, or was removed from both the tree and the catalog."""
    path = path_of(one)
    return tree.files.form(path) is Form.FILE or path not in base.files


def find_lossy(side: TreeSide, rules: Rules) -> Iterator[Identity]:
    """Documents of a tree that the catalog supports only in part."""
    for identity, document in iter_documents(side):
        found = rules.projected(identity, document)
        if found.losses or found.refusal:
            yield identity


def report_losses(base: SyncBase) -> SyncLosses:
    """Report what git keeps and the catalog lacks, with values, as last confirmed."""
    whole = sync_state.read_kept(base)
    confirmed = (one for one in base.documents() if one[0] in whole)
    held = dict(iter_documents(confirmed))
    return build_losses_report(
        base.name,
        (
            (one, facts(held[one], document, one.cls) if one in held else None)
            for one, document in sorted(whole.items())
        ),
    )
