"""Globs over relative paths: `*` and `?` stay within a folder, `**` crosses folders.

Files that are never data are excluded by default.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from lumos_snap.documents.patterns import Match, PatternError, wildcards
from lumos_snap.errors import LumosError
from lumos_snap.scan.grouping.extensions import COMPRESSIONS

_SPECIAL = re.compile(r"[*?\[\]{},\\]")
_CLASS = re.compile(r"\[(!?)(\][^\]/]*|[^\]/]+)\]", re.DOTALL)


def escape_glob(text: str) -> str:
    """Escape a text for a glob.

    Special characters become `?`, which has the same meaning in every glob dialect.
    """
    return _SPECIAL.sub("?", text)


@lru_cache(maxsize=1024)
def compile_glob(glob: str) -> Match:
    """Compile a glob to a function that matches paths."""
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
    """Compile one segment of a glob to a function that matches names."""
    return _compile_regex(segment_pattern(text), text)


def _compile_regex(regex: str, glob: str) -> Match:
    try:
        return wildcards(regex, regex.count("*"))
    except PatternError as exc:
        raise LumosError(f"unsupported glob `{glob[:100]}…`: {exc}") from exc


def segments_of(glob: str) -> tuple[str, ...]:
    """Split a glob at slashes; a trailing slash means everything below that folder."""
    whole = glob.removeprefix("./").lstrip("/")
    segments = (whole + "**" if whole.endswith("/") or not whole else whole).split("/")
    return tuple(
        s for n, s in enumerate(segments) if not (s == "**" and segments[n - 1 : n] == [s])
    )


def segment_pattern(segment: str) -> str:
    """Return the regular expression of a segment, which never matches a slash."""
    pieces, at = [], 0
    while at < len(segment):
        found = _CLASS.match(segment, at) if segment[at] == "[" else None
        pieces.append(
            _character_set(found)
            if found
            else _WILDCARDS.get(segment[at]) or re.escape(segment[at])
        )
        at = found.end() if found else at + 1
    # Two adjacent stars mean the same as one, and would only cause backtracking.
    return re.sub(r"(?:\[\^/\]\*)+", "[^/]*", "".join(pieces))


_WILDCARDS = {"*": "[^/]*", "?": "[^/]"}


def _character_set(found: re.Match[str]) -> str:
    """Convert a set such as `[a-z]`, with the characters special in regular expressions escaped."""
    negated, inside = found.groups()
    members, at = [], 0
    while at < len(inside):
        is_range = inside[at + 1 : at + 2] == "-" and at + 2 < len(inside)
        first, last = inside[at], inside[at + 2] if is_range else inside[at]
        if first > last:  # as in `[z-a]`: not a set, so it is literal
            return re.escape(found.group())
        members += [
            f"{re.escape(low)}-{re.escape(high)}" for low, high in _split_at_slash(first, last)
        ]
        at += 3 if is_range else 1
    return f"[{'^/' if negated else ''}{''.join(members)}]"


def _split_at_slash(first: str, last: str) -> Iterable[tuple[str, str]]:
    """Split a range of characters around the slash, which no segment matches."""
    return ((first, "."), ("0", last)) if first < "/" < last else ((first, last),)


def union_places(places: Iterable[tuple[str, str | None]]) -> tuple[str, str | None]:
    """Combine the places (folder, files) of a dataset to one folder and glob.

    The result depends only on the set of places, not on their order or number. Places inside
    another one are left out; the rest is joined in braces, as in `clicks*.{csv,json}`.
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
    """Return the deepest common folder."""
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
    """Selects files by globs over their path below the source's root; without globs, all.

    A glob must match the whole path: `**/*.csv` means CSV files in any folder, `*.csv` those in the
    root, `raw/tmp/` everything below that folder.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, path: str) -> bool:
        """Whether a file is selected."""
        if self.include and not any(compile_glob(glob)(path) for glob in self.include):
            return False
        return not any(compile_glob(glob)(path) for glob in self.exclude)

    def may_hold(self, folder: str) -> bool:
        """Whether a file below a folder may be selected: if not, the folder need not be listed."""
        segments = tuple(folder.split("/")) if folder else ()
        if any(_holds_all(glob, segments) for glob in self.exclude):
            return False
        return not self.include or any(_reach_parts(glob, segments) for glob in self.include)


def leads_to(folder_names: tuple[str, ...], pattern: str) -> bool:
    """Whether a dataset whose names start with these may match a pattern of dataset names.

    Patterns are those of `fnmatch` over names joined by `/`: their `*` also matches a slash. Only
    the part before the first wildcard is compared, so the answer may be a false positive.
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
    """Return the indexes of the glob parts that can match the next name after these folders."""
    parts = _compile_parts(glob)
    reached = _skip_stars(parts, frozenset({0}))
    for name in segments:
        stay = {at for at in reached if parts[at] is None}
        step = {at + 1 for at in reached if (part := parts[at]) and part(name)}
        # No part follows the last one: a path that continues does not match.
        reached = _skip_stars(parts, frozenset(at for at in stay | step if at < len(parts)))
    return reached


