"""Which datasets a scan is about: globs, as `lumos snap ls` takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lumos_snap.scan.grouping.include_exclude import leads_to
from lumos_snap.scan.sources.source import Source

_SCHEME = "lumos://"


@dataclass(frozen=True, slots=True)
class ScanFilter:
    """The datasets of one source that some globs mean; all of them where there is no glob."""

    globs: tuple[str, ...]
    within: str
    """What follows the scheme in the urn of the source itself."""

    @classmethod
    def of(cls, source: Source, globs: Sequence[str]) -> "ScanFilter":
        """What globs mean in a source."""
        bare = (glob.removeprefix(_SCHEME) for glob in globs)
        return cls(tuple(bare), source.prefix.removeprefix(_SCHEME))

    def wants(self, names: Sequence[str]) -> bool:
        """Whether a dataset is meant: by its urn, by what follows the source, or by its name."""
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
        """Whether a folder whose datasets begin with these names may hold one that is meant."""
        if not self.globs:
            return True
        whole = (*self.within.split("/"), *names)
        return any(
            "/" not in glob or leads_to(whole, glob) or leads_to(tuple(names), glob)
            for glob in self.globs
        )
