"""Parsing of folder paths: the role of each segment, and the names and partitions that result."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from lumos_snap.scan.grouping.dates import UNITS, find_date_format, parse_date_format, unpad_format
from lumos_snap.scan.grouping.include_exclude import escape_glob

NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """The value of one partition column in a path.

    A `date` has a year and smaller parts, a `part` is one number of a date, a `null` means no
    value. `format` formats `value` as it is in the path.
    """

    name: str
    value: str
    style: Literal["hive", "path", "file"]  # `file`: in the file's name, not in a folder
    format: str | None = None
    kind: Literal["date", "part", "value", "null"] = "value"


@dataclass(frozen=True, slots=True)
class Piece:
    """Segments with one role; `partitions` or `name` is their result."""

    texts: tuple[str, ...]
    why: str
    name: str | None = None
    partitions: tuple[PartitionValue, ...] = ()
    glob: str | None = None  # if the same dataset may have other spellings

    @property
    def pattern(self) -> str:
        """A glob of all spellings for the same dataset."""
        return self.glob or "/".join(map(escape_glob, self.texts))


@dataclass(frozen=True, slots=True)
class ParsedFolder:
    """The result of parsing a folder's path."""

    pieces: tuple[Piece, ...]
    names: tuple[str, ...]
    partitions: tuple[PartitionValue, ...]
    location: str  # the location of the folder's dataset
    files: str | None  # a glob below it, if the dataset does not own the whole folder
    stems: tuple[str, str]  # location and glob for a dataset that is named by its files


def folder_of(pieces: Sequence[Piece]) -> ParsedFolder:
    """Combine pieces to the result."""
    names = tuple(piece.name for piece in pieces if piece.name is not None)
    last = max((n for n, piece in enumerate(pieces, 1) if piece.name is not None), default=0)
    location, rest = _split_location(pieces[:last])
    stems, above = _split_location(pieces)
    return ParsedFolder(
        pieces=tuple(pieces),
        names=names,
        partitions=tuple(value for piece in pieces for value in piece.partitions),
        location=location,
        files=f"{rest}*" if rest else None,
        stems=(stems, above),
    )


def _split_location(pieces: Sequence[Piece]) -> tuple[str, str]:
    """Return the folder above the first piece that varies, and the glob of the rest."""
    fixed = next((n for n, piece in enumerate(pieces) if piece.glob), len(pieces))
    folder = "/".join(text for piece in pieces[:fixed] for text in piece.texts)
    return folder.rstrip("/"), "".join(f"{piece.pattern}/" for piece in pieces[fixed:])


PART_KEYS = {
    "year": "year", "yyyy": "year", "yr": "year", "y": "year",
    "month": "month", "mm": "month", "mon": "month", "m": "month",
    "day": "day", "dd": "day", "d": "day",
    "hour": "hour", "hh": "hour", "hr": "hour", "h": "hour",
    "minute": "minute", "min": "minute",
}  # fmt: skip
"""Keys of columns that contain one part of a date."""

_PADDED = {"year": "yyyy", "month": "MM", "day": "dd", "hour": "HH", "minute": "mm"}
_SHORT = {"month": "M", "day": "d", "hour": "H"}
_PREFIXES = frozenset({
    *PART_KEYS, "dt", "date", "ds", "ts", "time", "timestamp", "datetime", "p", "partition"
})  # fmt: skip
_DATE_WORDS = frozenset({
    "dt", "date", "day", "ds", "d", "ts", "time", "timestamp", "datetime", "year", "y", "month",
    "m", "hour", "h", "p", "partition", "dth", "datehour", "yyyymm", "yyyymmdd", "yyyymmddhh",
    "period", "yearmonth", "ym", "ymd", "asof", "at",
})  # fmt: skip
_LONE = frozenset("dmhpy")  # letters that mean a date as a whole key, not as a word in a key
_PREFIXED = re.compile(r"([A-Za-z]+)[-_](.+)", re.DOTALL)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORT_NUMBER = re.compile(r"[0-9]{1,2}")
_FULL_DATE = re.compile(r"yyyy-MM-dd.*")

