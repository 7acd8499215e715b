"""Fetch documents from a catalog one by one, each valid or reported with the reason."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.canonical.export_format import SECTIONS
from lumos_snap.canonical.rules import NOT_ADOPTED
from lumos_snap.catalogs.adapter import Catalog, Identity, Reading, Unreadable, open_reading
from lumos_snap.catalogs.sync.client import Pace, RetryingClient, Speed
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
    """A document that is ready for a tree."""

    identity: Identity
    document: Document
    held: Document
    """The catalog's version of it; empty if the catalog does not support it at all."""
    restored: tuple[str, ...] = ()
    """The parts that the catalog does not support and that were restored from git."""
    left_out: tuple[str, ...] = ()
    """Such parts that conflict with the catalog's current version: they stay in git only."""


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """A document that cannot be fetched, and why."""

    identity: Identity
    reason: str
    is_outside: bool = False
    """The catalog is unreachable, or the document is damaged there."""


@dataclass(frozen=True, slots=True)
class FetchSource:
    """A catalog to fetch documents from."""

    catalog: Catalog
    sort: str
    """The type of the catalog."""
    environment: str | None = None
    """The environment of the tree: documents of others are refused."""
    whole: Mapping[Identity, Document] = field(default_factory=dict)
    """Complete documents, including the parts that the catalog does not support."""

    def named(self) -> list[Identity]:
        """All documents of the catalog, and those that it does not support, in order."""
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
        """Fetch these documents, in their order; soft-deleted ones are left out."""
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
        """A document of the catalog, with its unsupported parts restored from git."""
        whole = self.whole.get(identity)
        if whole is None:
            return FetchedDocument(identity, held, held)
        before = self.catalog.project(identity, whole)
        lost = tuple(sorted({loss.at for loss in before.losses}))
        merged = merge(before.document, whole, held, identity.cls)
        after = self.catalog.project(identity, merged.document).document
        # Only unsupported parts may be added: a merge may restore what was deleted in the catalog.
        if merged.conflicts or canonical_document(after, identity.cls) != held:
            return FetchedDocument(identity, held, held, left_out=lost)
        return FetchedDocument(identity, merged.document, held, lost)


def as_finding(one: FetchFailure) -> FileFinding:
    """The finding for a document that could not be fetched."""
    rule = UNREADABLE if one.is_outside else NOT_ADOPTED
    hint = "look at it in the catalog" if one.is_outside else "mend it in the catalog"
    return build_finding(path_of(one.identity), Problem(Position(), rule, one.reason, hint))


SORTS = {name: kind.name for name, kind in SECTIONS.items() if kind is not OBSERVATION}
"""The names of document kinds for command-line options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFilter:
    """A filter of a catalog's documents; an empty part matches all."""

    only: tuple[str, ...] = ()
    """Patterns of identities of any kind."""
    datasets: tuple[str, ...] = ()
    """Patterns of datasets; documents of other kinds always match."""
    platforms: tuple[str, ...] = ()
    sorts: tuple[str, ...] = ()
    """Kinds, by their names in options."""

    def wants(self, one: Identity) -> bool:
        """Whether a document matches."""
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
