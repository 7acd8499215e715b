"""Footers built by hand: layouts that no writer of today makes, and ones that no writer may."""

from collections.abc import Mapping
from typing import NamedTuple

OPTIONAL, REQUIRED, REPEATED = 1, 0, 2
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = range(8)
UTF8, MAP, MAP_KEY_VALUE, LIST, ENUM, DECIMAL, DATE = range(7)


class Struct(bytes):
    """A struct in Thrift's compact protocol."""


class Long(int):
    """A number of 64 bits."""


class Byte(int):
    """A number of 8 bits."""


class Raw(NamedTuple):
    """A value of any kind, as its bytes: what this module has no class for."""

    kind: int
    content: bytes


Value = bool | int | str | bytes | Struct | list[Struct] | Raw


def varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def zigzag(number: int) -> bytes:
    return varint((number << 1) ^ (number >> 63))


def struct(fields: Mapping[int, Value | None]) -> Struct:
    found, last = b"", 0
    for number, value in fields.items():
        if value is None:
            continue
        kind, written = _written(value)
        near = 0 < number - last < 16
        found += bytes([(number - last) << 4 | kind]) if near else bytes([kind]) + zigzag(number)
        found += written
        last = number
    return Struct(found + b"\x00")


def _number(value: int) -> tuple[int, bytes]:
    match value:
        case bool():
            return (1 if value else 2), b""
        case Byte():
            return 3, bytes([value & 255])
        case _:
            return (6 if isinstance(value, Long) else 5), zigzag(value)


def _written(value: Value) -> tuple[int, bytes]:
    match value:
        case Raw():
            return value
        case int():
            return _number(value)
        case Struct():
            return 12, value
        case str() | bytes():
            raw = value.encode() if isinstance(value, str) else value
            return 8, varint(len(raw)) + raw
        case list():
            many = len(value) > 14
            head = b"\xfc" + varint(len(value)) if many else bytes([len(value) << 4 | 12])
            return 9, head + b"".join(value)


class Column(NamedTuple):
    """A column or a group, with what it holds."""

    fields: Mapping[int, Value | None]
    held: tuple["Column", ...] = ()

    def elements(self) -> list[Struct]:
        return [struct(self.fields), *(one for held in self.held for one in held.elements())]


def leaf(
    name: str,
    physical: int = INT32,
    repetition: int | None = OPTIONAL,
    *,
    converted: int | None = None,
    logical: Mapping[int, Value] | None = None,
    length: int | None = None,
    scale: int | None = None,
    precision: int | None = None,
    id: int | None = None,  # noqa: A002 - as the model calls it
) -> Column:
    union = None if logical is None else struct(logical)
    return Column(
        {
            1: physical, 2: length, 3: repetition, 4: name, 6: converted, 7: scale, 8: precision,
            9: id, 10: union,
        }
    )  # fmt: skip


def group(
    name: str,
    *held: Column,
    repetition: int = OPTIONAL,
    converted: int | None = None,
    logical: Mapping[int, Value] | None = None,
    id: int | None = None,  # noqa: A002 - as the model calls it
) -> Column:
    union = None if logical is None else struct(logical)
    return Column({3: repetition, 4: name, 5: len(held), 6: converted, 9: id, 10: union}, held)


EMPTY = struct({})


def metadata(*columns: Column, words: Mapping[str, str] | None = None, rows: int = 0) -> Struct:
    root = Column({4: "schema", 5: len(columns)}, columns)
    pairs = [struct({1: key, 2: value}) for key, value in (words or {}).items()]
    return struct(
        {1: 1, 2: root.elements(), 3: Long(rows), 4: [], 5: pairs or None, 6: "built by hand"}
    )


def framed(footer: bytes) -> bytes:
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def built(*columns: Column, words: Mapping[str, str] | None = None) -> bytes:
    """A whole file without rows."""
    return framed(metadata(*columns, words=words))
