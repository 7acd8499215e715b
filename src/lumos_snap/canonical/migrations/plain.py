"""Any parsed value as JSON that every document may hold.

Numbers that are not integers, or are too large for some readers, become their text; so do dates.
What no file may hold is handled here, once: passwords in addresses, half characters, and nesting
that readers refuse.
"""

import re
from collections.abc import Callable
from datetime import date

from lumos_snap.canonical.migrations.upgraded import Pointer, Problem

DEEPEST = 140
"""Levels that are read; a type at its deepest takes 128 of them."""

LARGEST_INTEGER = 2**53
MOST_BITS = 10_000
_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]*@")

TOO_DEEP = "is nested too deep to be kept"
HIDDEN = "a user and a password stood in this address: they were left out"

Report = Callable[[Problem], None]


def plain(value: object, report: Report, at: Pointer = ()) -> object:
    """The value as JSON; what had to be left out is reported."""
    if len(at) > DEEPEST:
        report(Problem(at, TOO_DEEP))
        return None
    if isinstance(value, dict):
        return _object(value, report, at)
    if isinstance(value, list | tuple):
        return [plain(item, report, (*at, index)) for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_INTEGER else _digits(value)
    return _text(value, report, at)


def _object(value: dict[object, object], report: Report, at: Pointer) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, held in value.items():
        name = key if isinstance(key, str) else str(key)
        clean = _whole(name)
        while clean in found:
            clean += "'"
        found[clean] = plain(held, report, (*at, name))
    return found


def _text(value: object, report: Report, at: Pointer) -> str:
    if isinstance(value, date):
        return value.isoformat()
    text = _whole(value if isinstance(value, str) else str(value))
    public = _PASSWORD.sub("://", text)
    if public != text:
        report(Problem(at, HIDDEN))
    return public


def _digits(value: int) -> str:
    """Python refuses to write thousands of digits in base ten."""
    return str(value) if value.bit_length() < MOST_BITS else hex(value)


def _whole(text: str) -> str:
    """A text without half characters, which UTF-8 cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode()
