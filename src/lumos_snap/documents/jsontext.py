"""JSON from anywhere: parsed strictly, and located when something is wrong with it."""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import orjson

from lumos_snap.documents.problem import Place, Pointer, Problem, RefusedError, place_at

UNREADABLE = "unreadable"
REPEATED_KEY = "repeated-key"

_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)')


def parse(raw: bytes) -> Any:
    """The value that the bytes stand for; raises `RefusedError` with the place of what is wrong."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as exc:
        return _parse_again(raw, exc)


def without_mark(raw: bytes) -> bytes:
    """The bytes without a byte-order mark, which foreign files may begin with."""
    return raw.removeprefix(codecs.BOM_UTF8)


def _parse_again(raw: bytes, exc: orjson.JSONDecodeError) -> Any:
    """Parse what only a byte-order mark made invalid; otherwise say what is wrong."""
    if raw.startswith(codecs.BOM_UTF8):
        return parse(without_mark(raw))
    text = _text(raw)
    conflict = re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE)
    if conflict:
        message, hint = "holds the marks of an unresolved merge", "resolve the conflict"
        raise _refused(message, place_at(text, conflict.start()), hint) from exc
    if not text.strip():
        raise _refused("is empty", Place(), "restore it from git, or remove it") from exc
    message = f"is not valid JSON: {exc.msg.partition(': line')[0]}"
    raise _refused(message, Place(exc.lineno, max(exc.colno, 1))) from exc


def _text(raw: bytes) -> str:
    for mark, name in _OTHER_ENCODINGS:
        if raw.startswith(mark):
            raise _refused(f"is {name}", Place(), "save it as UTF-8")
    try:
        return raw.decode()
    except UnicodeDecodeError as exc:
        place = place_at(raw[: exc.start].decode(errors="replace"), exc.start)
        hint = "save it as UTF-8"
        raise _refused(f"is not UTF-8: byte 0x{raw[exc.start]:02x}", place, hint) from exc


def _refused(message: str, place: Place, hint: str = "") -> RefusedError:
    return RefusedError(Problem(place, UNREADABLE, message, hint))


def repeated_keys(raw: bytes) -> tuple[Problem, ...]:
    """Keys that stand twice in one object: a parser silently keeps the last of them."""
    found: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        once = dict(pairs)
        if len(once) < len(pairs):
            found.append("yes")
        return once

    text = without_mark(raw).decode()
    json.loads(text, object_pairs_hook=note)
    return tuple(_repeats(text)) if found else ()


def _repeats(text: str) -> Iterator[Problem]:
    seen: set[Pointer] = set()
    for pointer, offset, is_key in _walk(text):
        if not is_key:
            continue
        if pointer in seen:
            message = f"the key `{pointer[-1]}` stands there twice"
            yield Problem(place_at(text, offset), REPEATED_KEY, message, "keep one of them")
        seen.add(pointer)


def locate(raw: bytes, pointers: Collection[Pointer]) -> dict[Pointer, Place]:
    """Where values stand; where one is absent, the nearest thing around it."""
    text = without_mark(raw).decode(errors="replace")
    wanted = {pointer[:end] for pointer in pointers for end in range(len(pointer) + 1)}
    offsets: dict[Pointer, int] = {}
    for pointer, offset, _ in _walk(text):
        if pointer in wanted:
            offsets.setdefault(pointer, offset)
    return {pointer: place_at(text, _nearest(offsets, pointer)) for pointer in pointers}


def _nearest(offsets: dict[Pointer, int], pointer: Pointer) -> int:
    return next((offsets[p] for end in range(len(pointer), -1, -1) if (p := pointer[:end]) in offsets), 0)


def _walk(text: str) -> Iterator[tuple[Pointer, int, bool]]:
    """Every key (true) and every item of a list, and the root, with pointer and offset."""
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
