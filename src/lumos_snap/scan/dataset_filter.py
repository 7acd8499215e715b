"""Selects the datasets of a scan by globs, with the syntax of `lumos snap ls`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lumos_snap.scan.grouping.include_exclude import leads_to
from lumos_snap.scan.sources.source import Source

_SCHEME = "lumos://"


@dataclass(frozen=True, slots=True)
class ScanFilter:
    """The datasets of one source that match some globs; without globs, all of them."""

    globs: tuple[str, ...]
    within: str
    """The source's own urn without the scheme."""

    @classmethod
    def of(cls, source: Source, globs: Sequence[str]) -> "ScanFilter":
        """Build the filter of a source from globs."""
        bare = (glob.removeprefix(_SCHEME) for glob in globs)
        return cls(tuple(bare), source.prefix.removeprefix(_SCHEME))

    def wants(self, names: Sequence[str]) -> bool:
        """Whether a dataset matches: by urn, by its path within the source, or by name."""
        if not self.globs:
            return True
        inside = "/".join(names)
        texts = (
            f"{self.within}/{inside}" if inside else self.within,
            inside,
            names[-1] if names else "",
        )
        return any(fnmatchcase(text, glob) for glob in self.globs for text in texts if text)

    def may_lead(self, names: Sequence[str]) -> bool:
        """Whether a folder whose datasets begin with these names may contain a match."""
        if not self.globs:
            return True
        whole = (*self.within.split("/"), *names)
        return any(
            "/" not in glob or leads_to(whole, glob) or leads_to(tuple(names), glob)
            for glob in self.globs
        )
