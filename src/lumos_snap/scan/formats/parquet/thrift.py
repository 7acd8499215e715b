"""A reader for Thrift's compact protocol, as far as a Parquet footer needs it.

A read beyond the end raises `IndexError`, other invalid bytes `ThriftError`. A length alone never
causes an allocation: a list cannot have more items than bytes follow.
"""

from collections.abc import Iterator
from typing import Any

STOP, TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(14)

INTEGERS = frozenset((I16, I32, I64))
DEEPEST = 32  # nested structs: a footer has seven levels
_FIXED = {TRUE: 0, FALSE: 0, I8: 1, DOUBLE: 8, UUID: 16}
_LONGEST = 63  # the highest shift in a number of 64 bits


class ThriftError(Exception):
    """The bytes are not valid Thrift."""


class CompactReader:
    """A position in the bytes: each method reads from there on."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def varint(self) -> int:
        """Read an unsigned number."""
        data = self.data
        value = data[self.at]
        self.at += 1
        if value < 0x80:  # noqa: PLR2004 - most numbers take one byte
            return value
        value &= 0x7F
        shift = 7
        while True:
            byte = data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 - the bit that says whether more follows
                return value
            shift += 7
            if shift > _LONGEST:
                raise ThriftError("a number of more than 64 bits")

    def integer(self) -> int:
        """Read a signed number."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self) -> bytes:
        """Read bytes that follow their length."""
        length = self.varint()
        start = self.at
        self.at = start + length
        if self.at > len(self.data):
            raise IndexError(self.at)
        return self.data[start : self.at]

    def fields(self, last: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the id and the type of each field; the caller must read or skip its value."""
        while True:
            head = self.data[self.at]
            self.at += 1
            if head == STOP:
                return
            last = last + (head >> 4) if head >> 4 else self.integer()
            yield last, head & 0x0F

    def items(self) -> tuple[int, int]:
        """Read the number of items in a list, and their type."""
        head = self.data[self.at]
        self.at += 1
        count = head >> 4
        if count == 15:  # noqa: PLR2004 - all four bits: the number follows
            count = self.varint()
        if count > len(self.data) - self.at:
            raise ThriftError("a list longer than the bytes that follow")
        return count, head & 0x0F

    def value(self, kind: int, depth: int = 0) -> Any:
        """Read a value in JSON form; a struct by its field numbers, no lists."""
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == I8:
            self.at += 1
            return (self.data[self.at - 1] ^ 0x80) - 0x80
        if kind in INTEGERS:
            return self.integer()
        if kind == BINARY:
            return self.binary().decode("utf-8", "backslashreplace")
        if kind == STRUCT:
            _check_depth(depth)
            return {str(number): self.value(inner, depth + 1) for number, inner in self.fields()}
        self.skip(kind, depth)
        return None

    def skip(self, kind: int, depth: int = 0) -> None:
        """Skip a value."""
        if kind in INTEGERS:
            data, at = self.data, self.at
            while data[at] >= 0x80:  # noqa: PLR2004 - the bit that says whether more follows
                at += 1
            self.at = at + 1
        elif kind == BINARY:
            length = self.varint()
            self.at += length
        elif kind in _FIXED:
            self.at += _FIXED[kind]
        else:
            _check_depth(depth)
            self._skip_nested(kind, depth)

    def _skip_struct(self, depth: int) -> None:
        data = self.data
        while True:
            head = data[self.at]
            self.at += 1
            if head == STOP:
                return
            if not head >> 4:
                self.integer()
            self.skip(head & 0x0F, depth + 1)

    def _skip_nested(self, kind: int, depth: int) -> None:
        if kind == STRUCT:
            self._skip_struct(depth)
        elif kind in (LIST, SET):
            count, inner = self.items()
            self._skip_items(count, (inner,), depth)
        elif kind == MAP:
            self._skip_map(depth)
        else:
            raise ThriftError(f"no kind {kind}")

    def _skip_map(self, depth: int) -> None:
        count = self.varint()
        if not count:
            return
        if count > len(self.data) - self.at:
            raise ThriftError("a map longer than the bytes that follow")
        kinds = self.data[self.at]
        self.at += 1
        self._skip_items(count, (kinds >> 4, kinds & 0x0F), depth)

    def _skip_items(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        for _ in range(count):
            for kind in kinds:
                if kind in (TRUE, FALSE):
                    self.at += 1  # as an item it takes a byte, as a field none
                else:
                    self.skip(kind, depth + 1)


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise ThriftError(f"more than {DEEPEST} levels")
