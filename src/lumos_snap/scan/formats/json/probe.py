"""The probe of JSON: decodes values to kinds; numbers are not computed, whatever their length."""

import re
from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.json import shape as json_shape
from lumos_snap.scan.formats.json.shape import BigInteger, HugeInteger, JsonShape, NonFinite
from lumos_snap.scan.stores.store import BadFileError

SHORT = 18
DIGITS = 38
SMALLEST, LARGEST = -(2**63), 2**63 - 1

_WHOLE, _ENORMOUS, _FRACTION, _ODD = BigInteger(), HugeInteger(), 0.5, NonFinite()


def make_decoder(notice: Callable[[str], None]) -> JSONDecoder:
    """Create a decoder that reports each deviation from the standard that it tolerates."""

    def constant(_: str) -> NonFinite:
        notice("nan")
        return _ODD

    def members(pairs: list[tuple[str, object]]) -> JsonObject:
        found = dict(pairs)
        if len(found) < len(pairs):
            notice("duplicate-keys")
        return found

    return JSONDecoder(
        object_pairs_hook=members,
        parse_int=_integer,
        parse_float=_fraction,
        parse_constant=constant,
    )


def _integer(text: str) -> float:
    if len(text) <= SHORT:
        return 1
    if len(text.lstrip("-")) > DIGITS:
        return _ENORMOUS
    return 1 if SMALLEST <= int(text) <= LARGEST else _WHOLE


