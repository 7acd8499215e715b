"""Strict parsing of untrusted JSON, with the positions of problems."""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import orjson

from lumos_snap.documents.limits import DOCUMENT, Limit, excess
from lumos_snap.documents.position import (
    DocumentRefusedError,
    Pointer,
    Position,
    Problem,
    place_at,
    places_in,
)
from lumos_snap.json_object import JsonObject
from lumos_snap.schema.fields import MOST_PROBLEMS

UNREADABLE = "unreadable"
REPEATED_KEY = "repeated-key"

_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Possessive: no backtracking positions are kept for strings of many megabytes.
_TOKEN = re.compile(r'[ \t\r\n]*+("(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++)')


def parse(raw: bytes, limit: Limit = DOCUMENT) -> Any:
    """Parse JSON; raises `DocumentRefusedError` with the position of the problem."""
    if beyond := excess(raw, limit):
        raise _refuse(beyond, Position(), "split the document, or remove it")
    plain = without_mark(raw)
    try:
        return orjson.loads(plain)
    except orjson.JSONDecodeError as exc:
        raise _refusal(plain, exc) from exc


def without_mark(raw: bytes) -> bytes:
    """The bytes without a byte-order mark, which foreign files may have."""
    return raw.removeprefix(codecs.BOM_UTF8)


def _refusal(raw: bytes, exc: orjson.JSONDecodeError) -> DocumentRefusedError:
    """The problem of bytes that are not JSON."""
    text = _text(raw)
    conflict = re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE)
    if conflict:
        message, hint = "holds the marks of an unresolved merge", "resolve the conflict"
        return _refuse(message, place_at(text, conflict.start()), hint)
    if not text.strip():
        return _refuse("is empty", Position(), "restore it from git, or remove it")
    message = f"is not valid JSON: {exc.msg.partition(': line')[0]}"
    return _refuse(message, Position(exc.lineno, max(exc.colno, 1)))


def _text(raw: bytes) -> str:
    for mark, name in _OTHER_ENCODINGS:
        if raw.startswith(mark):
            raise _refuse(f"is {name}", Position(), "save it as UTF-8")
    try:
        return raw.decode()
    except UnicodeDecodeError as exc:
        before = raw[: exc.start].decode()
        message, hint = f"is not UTF-8: byte 0x{raw[exc.start]:02x}", "save it as UTF-8"
        raise _refuse(message, place_at(before, len(before)), hint) from exc


def _refuse(message: str, place: Position, hint: str = "") -> DocumentRefusedError:
    return DocumentRefusedError(Problem(place, UNREADABLE, message, hint))


def find_repeated_keys(raw: bytes) -> tuple[Problem, ...]:
    """Find repeated keys of an object: a parser silently keeps the last one."""
    found: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> JsonObject:
        once = dict(pairs)
        if len(once) < len(pairs):
            found.append("yes")
        return once

    text = without_mark(raw).decode()
    json.loads(text, object_pairs_hook=note)
    return tuple(islice(_repeats(text), MOST_PROBLEMS)) if found else ()


def _repeats(text: str) -> Iterator[Problem]:
    place_of = places_in(text)
    seen: list[set[str | int]] = []  # the keys so far of the object being read, at each depth
    for pointer, offset, is_key in _walk(text):
        del seen[len(pointer) :]  # deeper levels belong to another object
        seen += [set() for _ in range(len(pointer) - len(seen))]
        if is_key and pointer[-1] in seen[-1]:
            message = f"the key `{pointer[-1]}` stands there twice"
            yield Problem(place_of(offset), REPEATED_KEY, message, "keep one of them")
        if is_key:
            seen[-1].add(pointer[-1])


def locate(raw: bytes, pointers: Collection[Pointer]) -> dict[Pointer, Position]:
    """Locate values; a missing value has the position of its nearest existing container."""
    text = without_mark(raw).decode(errors="replace")
    wanted = {pointer[:end] for pointer in pointers for end in range(len(pointer) + 1)}
    # Of a repeated key the last one is located: parsers keep that one.
    offsets = {pointer: offset for pointer, offset, _ in _walk(text) if pointer in wanted}
    place_of = places_in(text)
    return {pointer: place_of(_nearest(offsets, pointer)) for pointer in pointers}


def _nearest(offsets: dict[Pointer, int], pointer: Pointer) -> int:
    return next(
        (offsets[p] for end in range(len(pointer), -1, -1) if (p := pointer[:end]) in offsets), 0
    )


def _walk(text: str) -> Iterator[tuple[Pointer, int, bool]]:
    """Yield the root, every key (true) and every list item, with pointer and offset."""
    path: list[str | int] = []
    expects_key = False
    for match in _TOKEN.finditer(text):
        token, offset = match.group(1), match.start(1)
        in_list = bool(path) and isinstance(path[-1], int)
        if token in ("}", "]"):
            path.pop()
        elif token == ",":  # noqa: S105 - a comma, no password
            _next(path)
        elif expects_key and token != ":":  # noqa: S105
            path[-1] = orjson.loads(token)
            yield tuple(path), offset, True
        elif token != ":" and (in_list or not path):  # noqa: S105
            yield tuple(path), offset, False
        if token in ("{", "["):
            path.append("" if token == "{" else 0)  # noqa: S105
        expects_key = token == "{" or (token == "," and not isinstance(path[-1], int))  # noqa: S105


def _next(path: list[str | int]) -> None:
    if isinstance(path[-1], int):
        path[-1] += 1


_LEVELS = {"{": 1, "[": 1, "}": -1, "]": -1}


def deepest(raw: bytes) -> Position:
    """The position of the deepest value of a text."""
    text = without_mark(raw).decode(errors="replace")
    most, offset, level = 0, 0, 0
    for match in _TOKEN.finditer(text):
        token = match.group(1)
        level += _LEVELS.get(token, 0)
        if level > most:
            most, offset = level, match.start(1)
    return place_at(text, offset)
