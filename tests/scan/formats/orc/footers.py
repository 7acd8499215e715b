"""ORC files of a footer alone, for what no installed writer writes."""

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from lumos_snap.scan.formats.orc.probe import KINDS


def varint(number: int) -> bytes:
    """A number, seven bits in a byte."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*found, number))


def sized(number: int, held: bytes) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | 2) + varint(len(held)) + held


def counted(number: int, held: int) -> bytes:
    """A field that is a number."""
    return varint(number << 3) + varint(held)


def type_of(kind: str | int, *subtypes: int, names: Iterable[str] = (), **more: Any) -> bytes:
    """A type; `more` are sizes, and texts of attributes."""
    found = counted(1, KINDS.index(kind) if isinstance(kind, str) else kind)
    if subtypes:
        found += sized(2, b"".join(map(varint, subtypes)))
    found += b"".join(sized(3, name.encode()) for name in names)
    for number, name in ((4, "length"), (5, "precision"), (6, "scale"), (9, "algorithm")):
        if name in more:
            found += counted(number, more[name])
    if "crs" in more:
        found += sized(8, more["crs"].encode())
    attributes: Mapping[str, str] = more.get("attributes", {})
    for key, held in attributes.items():
        found += sized(7, sized(1, key.encode()) + sized(2, held.encode()))
    return found


def one_column(kind: str | int, **more: Any) -> bytes:
    """A footer with one column, `c`, of a flat type."""
    return footer(type_of("struct", 1, names=["c"]), type_of(kind, **more))


def footer(*types: bytes, rows: int = 3) -> bytes:
    """A footer of types and a number of rows."""
    stripe = sized(3, counted(1, 3) + counted(2, 100))
    return stripe + b"".join(sized(4, one) for one in types) + counted(6, rows)


def file_with(
    content: bytes, *, head: bytes = b"ORC", magic: bytes = b"ORC", **postscript: Any
) -> bytes:
    """A file with this footer, as it is stored."""
    said = {1: len(content), 2: 0, 3: 262144, 5: 0} | postscript.get("numbers", {})
    end = b"".join(counted(number, held) for number, held in said.items())
    if "version" in postscript:
        end += sized(4, bytes(postscript["version"]))
    if magic:
        end += sized(8000, magic)
    return head + content + end + bytes([len(end)])


def chunk(raw: bytes, *, is_original: bool = False) -> bytes:
    """A part of a compressed footer, behind its length."""
    return (len(raw) << 1 | is_original).to_bytes(3, "little") + raw


def deflated(raw: bytes) -> bytes:
    """Deflate without a header, as ORC's zlib is."""
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(raw) + stream.flush()
