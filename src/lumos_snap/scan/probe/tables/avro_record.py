"""The first record of a small Avro file: decoded by the schema that the file itself has."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.scan.probe import avro, reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.tables import text

MOST_VALUES = 5_000_000
DEEPEST = 64
_RAW_DEFLATE = -15
_SYNC = 16
_LONGEST_NUMBER = 10
_FLOATS = {"float": ("<f", 4), "double": ("<d", 8)}


def first_record(held: bytes) -> dict[str, Any]:
    """The record; without one, the file says nothing."""
    header = _Bytes(held)
    header.take(len(avro.MAGIC))
    said = header.map(lambda: header.take(header.number()))
    header.take(_SYNC)
    count, size = header.number(), header.number()
    block = header.take(size)
    if count < 1:
        raise BadFileError(reasons.EMPTY, "it holds no record")
    codec = said.get("avro.codec", b"null")
    if codec == b"deflate":
        block = text.inflated(block, _RAW_DEFLATE)
    elif codec != b"null":
        raise BadFileError(reasons.DAMAGED, "its codec is not known")
    schema = text.parsed(said.get("avro.schema", b""))
    text.check_depth(schema)
    avro.check(schema)
    record = _Decoder(block, schema).value(schema, 0)
    if not isinstance(record, dict):
        raise BadFileError(reasons.DAMAGED, "it holds no record")
    return record


class _Bytes:
    """Bytes, and how far they are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, length: int) -> bytes:
        """The next bytes."""
        if length < 0 or length > len(self.data) - self.at:
            raise BadFileError(reasons.TRUNCATED, "it ends inside its record")
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self) -> int:
        """The next number: seven bits in a byte, its sign in the lowest bit."""
        raw = 0
        for index in range(_LONGEST_NUMBER):
            byte = self.take(1)[0]
            raw |= (byte & 0x7F) << 7 * index
            if not byte & 0x80:
                return (raw >> 1) ^ -(raw & 1)
        raise BadFileError(reasons.DAMAGED, "it has a number that does not end")

    def string(self) -> str:
        """The next text."""
        return self.take(self.number()).decode("utf-8", "replace")

    def map(self, value: Callable[[], Any]) -> dict[str, Any]:
        """The next map, of values that `value` takes."""
        found = {}
        for _ in self.items():
            name = self.string()
            found[name] = value()
        return found

    def items(self) -> Iterator[int]:
        """As many steps as the next array or map has items."""
        while count := self.number():
            if count < 0:
                self.number()  # how many bytes follow: for those who pass over them
            if abs(count) > MOST_VALUES:
                raise BadFileError(reasons.TOO_LARGE, f"it has over {MOST_VALUES} values")
            yield from range(abs(count))


class _Decoder(_Bytes):
    """A record, value by value."""

    def __init__(self, data: bytes, schema: Any) -> None:
        super().__init__(data)
        self.named: dict[str, Any] = {}
        self.left = MOST_VALUES

    def value(self, schema: Any, level: int) -> Any:
        """The next value of a type."""
        self.left -= 1
        if self.left < 0 or level > DEEPEST:
            raise BadFileError(reasons.TOO_LARGE, f"it has over {MOST_VALUES} values")
        if isinstance(schema, list):
            return self.value(schema[self.number()], level + 1)
        kind = schema if isinstance(schema, str) else schema["type"]
        if not isinstance(kind, str):
            return self.value(kind, level + 1)
        if isinstance(schema, str) and kind not in _SCALARS:
            return self.value(self._called(kind), level + 1)
        return self._scalar(kind) if kind in _SCALARS else self._complex(kind, schema, level + 1)

    def _called(self, name: str) -> Any:
        found = self.named.get(name.rpartition(".")[2])
        if found is None:
            raise BadFileError(reasons.DAMAGED, "its schema refers to nothing")
        return found

    def _scalar(self, kind: str) -> Any:
        if kind in _FLOATS:
            form, size = _FLOATS[kind]
            return struct.unpack(form, self.take(size))[0]
        if kind in {"string", "bytes"}:
            held = self.take(self.number())
            return held.decode("utf-8", "replace") if kind == "string" else held
        if kind == "boolean":
            return self.take(1) != b"\0"
        return None if kind == "null" else self.number()

    def _complex(self, kind: str, schema: Mapping[str, Any], level: int) -> Any:
        if kind in {"record", "error", "enum", "fixed"}:
            self.named[schema["name"].rpartition(".")[2]] = schema
        if kind in {"record", "error"}:
            fields: Sequence[Mapping[str, Any]] = schema["fields"]
            return {one["name"]: self.value(one["type"], level) for one in fields}
        if kind == "array":
            return [self.value(schema["items"], level) for _ in self.items()]
        if kind == "map":
            return self.map(lambda: self.value(schema["values"], level))
        if kind == "enum":
            return schema["symbols"][self.number()]
        if kind == "fixed":
            return self.take(schema["size"])
        raise BadFileError(reasons.DAMAGED, "its schema has a type that is none")


_SCALARS = frozenset(
    ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
)  # fmt: skip
