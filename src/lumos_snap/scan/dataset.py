"""A dataset as a scan has met it: where it lies, and what its files say."""

from dataclasses import dataclass

from lumos_snap.scan.dataset_files import Gathered
from lumos_snap.scan.evidence import Evidence
from lumos_snap.scan.sources.source import Source


@dataclass(frozen=True, slots=True)
class Met:
    """One dataset of a source."""

    source: Source
    names: tuple[str, ...]
    gathered: Gathered
    evidence: Evidence
    in_sight: bool = True
    """Whether every folder below it could be listed."""

    @property
    def urn(self) -> str:
        """The urn that it has."""
        return self.source.urn(self.names)

    def location(self, folder: str) -> str | None:
        """Where it lies, in words that hold on every machine; a catalog may not know."""
        if self.source.catalog is not None:
            return self.gathered.location
        return self.source.located(folder)

    @property
    def is_whole(self) -> bool:
        """Whether all that lies there was seen: what is missing in the rest may be there still."""
        return self.in_sight and not self.evidence.bad
