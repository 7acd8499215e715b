"""The probe of Avro: reads the schema as JSON from the header; data blocks are not read."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.stores.store import ENDS, BadFileError, RangedFile

MAGIC = b"Obj\x01"

HEADER_LIMIT = 20 * 1024 * 1024
"""Maximum size of the header, including all other entries."""
SCHEMA_LIMIT = 16 * 1024 * 1024
"""Maximum size of a schema in bytes."""
MOST_ENTRIES = 10_000
MOST_PARTS = 500_000
"""Maximum number of brackets and commas in a schema: each may be an object in memory."""
DEEPEST = 400
"""Maximum depth of its JSON: 64 levels of types take at most four JSON levels each."""

_LONGEST_KEY = 1024
_LONGEST_CODEC = 64
_SYNC = 16
_LONGEST_NUMBER = 10


def probe(file: RangedFile) -> ProbeResult:
    """Read the schema of an Avro file, which has no row count."""
    if file.size == 0:
        raise BadFileError(error_codes.EMPTY, "holds no byte")
    said = _Header(file).metadata()
    if "avro.schema" not in said:
        raise _damage_error("the header has no schema")
    return ProbeResult("avro", _canonical_schema(said["avro.schema"]), codecs=(_codec(said),))


def _codec(said: Mapping[str, bytes]) -> str:
    codec = said.get("avro.codec", b"null")
    if not re.fullmatch(rb"[!-~]{1,%d}" % _LONGEST_CODEC, codec):
        raise _damage_error("the name of the codec is none")
    return "uncompressed" if codec == b"null" else codec.decode()


def read_number(take: Callable[[int], bytes]) -> int:
    """Read a number: seven bits per byte, zigzag encoded."""
    raw = 0
    for index in range(_LONGEST_NUMBER):
        byte = take(1)[0]
        raw |= (byte & 0x7F) << 7 * index
        if not byte & 0x80:
            return (raw >> 1) ^ -(raw & 1)
    raise _damage_error("a number does not end")


class _Header:
    """The header, read as far as needed."""

    def __init__(self, file: RangedFile) -> None:
        self.file = file
        self.data = file.head()
        self.at = 0

    def metadata(self) -> dict[str, bytes]:
        """Read the metadata up to the sync marker; return the two relevant entries."""
        if self.take(len(MAGIC)) != MAGIC:
            raise _damage_error("does not begin like Avro")
        found: dict[str, bytes] = {}
        entries = 0
        while count := self.number():
            if count < 0:
                count = -count
                self.number()  # number of bytes in the block, for readers that skip it
            entries += count
            if entries > MOST_ENTRIES:
                raise BadFileError(
                    error_codes.TOO_LARGE, f"the header has over {MOST_ENTRIES} entries"
                )
            for _ in range(count):
                self._entry(found)
        self.take(_SYNC)
        return found

    def _entry(self, found: dict[str, bytes]) -> None:
        key = self.take(self._length(_LONGEST_KEY)).decode("utf-8", "replace")
        if key == "avro.schema":
            found[key] = self.take(self._length(SCHEMA_LIMIT))
        else:
            held = self.take(self._length(HEADER_LIMIT))
            found |= {key: held} if key == "avro.codec" else {}

    def _length(self, most: int) -> int:
        length = self.number()
        if length < 0:
            raise _damage_error("the header has a negative length")
        if length > self.file.size - self.at:
            raise BadFileError(error_codes.TRUNCATED, "ends inside its header")
        if length > most:
            raise BadFileError(error_codes.TOO_LARGE, f"the header has a part of over {most} bytes")
        return length

    def take(self, length: int) -> bytes:
        """Read bytes."""
        end = self.at + length
        if end > len(self.data):
            self._read(end)
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self) -> int:
        """Read a number."""
        return read_number(self.take)

    def _read(self, end: int) -> None:
        if end > HEADER_LIMIT:
            raise BadFileError(error_codes.TOO_LARGE, f"the header is over {HEADER_LIMIT} bytes")
        # Double the size each time, so that many small parts do not cause many reads.
        reach = min(max(end, 2 * len(self.data), ENDS), self.file.size)
        if reach > len(self.data):
            self.data = self.file.head(reach)
        if end > len(self.data):
            raise BadFileError(error_codes.TRUNCATED, "ends inside its header")


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _canonical_schema(raw: bytes) -> str:
    """Encode a schema so that equal schemas have equal text."""
    if sum(map(raw.count, (b"{", b"[", b","))) > MOST_PARTS:
        raise BadFileError(error_codes.TOO_LARGE, f"the schema has over {MOST_PARTS} parts")
    try:
        schema = json.loads(
            raw.decode(), object_pairs_hook=_sort_keys, parse_constant=str, parse_float=_float
        )
        if raw.count(b"{") + raw.count(b"[") > DEEPEST:
            _check_depth(schema)
        check_schema(schema)
        text = encode_evidence(schema)
        if _SURROGATE.search(raw):
            json.dumps(schema, ensure_ascii=False).encode()  # noqa: TID251 - only looked at
    except RecursionError:
        raise _too_deep_error() from None
    except ValueError:  # invalid JSON or UTF-8, a lone surrogate, a number with thousands of digits
        raise _damage_error("the schema is no JSON") from None
    return text


def _sort_keys(pairs: list[tuple[str, object]]) -> JsonObject:
    """Build an object with sorted keys: their order has no meaning in Avro."""
    held = dict(pairs)
    return {name: held[name] for name in sorted(held)}


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _check_depth(schema: object) -> None:
    level, depth = [schema], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > DEEPEST:
            raise _too_deep_error()
        level = [held for one in level for held in (one.values() if isinstance(one, dict) else one)]


def _too_deep_error() -> BadFileError:
    return BadFileError(error_codes.TOO_LARGE, f"the schema nests over {DEEPEST} deep")


def check_schema(schema: object) -> None:
    """Reject JSON that is not a schema; references are checked where they are resolved."""
    left = [schema]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            left += _inner_types(one)
        elif not isinstance(one, str) or not one:
            raise _no_schema_error()


def _inner_types(one: JsonObject) -> Sequence[object]:
    """Return the inner types of a type; reject it if a required attribute is missing."""
    kind = one.get("type")
    if not isinstance(kind, str):
        return [kind]
    if kind in _NAMED and not isinstance(one.get("name"), str):  # Polars names its records ""
        raise _no_schema_error()
    return _HOLDS[kind](one) if kind in _HOLDS else [kind]


def _of_record(one: JsonObject) -> Sequence[object]:
    fields = one.get("fields")
    if not isinstance(fields, list):
        raise _no_schema_error()
    for field in fields:
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise _no_schema_error()
    return [field.get("type") for field in fields]


def _of_enum(one: JsonObject) -> Sequence[object]:
    symbols = one.get("symbols")
    if not isinstance(symbols, list) or not all(isinstance(symbol, str) for symbol in symbols):
        raise _no_schema_error()
    return ()


def _of_fixed(one: JsonObject) -> Sequence[object]:
    size = one.get("size")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**31:
        raise _no_schema_error()
    return ()


_NAMED = frozenset(("record", "error", "enum", "fixed"))
_HOLDS: Mapping[str, Callable[[JsonObject], Sequence[Any]]] = {
    "record": _of_record,
    "error": _of_record,
    "enum": _of_enum,
    "fixed": _of_fixed,
    "array": lambda one: [one.get("items")],
    "map": lambda one: [one.get("values")],
}


def _no_schema_error() -> BadFileError:
    return _damage_error("the schema is JSON, and no schema of Avro")


def _damage_error(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, detail)
