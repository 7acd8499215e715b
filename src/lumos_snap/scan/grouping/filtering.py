"""Which files a source is asked for: globs to include and to exclude, and what they let skip."""

import re
from dataclasses import dataclass
from functools import lru_cache

from lumos_snap.documents.patterns import Match
from lumos_snap.scan.grouping.globs import compiled, segment, segments_of

_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Filter:
    """Files by globs over their path below the source's root; without any, all are wanted.

    A glob is matched against the whole path: `**/*.csv` means CSV files in any folder, `*.csv`
    those in the root, `raw/tmp/` all that lies below that folder.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, path: str) -> bool:
        """Whether a file is asked for."""
        if self.include and not any(compiled(glob)(path) for glob in self.include):
            return False
        return not any(compiled(glob)(path) for glob in self.exclude)

    def may_hold(self, folder: str) -> bool:
        """Whether some file below a folder could be wanted: if not, nothing need be listed."""
        segments = tuple(folder.split("/")) if folder else ()
        if any(_holds_all(glob, segments) for glob in self.exclude):
            return False
        return not self.include or any(_reached(glob, segments) for glob in self.include)


def leads_to(folder_names: tuple[str, ...], pattern: str) -> bool:
    """Whether a dataset whose names begin with these could match a pattern of dataset names.

    Patterns are those of `fnmatch` over names joined by `/`: their `*` also crosses a slash. Only
    what stands before the first wildcard is compared, so the answer may be a needless yes.
    """
    if not folder_names:
        return True
    joined = "/".join(folder_names)
    wild = _WILD.search(pattern)
    fixed = pattern[: wild.start()] if wild else pattern
    if fixed == joined or fixed.startswith(f"{joined}/"):
        return True
    return wild is not None and f"{joined}/".startswith(fixed)


def _holds_all(glob: str, segments: tuple[str, ...]) -> bool:
    """Whether a glob matches everything below a folder."""
    last = len(segments_of(glob)) - 1
    return segments_of(glob)[last] == "**" and last in _reached(glob, segments)


def _reached(glob: str, segments: tuple[str, ...]) -> frozenset[int]:
    """Which parts of a glob a path could continue with, after these folders."""
    parts = _parts(glob)
    reached = _opened(parts, frozenset({0}))
    for name in segments:
        stay = {at for at in reached if parts[at] is None}
        step = {at + 1 for at in reached if (part := parts[at]) and part(name)}
        # Beyond the last part nothing follows: a path that goes on does not match.
        reached = _opened(parts, frozenset(at for at in stay | step if at < len(parts)))
    return reached


def _opened(parts: tuple[Match | None, ...], reached: frozenset[int]) -> frozenset[int]:
    """With what follows each `**`, which may stand for no folder at all."""
    last = len(parts) - 1
    skipped = {at + 1 for at in reached if parts[at] is None and at < last}
    return reached if skipped <= reached else _opened(parts, reached | skipped)


@lru_cache(maxsize=1024)
def _parts(glob: str) -> tuple[Match | None, ...]:
    return tuple(None if one == "**" else segment(one) for one in segments_of(glob))
