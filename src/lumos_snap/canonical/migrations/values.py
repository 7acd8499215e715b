"""Readers of single values; each returns None for an unsuitable value."""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal

from lumos_snap.canonical.migrations.result import MigrationProblem, Pointer

_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_AMOUNT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_SCIENTIFIC = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?[eE][+-]?[0-9]{1,2}")
_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?")
_REFERENCE = re.compile(r"urn:li:[A-Za-z]+:(.+)", re.DOTALL)


def string(value: object) -> str | None:
    """Any text."""
    return value if isinstance(value, str) else None


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def flag(value: object) -> bool | None:
    """A boolean."""
    return value if isinstance(value, bool) else None


def natural(value: object) -> int | None:
    """A count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def amount(value: object) -> str | None:
    """A number in portable notation."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return None
    if _SCIENTIFIC.fullmatch(value):
        value = f"{Decimal(value):f}"
    return value if _AMOUNT.fullmatch(value) else None


def moment(value: object) -> str | None:
    """A timestamp."""
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def version(value: object) -> str | None:
    """A schema version: three numbers."""
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


def reference(value: object) -> str | None:
    """The id of a user, group, tag or term, either plain or as a catalog urn."""
    if not isinstance(value, str):
        return None
    match = _REFERENCE.fullmatch(value)
    return match[1] if match else text(value)


def drop_empty(document: dict[str, object]) -> dict[str, object]:
    """The document without empty values."""
    return {key: held for key, held in document.items() if held not in (None, "", [], {})}


DEEPEST = 140
"""The maximum number of levels; the deepest type takes 128 of them."""

LARGEST_INTEGER = 2**53
MOST_BITS = 10_000
_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]*@")

TOO_DEEP = "is nested too deep to be kept"
HIDDEN = "a user and a password stood in this address: they were left out"

Report = Callable[[MigrationProblem], None]


def plain(value: object, report: Report, at: Pointer = ()) -> object:
    """Convert a value to plain JSON; report what had to be left out."""
    if len(at) > DEEPEST:
        report(MigrationProblem(at, TOO_DEEP))
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
        report(MigrationProblem(at, HIDDEN))
    return public


def _digits(value: int) -> str:
    """Format an integer: Python refuses to write thousands of digits in base ten."""
    return str(value) if value.bit_length() < MOST_BITS else hex(value)


def _whole(text: str) -> str:
    """A text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode()
