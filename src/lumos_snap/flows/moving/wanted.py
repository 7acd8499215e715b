"""Which documents of a catalog are meant."""

from dataclasses import dataclass

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.export_format import SECTIONS
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.flows.choosing import matches_glob
from lumos_snap.model.urn import parse_urn

SORTS = {name: kind.name for name, kind in SECTIONS.items() if kind is not OBSERVATION}
"""What people call the kinds of documents that a catalog holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
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
