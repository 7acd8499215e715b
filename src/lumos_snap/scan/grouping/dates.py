"""Dates and times in paths, with the format letters of Java and Spark.

A format such as `yyyy/MM/dd` or `'dt-'yyyyMMdd` is compiled once. It parses a text to numbers, if
they are a valid date of these centuries, and formats a time.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from lumos_snap.errors import LumosError

UNITS = ("year", "month", "day", "hour", "minute", "second", "fraction")
"""Parts of a date, from coarse to fine."""

FIRST_YEAR, LAST_YEAR = 1900, 2100
_SURE_YEARS = range(2000, 2050)  # six digits are often an id: only these years count as a month

_LETTERS = {
    "yyyy": ("year", "[0-9]{4}"),
    "MM": ("month", "[0-9]{2}"),
    "M": ("month", "1[0-2]|[1-9]"),
    "dd": ("day", "[0-9]{2}"),
    "d": ("day", "[12][0-9]|3[01]|[1-9]"),
    "HH": ("hour", "[0-9]{2}"),
    "H": ("hour", "1[0-9]|2[0-3]|[0-9]"),
    "mm": ("minute", "[0-9]{2}"),
    "ss": ("second", "[0-9]{2}"),
    "SSS": ("fraction", "[0-9]{3}"),
    "SSSSSS": ("fraction", "[0-9]{6}"),
}
UNIT_RANGES = {
    "year": range(FIRST_YEAR, LAST_YEAR + 1),
    "month": range(1, 13),
    "day": range(1, 32),
    "hour": range(24),
    "minute": range(60),
    "second": range(60),
    "fraction": range(10**6),
}
_TOKEN = re.compile(r"'([^']*)'|(([A-Za-z])\3*)|([^A-Za-z'])", re.DOTALL)

# Each format has texts of a unique shape, so a lookup finds it.
_ALONE = (
    "yyyy", "yyyy-MM", "yyyy_MM", "yyyyMM",
    "yyyy-MM-dd", "yyyy_MM_dd", "yyyy.MM.dd", "yyyyMMdd",
    "yyyy-MM-dd-HH", "yyyy-MM-dd_HH", "yyyy-MM-dd HH", "yyyy-MM-dd'T'HH", "yyyy_MM_dd_HH",
    "yyyyMMddHH", "yyyyMMdd-HH", "yyyyMMdd_HH", "yyyyMMdd'T'HH",
    "yyyy-MM-dd-HH-mm", "yyyy-MM-dd_HH-mm", "yyyy-MM-dd HH:mm", "yyyy-MM-dd'T'HH:mm",
    "yyyy-MM-dd'T'HH-mm", "yyyyMMddHHmm", "yyyyMMdd-HHmm", "yyyyMMdd_HHmm", "yyyyMMdd'T'HHmm",
    "yyyy-MM-dd-HH-mm-ss", "yyyy-MM-dd_HH-mm-ss", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss",
    "yyyy-MM-dd'T'HH-mm-ss", "yyyy-MM-dd'T'HH:mm:ss'Z'", "yyyyMMddHHmmss", "yyyyMMdd-HHmmss",
    "yyyyMMdd_HHmmss", "yyyyMMdd'T'HHmmss", "yyyyMMdd'T'HHmmss'Z'",
    "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd HH:mm:ss.SSSSSS",
)  # fmt: skip
_ZEROS = str.maketrans("123456789", "000000000")
_SHAPES = {re.sub("[yMdHmsS]", "0", form.replace("'", "")): form for form in _ALONE}
_LENGTHS = frozenset(len(shape) for shape in _SHAPES)


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A compiled format, for parsing and formatting."""

    format: str
    regex: re.Pattern[str]
    units: tuple[str, ...]  # in the order of the format
    parts: tuple[tuple[str, str], ...]  # (letters, "") or ("", literal text)

    @property
    def pattern(self) -> str:
        """The regular expression of the format, without named groups."""
        return "".join(
            f"(?:{_LETTERS[letters][1]})" if letters else re.escape(text)
            for letters, text in self.parts
        )

    @property
    def finest(self) -> str:
        """The smallest unit of the format."""
        return max(self.units, key=UNITS.index)

    def read(self, text: str) -> tuple[int, ...] | None:
        """Parse the numbers of a text, from coarse to fine; None if it is not a valid date."""
        found = self.regex.fullmatch(text)
        if found is None:
            return None
        numbers = {unit: int(value) for unit, value in found.groupdict().items()}
        return tuple(numbers[u] for u in UNITS if u in numbers) if _is_real(numbers) else None

    def write(self, moment: datetime) -> str:
        """Format a time."""
        return "".join(_format_unit(letters, moment) if letters else t for letters, t in self.parts)


def _is_real(numbers: dict[str, int]) -> bool:
    if any(value not in UNIT_RANGES[unit] for unit, value in numbers.items()):
        return False
    if not {"year", "month", "day"} <= numbers.keys():
        return True
    try:
        date(numbers["year"], numbers["month"], numbers["day"])
    except ValueError:
        return False
    return True


def _format_unit(letters: str, moment: datetime) -> str:
    if letters.startswith("S"):
        return f"{moment.microsecond:06}"[: len(letters)]
    return str(getattr(moment, _LETTERS[letters][0])).rjust(len(letters), "0")


@lru_cache(maxsize=1024)
def parse_date_format(form: str) -> DateFormat:
    """Compile a format; an error names the part that is not supported."""
    parts = _parse_parts(form)
    units = tuple(_LETTERS[letters][0] for letters, _ in parts if letters)
    if not units or len(set(units)) < len(units):
        what = "names no part of a date" if not units else "names a part of a date twice"
        raise LumosError(f"date format {form!r} {what}", hint="write it as in yyyy-MM-dd")
    pattern = "".join(
        f"(?P<{_LETTERS[letters][0]}>{_LETTERS[letters][1]})" if letters else re.escape(text)
        for letters, text in parts
    )
    return DateFormat(form, re.compile(pattern), units, parts)


def _parse_parts(form: str) -> tuple[tuple[str, str], ...]:
    parts, at = [], 0
    for found in _TOKEN.finditer(form):
        quoted, letters, _, other = found.groups()
        if found.start() != at or (letters and letters not in {*_LETTERS, "T", "Z"}):
            break
        parts.append((letters, "") if letters in _LETTERS else ("", quoted or letters or other))
        at = found.end()
    if at != len(form):
        known = ", ".join(_LETTERS)
        raise LumosError(
            f"date format {form!r}: {form[at:]!r} is not understood",
            hint=f"{known}; other letters stand between quotes, as in yyyy'W'MM",
        )
    return tuple((letters, text or "") for letters, text in parts)


def unpad_format(form: str) -> str:
    """Return the format without leading zeros, as in folders 2024/9/30 and 2024/10/1."""
    return form.replace("/MM", "/M").replace("/dd", "/d").replace("/HH", "/H")


@lru_cache(maxsize=65536)
def find_date_format(text: str) -> str | None:
    """Find the format of a text that is only a date: `2024`, `2024-01-15` or `20240115`."""
    if len(text) not in _LENGTHS:
        return None
    form = _SHAPES.get(text.translate(_ZEROS))
    if form is None or parse_date_format(form).read(text) is None:
        return None
    return None if form == "yyyyMM" and int(text[:4]) not in _SURE_YEARS else form
