"""The records of a JSON text: one to a line, one after another, in one array, or one alone."""

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from lumos_snap.scan.probe import json_cut, reasons
from lumos_snap.scan.probe.file import BadFileError

TRIED = 20
"""If at least half of so many first lines are values of their own, a line is a record."""
LINES, ARRAY, OBJECT, CONCATENATED = "lines", "array", "object", "concatenated"

_BLANK = re.compile(r"[ \t\r\n\x1e]*")  # RFC 7464 puts a record separator before each record
_OPENERS = ("{", "[", '"', "")
_MARGIN = " \t\r\x1e"


class Given(NamedTuple):
    """A text, or the head of one."""

    text: str
    decoder: JSONDecoder
    whole: bool


class Records(NamedTuple):
    """Records, and whether these are all; if there are none yet, the first begins `at` a place."""

    layout: str
    values: list[Any]
    complete: bool
    broken: int = 0
    at: int = 0


def by_line(given: Given) -> Records | None:
    """Each line a record; a line that is not JSON is counted. None: lines are no records."""
    lines = given.text.split("\n")
    if not given.whole:
        lines.pop()  # it goes on beyond the head
    lines = [stripped for line in lines if (stripped := line.strip(_MARGIN))]
    values = _decoded(given, lines[:TRIED])
    if len(values) * 2 < min(len(lines), TRIED) or not values or _share_lines(given, lines):
        return None
    if len(lines) == 1 and isinstance(values[0], list):
        return None
    values += _decoded(given, lines[TRIED:])
    broken = len(lines) - len(values)
    if broken > len(values):
        raise BadFileError(reasons.DAMAGED, "more than half of its lines are not JSON")
    return Records(LINES, values, given.whole, broken)


def _decoded(given: Given, lines: list[str]) -> list[Any]:
    found = []
    for line in lines:
        try:
            found.append(given.decoder.decode(line))
        except JSONDecodeError:
            continue
    return found


def _share_lines(given: Given, lines: list[str]) -> bool:
    """Whether one of the first lines holds two records."""
    for line in lines[:TRIED]:
        try:
            given.decoder.decode(line)
        except JSONDecodeError as exc:
            if exc.msg == "Extra data" and line[exc.pos] in "{[":
                return True
    return False


def in_sequence(given: Given) -> Records:
    """Records of several lines: the elements of one array, or values one after another."""
    start = _after_blank(given.text, 0)
    if given.text.startswith("[", start):
        found = _array(given, start)
        if found is not None:
            return found
    return _concatenated(given, start)


def _array(given: Given, start: int) -> Records | None:
    """The elements of one array; None if something follows it."""
    text, values = given.text, list[Any]()
    first = at = _after_blank(text, start + 1)
    ended = text.startswith("]", at)
    while not ended:
        value, at = _next(given, at, values)
        if at < 0:
            return Records(ARRAY, values, complete=False, at=first)
        values.append(value)
        ended, at = _separator(given, at, values)
        if at < 0:
            return Records(ARRAY, values, complete=False, at=first)
    is_last = _after_blank(text, at + 1) == len(text)
    return Records(ARRAY, values, complete=given.whole, at=first) if is_last else None


def _separator(given: Given, at: int, values: list[Any]) -> tuple[bool, int]:
    """Whether the array ends here, and where its next element begins; -1 where the head ends."""
    text = given.text
    at = _after_blank(text, at)
    if text.startswith("]", at):
        return True, at
    if text.startswith(",", at):
        at = _after_blank(text, at + 1)
        if at < len(text):
            return False, at
    if at < len(text):
        raise _damaged(JSONDecodeError("Expecting ',' delimiter", text, at), values)
    if given.whole:
        raise _ended(JSONDecodeError("", text, at))
    return False, -1


def _concatenated(given: Given, start: int) -> Records:
    values: list[Any] = []
    at = start
    while at < len(given.text):
        value, at = _next(given, at, values)
        if at < 0:
            return Records(_layout(given.text, values), values, complete=False, at=start)
        values.append(value)
        at = _after_blank(given.text, at)
    return Records(_layout(given.text, values), values, given.whole, at=start)


def _layout(text: str, values: list[Any]) -> str:
    if len(values) > 1:
        return CONCATENATED
    return OBJECT if "\n" in text.strip() else LINES


def _next(given: Given, at: int, values: list[Any]) -> tuple[Any, int]:
    """The value there and where it ends; -1 where the head ends before."""
    try:
        return given.decoder.raw_decode(given.text, at)
    except JSONDecodeError as exc:
        if not json_cut.is_cut(given.text, exc):
            raise _damaged(exc, values) from None
        if given.whole:
            promising = given.text[at : at + 1] in _OPENERS
            raise (_ended(exc) if promising else _damaged(exc, values)) from None
    return None, -1


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _damaged(error: JSONDecodeError, values: list[Any]) -> BadFileError:
    """Without one good record before, it need not be JSON at all."""
    reason = reasons.DAMAGED if any(isinstance(v, dict) for v in values) else reasons.UNKNOWN
    place = f"line {error.lineno}, column {error.colno}"
    return BadFileError(reason, f"it is not JSON at {place}: {error.msg}")


def _ended(error: JSONDecodeError) -> BadFileError:
    return BadFileError(reasons.TRUNCATED, f"it ends within a value, at line {error.lineno}")
