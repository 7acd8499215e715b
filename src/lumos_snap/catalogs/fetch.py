"""Documents out of a catalog, one after the other, each sound or named with the reason."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.canonical.export_format import SECTIONS
from lumos_snap.canonical.rules import NOT_ADOPTED
from lumos_snap.catalogs.adapter import Catalog, Identity, Reading, Unreadable, open_reading
from lumos_snap.catalogs.sync.client import RetryingClient
from lumos_snap.catalogs.sync.rate_limit import Pace, Speed
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.documents import Position, Problem
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.merging import merge
from lumos_snap.model.urn import parse_urn
from lumos_snap.report.command_reports import FileFinding
from lumos_snap.schema import Document
from lumos_snap.tree.file_check import build_finding, check_file
from lumos_snap.tree.selection import matches_glob

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document as a tree may hold it."""

    identity: Identity
    document: Document
    held: Document
    """What the catalog holds of it; nothing where it cannot hold it at all."""
    restored: tuple[str, ...] = ()
    """What the catalog cannot hold of it, and git has kept."""
    left_out: tuple[str, ...] = ()
    """What of that does not fit what the catalog says by now: it stays in git."""


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """A document that cannot be taken, and why."""

    identity: Identity
    reason: str
    is_outside: bool = False
    """The catalog is out of reach, or damaged there."""


@dataclass(frozen=True, slots=True)
class FetchSource:
    """A catalog that documents are taken from."""

    catalog: Catalog
    sort: str
    """What sort of catalog it is."""
    environment: str | None = None
    """That of the tree: other documents are refused."""
    whole: Mapping[Identity, Document] = field(default_factory=dict)
    """Documents as they were before the catalog lost a part of them."""

    def named(self) -> list[Identity]:
        """All that it has, in order, and what it could never hold."""
        return sorted({*self.catalog.search(""), *self._never_held()})

    def _never_held(self) -> set[Identity]:
        return {
            one
            for one, document in self.whole.items()
            if self.catalog.project(one, document).refusal
        }

    def taken(
        self, identities: Sequence[Identity], progress: Progress
    ) -> Iterator[FetchedDocument | FetchFailure]:
        """These documents, in their order; what is marked as removed there is left out."""
        lost = self._never_held()
        asked = [one for one in identities if one not in lost]
        read = RetryingClient(self.catalog, Pace(Speed())).read(asked)
        kept = (
            FetchedDocument(one, self.whole[one], {}, ("all of it",))
            for one in identities
            if one in lost
        )
        found = heapq.merge(self._looked_at(read), kept, key=attrgetter("identity"))
        for number, one in enumerate(found, start=1):
            progress("read", number, len(identities))
            yield one
        progress("read", len(identities), len(identities))

    def _looked_at(self, read: Iterator[Reading]) -> Iterator[FetchedDocument | FetchFailure]:
        for one in map(open_reading, read):
            if isinstance(one, Unreadable):
                yield FetchFailure(one.identity, one.reason, is_outside=True)
            elif one is not None and not one.is_removed:
                held = canonical_document(one.document, one.identity.cls)
                yield self._sound(self._restored(one.identity, held))

    def _sound(self, one: FetchedDocument) -> FetchedDocument | FetchFailure:
        content = encode_document(one.document, one.identity.cls)
        found = check_file(path_of(one.identity), content, self.environment).findings
        return FetchFailure(one.identity, found[0].message) if found else one

    def _restored(self, identity: Identity, held: Document) -> FetchedDocument:
        """A document of the catalog with what it has lost there, where git has kept that."""
        whole = self.whole.get(identity)
        if whole is None:
            return FetchedDocument(identity, held, held)
        before = self.catalog.project(identity, whole)
        lost = tuple(sorted({loss.at for loss in before.losses}))
        merged = merge(before.document, whole, held, identity.cls)
        after = self.catalog.project(identity, merged.document).document
        # Only what the catalog cannot hold may come: a merge may bring back what was deleted there.
        if merged.conflicts or canonical_document(after, identity.cls) != held:
            return FetchedDocument(identity, held, held, left_out=lost)
        return FetchedDocument(identity, merged.document, held, lost)


def as_finding(one: FetchFailure) -> FileFinding:
    """Why a document was left out, as reports have it."""
    rule = UNREADABLE if one.is_outside else NOT_ADOPTED
    hint = "look at it in the catalog" if one.is_outside else "mend it in the catalog"
    return build_finding(path_of(one.identity), Problem(Position(), rule, one.reason, hint))


SORTS = {name: kind.name for name, kind in SECTIONS.items() if kind is not OBSERVATION}
"""What people call the kinds of documents that a catalog holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFilter:
    """A choice among the documents of a catalog; left empty, each part of it means all."""

    only: tuple[str, ...] = ()
    """Patterns of identities, whatever the kind."""
    datasets: tuple[str, ...] = ()
    """Patterns of datasets; other documents are meant anyway."""
    platforms: tuple[str, ...] = ()
    sorts: tuple[str, ...] = ()
    """Kinds, by what people call them."""

    def wants(self, one: Identity) -> bool:
        """Whether a document is meant."""
        if self.sorts and one.kind not in {SORTS[sort] for sort in self.sorts}:
            return False
        if one.kind == SNAPSHOT.name:
            if self.platforms and parse_urn(one.id).platform not in self.platforms:
                return False
            if not _matches(one.id, self.datasets):
                return False
        return _matches(one.id, self.only)


def _matches(identity: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(matches_glob(identity, glob) for glob in globs)