_Recogniser = Callable[[Sequence[str], int, "Piece | None"], "Piece | None"]


@lru_cache(maxsize=16384)
def read_folder(path: str) -> ParsedFolder:
    """Parse the path of a folder; the root is empty."""
    return folder_of(read_segments(path.split("/") if path else ()))


def read_segments(segments: Sequence[str]) -> tuple[Piece, ...]:
    """Parse segments to pieces, in the order of the path."""
    pieces: list[Piece] = []
    at = 0
    while at < len(segments):
        before = pieces[-1] if pieces else None
        piece = next(filter(None, (known(segments, at, before) for known in _RECOGNISERS)))
        pieces.append(piece)
        at += len(piece.texts)
    return rename_duplicates(pieces)


def _match_hive(segments: Sequence[str], at: int, before: Piece | None) -> Piece | None:
    return _hive_piece(segments[at], _finest_unit(before)) if "=" in segments[at] else None


@lru_cache(maxsize=16384)
def _hive_piece(text: str, finest: str | None) -> Piece | None:
    """Parse a hive segment; cached, as folders of one partition occur in many datasets."""
    raw, _, written = text.partition("=")
    if not raw:
        return None
    name, value = decode_hive(raw), decode_hive(written)
    if value in (NULL, ""):
        return _partition(text, PartitionValue(name, value, "hive", None, "null"), _IS_NULL)
    form = _hive_format(name, value, finest)
    return _partition(text, PartitionValue(name, value, "hive", form, kind_of(form)), _IS_HIVE)


def decode_hive(text: str) -> str:
    """Decode a key or a value of a hive folder, which its writer has escaped."""
    return unquote(text, errors="surrogateescape") if "%" in text else text


def _hive_format(name: str, value: str, finest: str | None) -> str | None:
    unit = PART_KEYS.get(name.lower())
    if unit == "month" and finest == "hour":
        unit = "minute"  # as in h=10/m=00
    form = _PADDED.get(unit or "")
    if form and len(form) == len(value) and parse_date_format(form).read(value):
        return form
    form = find_date_format(value)
    if form is None or _FULL_DATE.fullmatch(form):
        return form
    return form if form != "yyyy" and _is_date_key(name) else None


def _is_date_key(name: str) -> bool:
    if name.lower() in _DATE_WORDS:
        return True
    return any(word.lower() in _DATE_WORDS - _LONE for word in _WORDS.findall(name))


def _match_date(segments: Sequence[str], at: int, _before: Piece | None) -> Piece | None:
    form = find_date_format(segments[at])
    if form is None:
        return None
    end = at + 1
    while end < len(segments) and (unit := _next_unit(form)):
        longer = _extend_format(form, unit, segments[at : end + 1])
        if longer is None:
            if _is_impossible(unit, segments[end]):
                return None
            break
        form, end = longer, end + 1
    value = "/".join(segments[at:end])
    if any(len(text) == 1 for text in segments[at:end]) and parse_date_format(
        unpad_format(form)
    ).read(value):
        form = unpad_format(form)
    partition = PartitionValue(parse_date_format(form).finest, value, "path", form, kind_of(form))
    return Piece(tuple(segments[at:end]), _IS_DATE, None, (partition,), _stars(end - at))


def _next_unit(form: str) -> str | None:
    finest = UNITS.index(parse_date_format(form).finest)
    return UNITS[finest + 1] if UNITS[finest] in _PADDED and UNITS[finest] != "minute" else None


def _extend_format(form: str, unit: str, texts: Sequence[str]) -> str | None:
    letters = (_PADDED if len(texts[-1]) > 1 else _SHORT).get(unit)
    if letters is None or not _SHORT_NUMBER.fullmatch(texts[-1]):
        return None
    longer = f"{form}/{letters}"
    return longer if parse_date_format(longer).read("/".join(texts)) else None


