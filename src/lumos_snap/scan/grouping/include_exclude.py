"""Globs over relative paths: `*` and `?` stay within a folder, `**` crosses folders."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from lumos_snap.documents.patterns import Match, PatternError, wildcards
from lumos_snap.errors import LumosError

_SPECIAL = re.compile(r"[*?\[\]{},\\]")
_CLASS = re.compile(r"\[(!?)(\][^\]/]*|[^\]/]+)\]", re.DOTALL)


def escape_glob(text: str) -> str:
    """A glob that means a text as it is spelled.

    Special characters become `?`, which every dialect of globs reads in the same way.
    """
    return _SPECIAL.sub("?", text)


@lru_cache(maxsize=1024)
def compile_glob(glob: str) -> Match:
    """Whether a path matches a glob."""
    segments = segments_of(glob)
    last = len(segments) - 1
    pieces = []
    for index, segment in enumerate(segments):
        if segment == "**":
            pieces.append(".*" if index == last else "(?:[^/]*/)*")
        else:
            pieces.append(segment_pattern(segment) + ("" if index == last else "/"))
    return _compile_regex("".join(pieces), glob)


def compile_segment(text: str) -> Match:
    """Whether a name matches one part of a glob."""
    return _compile_regex(segment_pattern(text), text)


def _compile_regex(regex: str, glob: str) -> Match:
    try:
        return wildcards(regex, regex.count("*"))
    except PatternError as exc:
        raise LumosError(f"unsupported glob `{glob[:100]}…`: {exc}") from exc


def segments_of(glob: str) -> tuple[str, ...]:
    """The parts of a glob between slashes; one that ends in a slash means all below that folder."""
    whole = glob.removeprefix("./").lstrip("/")
    segments = (whole + "**" if whole.endswith("/") or not whole else whole).split("/")
    return tuple(
        s for n, s in enumerate(segments) if not (s == "**" and segments[n - 1 : n] == [s])
    )


def segment_pattern(segment: str) -> str:
    """The regular expression of one part of a glob: nothing in it crosses a slash."""
    pieces, at = [], 0
    while at < len(segment):
        found = _CLASS.match(segment, at) if segment[at] == "[" else None
        pieces.append(
            _character_set(found)
            if found
            else _WILDCARDS.get(segment[at]) or re.escape(segment[at])
        )
        at = found.end() if found else at + 1
    # Two stars side by side mean the same as one, and would only try everything twice.
    return re.sub(r"(?:\[\^/\]\*)+", "[^/]*", "".join(pieces))


_WILDCARDS = {"*": "[^/]*", "?": "[^/]"}


def _character_set(found: re.Match[str]) -> str:
    """A set such as `[a-z]`, without what regular expressions would read into it."""
    negated, inside = found.groups()
    members, at = [], 0
    while at < len(inside):
        is_range = inside[at + 1 : at + 2] == "-" and at + 2 < len(inside)
        first, last = inside[at], inside[at + 2] if is_range else inside[at]
        if first > last:  # as in `[z-a]`: no set at all, so it means itself
            return re.escape(found.group())
        members += [
            f"{re.escape(low)}-{re.escape(high)}" for low, high in _split_at_slash(first, last)
        ]
        at += 3 if is_range else 1
    return f"[{'^/' if negated else ''}{''.join(members)}]"


def _split_at_slash(first: str, last: str) -> Iterable[tuple[str, str]]:
    """A range of characters in parts that leave out the slash, which nothing in a part crosses."""
    return ((first, "."), ("0", last)) if first < "/" < last else ((first, last),)


def union_places(places: Iterable[tuple[str, str | None]]) -> tuple[str, str | None]:
    """One folder and glob for all the places (folder, files) of a dataset.

    It depends on which places there are, never on their order or number. Places that another one
    holds are left out; what remains stands in braces, as in `clicks*.{csv,json}`.
    """
    distinct = sorted(set(places), key=lambda place: (place[0], place[1] or ""))
    if len(distinct) == 1:
        return distinct[0]
    folder = _find_common_folder(tuple(place[0] for place in distinct))
    if (folder, None) in distinct:
        return folder, None
    below = {_rebase_glob(place, folder) for place in distinct}
    kept = sorted(g for g in below if not any(g != o and compile_glob(o)(g) for o in below))
    return folder, kept[0] if len(kept) == 1 else _join_in_braces(kept)


def _find_common_folder(folders: tuple[str, ...]) -> str:
    """The deepest folder that holds all folders."""
    shared: list[str] = []
    for segments in zip(*(folder.split("/") for folder in folders), strict=False):
        if len(set(segments)) > 1:
            break
        shared.append(segments[0])
    return "/".join(shared)


def _rebase_glob(place: tuple[str, str | None], folder: str) -> str:
    own, files = place
    between = own[len(folder) :].removeprefix("/") if folder else own
    return "/".join(filter(None, (escape_glob(between), files or "*")))


def _join_in_braces(globs: list[str]) -> str:
    heads = {glob.rpartition("*")[0] for glob in globs}
    if len(heads) > 1:
        return "{" + ",".join(globs) + "}"
    ends = [glob.rpartition("*")[2] for glob in globs]
    dot = "." if all(end.startswith(".") for end in ends) else ""
    return f"{heads.pop()}*{dot}{{{','.join(end.removeprefix(dot) for end in ends)}}}"


_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Files by globs over their path below the source's root; without any, all are wanted.

    A glob is matched against the whole path: `**/*.csv` means CSV files in any folder, `*.csv`
    those in the root, `raw/tmp/` all that lies below that folder.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, path: str) -> bool:
        """Whether a file is asked for."""
        if self.include and not any(compile_glob(glob)(path) for glob in self.include):
            return False
        return not any(compile_glob(glob)(path) for glob in self.exclude)

    def may_hold(self, folder: str) -> bool:
        """Whether some file below a folder could be wanted: if not, nothing need be listed."""
        segments = tuple(folder.split("/")) if folder else ()
        if any(_holds_all(glob, segments) for glob in self.exclude):
            return False
        return not self.include or any(_reach_parts(glob, segments) for glob in self.include)


def leads_to(folder_names: tuple[str, ...], pattern: str) -> bool:
    """Whether a dataset whose names begin with these could match a pattern of dataset names.

    Patterns are those of `fnmatch` over names joined by `/`: their `*` also crosses a slash. Only
    what stands before the first wildcard is compared, so the answer may be a needless yes.
    """
    if not folder_names:
        return True
    joined = "/".join(folder_names)
    wild = _WILDCARD.search(pattern)
    fixed = pattern[: wild.start()] if wild else pattern
    if fixed == joined or fixed.startswith(f"{joined}/"):
        return True
    return wild is not None and f"{joined}/".startswith(fixed)


def _holds_all(glob: str, segments: tuple[str, ...]) -> bool:
    """Whether a glob matches everything below a folder."""
    last = len(segments_of(glob)) - 1
    return segments_of(glob)[last] == "**" and last in _reach_parts(glob, segments)


def _reach_parts(glob: str, segments: tuple[str, ...]) -> frozenset[int]:
    """Which parts of a glob a path could continue with, after these folders."""
    parts = _compile_parts(glob)
    reached = _skip_stars(parts, frozenset({0}))
    for name in segments:
        stay = {at for at in reached if parts[at] is None}
        step = {at + 1 for at in reached if (part := parts[at]) and part(name)}
        # Beyond the last part nothing follows: a path that goes on does not match.
        reached = _skip_stars(parts, frozenset(at for at in stay | step if at < len(parts)))
    return reached


def _skip_stars(parts: tuple[Match | None, ...], reached: frozenset[int]) -> frozenset[int]:
    """With what follows each `**`, which may stand for no folder at all."""
    last = len(parts) - 1
    skipped = {at + 1 for at in reached if parts[at] is None and at < last}
    return reached if skipped <= reached else _skip_stars(parts, reached | skipped)


@lru_cache(maxsize=1024)
def _compile_parts(glob: str) -> tuple[Match | None, ...]:
    return tuple(None if one == "**" else compile_segment(one) for one in segments_of(glob))