def _skip_stars(parts: tuple[Match | None, ...], reached: frozenset[int]) -> frozenset[int]:
    """Add the part after each `**`, which may match no folder at all."""
    last = len(parts) - 1
    skipped = {at + 1 for at in reached if parts[at] is None and at < last}
    return reached if skipped <= reached else _skip_stars(parts, reached | skipped)


@lru_cache(maxsize=1024)
def _compile_parts(glob: str) -> tuple[Match | None, ...]:
    return tuple(None if one == "**" else compile_segment(one) for one in segments_of(glob))


# Rules for files that are never data: hidden, unfinished, and of unrelated types.


HIDDEN = "hidden"
UNFINISHED = "unfinished"
CHECKSUM = "checksum"
LEFT_OVER = "left over by an editor or a desktop"
NOT_DATA = "not data"
MARKER = "marks a folder"

_HIVE = re.compile(r"[^=]+=", re.DOTALL)
_ENDINGS = {
    ".tmp": UNFINISHED,
    ".temp": UNFINISHED,
    ".inprogress": UNFINISHED,
    ".part": UNFINISHED,  # unfinished downloads; engines name finished files part-…, never ….part
    ".partial": UNFINISHED,
    ".filepart": UNFINISHED,
    ".crdownload": UNFINISHED,
    "._copying_": UNFINISHED,
    ".crc": CHECKSUM,
    ".md5": CHECKSUM,
    ".sha1": CHECKSUM,
    ".sha256": CHECKSUM,
    ".sha512": CHECKSUM,
    ".swp": LEFT_OVER,
    ".swo": LEFT_OVER,
    ".bak": LEFT_OVER,
}
_LAST = {"~": LEFT_OVER, "_$folder$": MARKER}  # EMR's marker of an empty folder
_NAMES = {"thumbs.db": LEFT_OVER, "desktop.ini": LEFT_OVER}
_NOT_DATA_WORDS = (
    # documents and pages
    "md markdown rst adoc html htm css pdf doc docx ppt pptx rtf tex"
    # images, audio and video
    " png jpg jpeg gif bmp svg tif tiff webp ico mp3 mp4 wav mov avi mkv"
    # source code and build results
    " py pyc pyi ipynb scala java class jar war kt go rs c h cpp hpp cs js ts jsx tsx rb php pl"
    " sql hql sh bash bat cmd ps1 so dll dylib exe o whl egg"
    # settings, logs and schemas
    " yaml yml toml ini cfg conf properties env lock log out err xml xsd xsl avsc proto thrift"
    " metadata manifest index"
    # archives, keys and models
    " zip tar tgz tbz2 txz 7z rar rpm deb iso pem key crt cer p12 jks pkl pickle pt pth onnx"
    " joblib h5 hdf5 safetensors"
)
_NOT_DATA = frozenset(_NOT_DATA_WORDS.split())


def ignore_reason(path: str) -> str | None:
    """Return why a file is never data; None if it may be.

    A path is checked folder by folder. With a trailing slash it is a folder, which only its name
    can hide: `site.zip/` may contain data. A hive folder such as `_date=2024-01-15` is data.
    """
    folder, _, name = path.rpartition("/")
    return (_folder_reason(folder) if folder else None) or _file_reason(name)


@lru_cache(maxsize=8192)
def _folder_reason(path: str) -> str | None:
    return next(filter(None, map(_name_reason, path.split("/"))), None)


def _name_reason(name: str) -> str | None:
    if name.startswith(".") or (name.startswith("_") and not _HIVE.match(name)):
        return HIDDEN
    return UNFINISHED if name.lower().endswith((".tmp", ".temp", ".inprogress")) else None


def _file_reason(name: str) -> str | None:
    if not name:
        return None
    if name[0] in "._" and (name[0] == "." or not _HIVE.match(name)):
        return HIDDEN
    lower = name.lower()
    rest, _, last = lower.rpartition(".")
    if last in COMPRESSIONS:
        rest, _, last = rest.rpartition(".")
    if rest and last in _NOT_DATA:
        return NOT_DATA
    by_end = next((why for end, why in _LAST.items() if name.endswith(end)), None)
    return by_end or _ENDINGS.get(f".{last}") or _NAMES.get(lower)