def _is_impossible(unit: str, text: str) -> bool:
    """Whether a number in place of a month or a day shows that the path is not a date."""
    return unit in ("month", "day") and _SHORT_NUMBER.fullmatch(text) is not None


def _match_prefixed(segments: Sequence[str], at: int, before: Piece | None) -> Piece | None:
    found = _PREFIXED.fullmatch(segments[at])
    if found is None or found[1].lower() not in _PREFIXES:
        return None
    form = find_date_format(found[2]) or _part_format(found[1].lower(), found[2], before)
    if form is None:
        return None
    quoted = f"'{segments[at][: found.start(2)]}'{form}"
    value = PartitionValue(found[1], segments[at], "path", quoted, kind_of(form))
    return _partition(segments[at], value, _IS_PREFIXED)


def _part_format(word: str, number: str, before: Piece | None) -> str | None:
    """Return the format of a date part, as in `month-01`; of `m-01` only after a coarser part."""
    unit = PART_KEYS.get(word)
    if unit == "month" and _finest_unit(before) == "hour":
        unit = "minute"
    form = _PADDED.get(unit or "")
    if form is None or (word in _LONE and _finest_unit(before) is None):
        return None
    return form if parse_date_format(form).read(number) else None


def _match_next_unit(segments: Sequence[str], at: int, before: Piece | None) -> Piece | None:
    finest = _finest_unit(before)
    if finest is None or finest not in _PADDED or finest == "minute":
        return None
    unit = UNITS[UNITS.index(finest) + 1]
    if not parse_date_format(_PADDED[unit]).read(segments[at]):
        return None
    value = PartitionValue(unit, segments[at], "path", _PADDED[unit], "part")
    return _partition(segments[at], value, _IS_NEXT)


def _finest_unit(before: Piece | None) -> str | None:
    """Return the finest unit of the date at the end of the previous piece."""
    form = before.partitions[-1].format if before and before.partitions else None
    return parse_date_format(form).finest if form else None


def _match_empty(segments: Sequence[str], at: int, _before: Piece | None) -> Piece | None:
    return None if segments[at] else Piece(("",), _IS_EMPTY)


def _match_name(segments: Sequence[str], at: int, _before: Piece | None) -> Piece:
    return Piece((segments[at],), _IS_NAME, segments[at])


_RECOGNISERS: tuple[_Recogniser, ...] = (
    _match_empty,
    _match_hive,
    _match_date,
    _match_prefixed,
    _match_next_unit,
    _match_name,
)

_IS_EMPTY = "Nothing stands between two slashes."
_IS_HIVE = "`key=value` is a partition."
_IS_NULL = "`key=value` is a partition, here without a value."
_IS_DATE = "A date without a key is a partition, over as many folders as it is written in."
_IS_PREFIXED = "A date behind a word such as `dt` or `day` is a partition."
_IS_NEXT = "It goes on with the date that the folder above begins."
_IS_NAME = "A folder that is no partition is part of the dataset's name."


def kind_of(form: str | None) -> Literal["date", "part", "value"]:
    """Classify a value by its format."""
    if form is None:
        return "value"
    return "part" if len(parse_date_format(form).units) == 1 else "date"


def _stars(count: int) -> str:
    return "/".join(["*"] * count)


def _partition(text: str, value: PartitionValue, why: str) -> Piece:
    return Piece((text,), why, None, (value,), "*")


def rename_duplicates(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Rename duplicate columns: the second `day` is `day_2`."""
    names = [value.name for piece in pieces for value in piece.partitions]
    if len(names) == len(set(names)):
        return tuple(pieces)
    used: Counter[str] = Counter()
    return tuple(
        replace(piece, partitions=tuple(_rename_duplicate(v, used) for v in piece.partitions))
        for piece in pieces
    )


def _rename_duplicate(value: PartitionValue, used: Counter[str]) -> PartitionValue:
    name = value.name
    while used[name]:
        used[value.name] += 1
        name = f"{value.name}_{used[value.name]}"
    used[name] += 1
    return value if name == value.name else replace(value, name=name)