def _fraction(_: str) -> float:
    return _FRACTION


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*\\?(?:"|\Z)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}
_UNFINISHED = re.compile(
    r"\s*(?:t(?:r(?:u)?)?|f(?:a(?:l(?:s)?)?)?|n(?:u(?:l)?)?|N(?:a)?|-?I[nfity]{0,6}|[-+.0-9eE]*"
    r"|\\?u?[0-9a-fA-F]{0,4})\Z"
)


def is_cut(text: str, error: JSONDecodeError) -> bool:
    """Whether a decoder's error is only due to the end of the text."""
    if error.msg.startswith("Unterminated string"):
        return True
    return _UNFINISHED.match(text, error.pos) is not None


def close_brackets(text: str, start: int) -> str:
    """Return the value at an offset up to its last complete part, with all brackets closed."""
    open_brackets: list[str] = []
    end = start
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == ",":
            end = token.start()
        elif mark in _CLOSERS:
            open_brackets.append(_CLOSERS[mark])
            end = token.end()
        elif open_brackets and mark == open_brackets[-1]:
            open_brackets.pop()
            end = token.end()
    return text[start:end] + "".join(reversed(open_brackets))


TRIED = 20
"""If at least half of this many first lines are complete values, each line is a record."""
LINES, ARRAY, OBJECT, CONCATENATED = "lines", "array", "object", "concatenated"

_BLANK = re.compile(r"[ \t\r\n\x1e]*")  # RFC 7464 puts a record separator before each record
_OPENERS = ("{", "[", '"', "")
_MARGIN = " \t\r\x1e"


class JsonText(NamedTuple):
    """A text, or the head of one."""

    text: str
    decoder: JSONDecoder
    whole: bool


class Records(NamedTuple):
    """Records, and whether they are all; without any, the first begins at offset `at`."""

    layout: str
    values: list[Any]
    complete: bool
    broken: int = 0
    at: int = 0


def read_lines(given: JsonText) -> Records | None:
    """Read one record per line, counting invalid lines; None if lines are not records."""
    lines = given.text.split("\n")
    if not given.whole:
        lines.pop()  # it continues after the head
    lines = [stripped for line in lines if (stripped := line.strip(_MARGIN))]
    values = _decode_lines(given, lines[:TRIED])
    if len(values) * 2 < min(len(lines), TRIED) or not values or _share_lines(given, lines):
        return None
    if len(lines) == 1 and isinstance(values[0], list):
        return None
    values += _decode_lines(given, lines[TRIED:])
    broken = len(lines) - len(values)
    if broken > len(values):
        raise BadFileError(error_codes.DAMAGED, "more than half of its lines are not JSON")
    return Records(LINES, values, given.whole, broken)


def _decode_lines(given: JsonText, lines: list[str]) -> list[object]:
    found = []
    for line in lines:
        try:
            found.append(given.decoder.decode(line))
        except JSONDecodeError:
            continue
    return found


def _share_lines(given: JsonText, lines: list[str]) -> bool:
    """Whether one of the first lines has two records."""
    for line in lines[:TRIED]:
        try:
            given.decoder.decode(line)
        except JSONDecodeError as exc:
            if exc.msg == "Extra data" and line[exc.pos] in "{[":
                return True
    return False


def read_sequence(given: JsonText) -> Records:
    """Read records of several lines: the elements of one array, or consecutive values."""
    start = _skip_blank(given.text, 0)
    if given.text.startswith("[", start):
        found = _read_array(given, start)
        if found is not None:
            return found
    return _read_concatenated(given, start)


def _read_array(given: JsonText, start: int) -> Records | None:
    """Read the elements of one array; None if something follows it."""
    text, values = given.text, list[Any]()
    first = at = _skip_blank(text, start + 1)
    ended = text.startswith("]", at)
    while not ended:
        value, at = _read_value(given, at, values)
        if at < 0:
            return Records(ARRAY, values, complete=False, at=first)
        values.append(value)
        ended, at = _read_separator(given, at, values)
        if at < 0:
            return Records(ARRAY, values, complete=False, at=first)
    is_last = _skip_blank(text, at + 1) == len(text)
    return Records(ARRAY, values, complete=given.whole, at=first) if is_last else None


def _read_separator(given: JsonText, at: int, values: list[object]) -> tuple[bool, int]:
    """Return whether the array ends, and the offset of the next element; -1 at the head's end."""
    text = given.text
    at = _skip_blank(text, at)
    if text.startswith("]", at):
        return True, at
    if text.startswith(",", at):
        at = _skip_blank(text, at + 1)
        if at < len(text):
            return False, at
    if at < len(text):
        raise _damage_error(JSONDecodeError("Expecting ',' delimiter", text, at), values)
    if given.whole:
        raise _truncation_error(JSONDecodeError("", text, at))
    return False, -1


def _read_concatenated(given: JsonText, start: int) -> Records:
    values: list[Any] = []
    at = start
    while at < len(given.text):
        value, at = _read_value(given, at, values)
        if at < 0:
            return Records(_layout(given.text, values), values, complete=False, at=start)
        values.append(value)
        at = _skip_blank(given.text, at)
    return Records(_layout(given.text, values), values, given.whole, at=start)


def _layout(text: str, values: list[object]) -> str:
    if len(values) > 1:
        return CONCATENATED
    return OBJECT if "\n" in text.strip() else LINES


def _read_value(given: JsonText, at: int, values: list[object]) -> tuple[object, int]:
    """Read a value; return it and the offset of its end, or -1 if the head ends before."""
    try:
        return given.decoder.raw_decode(given.text, at)
    except JSONDecodeError as exc:
        if not is_cut(given.text, exc):
            raise _damage_error(exc, values) from None
        if given.whole:
            promising = given.text[at : at + 1] in _OPENERS
            raise (_truncation_error(exc) if promising else _damage_error(exc, values)) from None
    return None, -1


def _skip_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _damage_error(error: JSONDecodeError, values: list[object]) -> BadFileError:
    """Build the error for invalid JSON: without a valid record before, the format is unknown."""
    reason = (
        error_codes.DAMAGED if any(isinstance(v, dict) for v in values) else error_codes.UNKNOWN
    )
    place = f"line {error.lineno}, column {error.colno}"
    return BadFileError(reason, f"it is not JSON at {place}: {error.msg}")


def _truncation_error(error: JSONDecodeError) -> BadFileError:
    return BadFileError(error_codes.TRUNCATED, f"it ends within a value, at line {error.lineno}")


class JsonEvidence(NamedTuple):
    """The shape of a text's records; `rows` only if all were read."""

    evidence: JsonObject
    rows: int | None


def describe_json(text: str, *, whole: bool, truncated: bool) -> JsonEvidence:
    """Describe the shape of the records of a JSON text."""
    flags: set[str] = set()
    given = JsonText(text, make_decoder(flags.add), whole)
    try:
        records = _read_records(given, flags, truncated=truncated)
    except RecursionError:
        raise BadFileError(error_codes.TOO_LARGE, "its values are nested too deep") from None
    shape = JsonShape()
    for value in records.values:
        shape.add(value, 0 if isinstance(value, dict) else 1)
    if records.broken:
        flags.add("broken-lines")
    rows = len(records.values) if records.complete and not records.broken else None
    found = {"layout": records.layout, "shape": json_shape.evidence_of(shape)}
    return JsonEvidence({**found, "flags": sorted(flags)}, rows)


def _read_records(given: JsonText, flags: set[str], *, truncated: bool) -> Records:
    records = read_lines(given) or read_sequence(given)
    if records.values or records.complete:
        return records
    if truncated:
        raise BadFileError(error_codes.TRUNCATED, "it breaks off within its first record")
    flags.add("cut")
    return records._replace(values=[_read_partial(given, records.at)])


def _read_partial(given: JsonText, start: int) -> object:
    """Read the first part of a record that is longer than the head."""
    part = close_brackets(given.text, start)
    if not part:
        detail = "its first record is longer than what is read of a file"
        raise BadFileError(error_codes.TOO_LARGE, detail)
    try:
        return given.decoder.decode(part)
    except ValueError:
        raise BadFileError(error_codes.UNKNOWN, "it begins like JSON and is not") from None
