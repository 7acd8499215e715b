"""The probe of ORC: reads the postscript, then the footer with types, rows and codec."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.orc.protobuf import (
    FieldValue,
    ItemBudget,
    bytes_of,
    number_of,
    numbers_of,
    read_fields,
    text_of,
)
from lumos_snap.scan.stores.store import BadFileError, RangedFile

# The types in an ORC footer: a tree that is stored as a list.


KINDS = (
    "boolean", "byte", "short", "int", "long", "float", "double", "string", "binary", "timestamp",
    "list", "map", "struct", "union", "decimal", "date", "varchar", "char", "timestamp_instant",
    "geometry", "geography",
)  # fmt: skip
EDGES = ("spherical", "vincenty", "thomas", "andoyer", "karney")

_KIND, _SUBTYPES, _NAMES, _LENGTH, _PRECISION, _SCALE, _ATTRIBUTES, _CRS, _EDGES = range(1, 10)
_NUMBERS = {_LENGTH: "maximumLength", _PRECISION: "precision", _SCALE: "scale"}
_SIZES = {
    "maximumLength": ("char", "varchar"), "precision": ("decimal",), "scale": ("decimal",)
}  # fmt: skip
_HOLDS = {"list": 1, "map": 2}


def decode_type(data: bytes, budget: ItemBudget) -> dict[str, object]:
    """Decode one type; missing attributes are left out."""
    said: dict[str, Any] = {"kind": KINDS[0]}
    for number, found in read_fields(data, budget):
        _SAYS.get(number, _skip_field)(said, number, found, budget)
    for name in _SIZES.keys() & said.keys():
        if said["kind"] not in _SIZES[name]:
            del said[name]  # some writers give every type all sizes, as 0
    return said


def _skip_field(
    _said: dict[str, object], _number: int, _found: FieldValue, _budget: ItemBudget
) -> None:
    """Ignore a field of a later ORC version."""


def _kind(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["kind"] = _enum_name(KINDS, number_of(found), "kind")


def _edges(said: dict[str, object], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["algorithm"] = _enum_name(EDGES, number_of(found), "algorithm")


def _enum_name(words: Sequence[str], number: int, what: str) -> str:
    return words[number] if number < len(words) else f"{what} {number}"


def _subtypes(said: dict[str, Any], _number: int, found: FieldValue, budget: ItemBudget) -> None:
    said.setdefault("subtypes", []).extend(numbers_of(found, budget))


def _name(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said.setdefault("fieldNames", []).append(text_of(found))


def _size(said: dict[str, object], number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said[_NUMBERS[number]] = number_of(found)


def _crs(said: dict[str, object], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["crs"] = text_of(found)


def _attribute(said: dict[str, Any], _number: int, found: FieldValue, budget: ItemBudget) -> None:
    pair = {number: text_of(held) for number, held in read_fields(bytes_of(found), budget)}
    said.setdefault("attributes", {})[pair.get(1, "")] = pair.get(2, "")


_SAYS = {
    _KIND: _kind,
    _SUBTYPES: _subtypes,
    _NAMES: _name,
    **dict.fromkeys(_NUMBERS, _size),
    _ATTRIBUTES: _attribute,
    _CRS: _crs,
    _EDGES: _edges,
}


def check_tree(types: Sequence[JsonObject]) -> None:
    """Reject types that are not a tree, so that a traversal ends and visits each type once."""
    if not types:
        raise BadFileError(error_codes.DAMAGED, "the footer has no type")
    held = [False] * len(types)
    for index, one in enumerate(types):
        subtypes = one.get("subtypes", ())
        _check_members(one, len(subtypes))
        for subtype in subtypes:
            if not index < subtype < len(types) or held[subtype]:
                raise BadFileError(error_codes.DAMAGED, f"type {index} holds what it cannot hold")
            held[subtype] = True


def _check_members(one: JsonObject, held: int) -> None:
    kind = one["kind"]
    if kind == "struct" and len(one.get("fieldNames", ())) != held:
        raise BadFileError(error_codes.DAMAGED, "the footer has more or fewer names than columns")
    if _HOLDS.get(kind, held) != held:
        raise BadFileError(error_codes.DAMAGED, f"a {kind} that holds {held} types")


MAGIC = b"ORC"
"""Start of a file. Some old writers put it only at the end."""
FOOTER_LIMIT = 16 * 1024 * 1024
"""Maximum size of a footer, stored and decompressed."""
MOST_CHUNKS = 20_000

CODECS = ("uncompressed", "zlib", "snappy", "lzo", "lz4", "zstd", "brotli")

_LONGEST = 255  # the length of a postscript is one byte
_FOOTER, _COMPRESSION, _BLOCK, _VERSION, _MAGIC = 1, 2, 3, 4, 8000
_DEFAULT_BLOCK = 256 * 1024
_OLDEST = "0.11"  # which wrote neither its version nor the magic into the postscript


class Postscript(NamedTuple):
    """What the postscript contains about the footer before it."""

    end: int
    length: int
    codec: str
    block: int
    version: str
    is_signed: bool


def read_postscript(file: RangedFile) -> Postscript:
    """Read the postscript; raise an error if the file has none."""
    tail = file.tail(_LONGEST + 1)
    size = tail[-1] if tail else 0
    if not 0 < size < len(tail):
        raise _no_end_error(file)
    try:
        said = _decode_postscript(tail[-1 - size : -1], file.size - 1 - size)
    except BadFileError:
        raise _no_end_error(file) from None
    if not said.is_signed and file.head(len(MAGIC)) != MAGIC:
        raise _no_end_error(file)
    if said.length > said.end:
        raise (
            _no_end_error(file)
            if not said.is_signed
            else _damage_error("the footer begins before the file")
        )
    return said


def _no_end_error(file: RangedFile) -> BadFileError:
    if file.head(len(MAGIC)) == MAGIC:
        return BadFileError(error_codes.TRUNCATED, "begins like ORC, and ends without a postscript")
    return _damage_error("neither begins nor ends like ORC")


def _decode_postscript(data: bytes, end: int) -> Postscript:
    budget = ItemBudget(_LONGEST)
    found = dict.fromkeys((_FOOTER, _COMPRESSION), 0) | {_BLOCK: _DEFAULT_BLOCK}
    magic, version = b"", []
    for number, held in read_fields(data, budget):
        if number == _MAGIC:
            magic = bytes_of(held)
        elif number == _VERSION:
            version += [str(part) for part in numbers_of(held, budget)]
        elif number in found:
            found[number] = number_of(held)
    if not found[_FOOTER] or found[_COMPRESSION] >= len(CODECS) or magic not in (MAGIC, b""):
        raise _damage_error("the postscript is none")
    codec = CODECS[found[_COMPRESSION]]
    written = ".".join(version) or _OLDEST
    return Postscript(end, found[_FOOTER], codec, found[_BLOCK], written, magic == MAGIC)


def read_footer(file: RangedFile, said: Postscript) -> bytes:
    """Read the footer, decompressed."""
    if said.length > FOOTER_LIMIT:
        raise _too_large_error()
    file.tail(file.size - said.end + said.length)
    raw = file.read(said.end - said.length, said.length)
    if len(raw) < said.length:
        raise BadFileError(error_codes.TRUNCATED, "ends inside its footer")
    return raw if said.codec == CODECS[0] else _join_chunks(raw, said.codec, said.block)


def _join_chunks(raw: bytes, codec: str, block: int) -> bytes:
    """Decompress and join chunks: each has a header with its length and a compression flag."""
    pieces: list[bytes] = []
    at, left = 0, FOOTER_LIMIT
    while at < len(raw):
        head = int.from_bytes(raw[at : at + 3], "little")
        at += 3
        chunk = raw[at : at + (head >> 1)]
        if len(chunk) < head >> 1:
            raise _damage_error("a part of the footer ends beyond it")
        at += len(chunk)
        piece = chunk if head & 1 else _decompress(chunk, codec, min(block, left))
        left -= len(piece)
        if left <= 0 or len(pieces) == MOST_CHUNKS:
            raise _too_large_error()
        pieces.append(piece)
    return b"".join(pieces)


def _decompress(chunk: bytes, codec: str, most: int) -> bytes:
    try:
        piece = _DECOMPRESS[codec](chunk, most)
    except (KeyError, NotImplementedError):  # not every pyarrow is built with every codec
        detail = f"its footer is compressed with {codec}, which cannot be read here"
        raise BadFileError(error_codes.UNREADABLE, detail) from None
    except (OSError, ValueError, zlib.error):  # pyarrow raises either for invalid bytes
        raise _damage_error(f"the footer is not {codec}") from None
    if len(piece) > most:
        raise _too_large_error()
    return piece


def _inflate(chunk: bytes, most: int) -> bytes:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    piece = stream.decompress(chunk, most + 1)
    if len(piece) <= most and not stream.eof:
        raise ValueError
    return piece


def _unpack_snappy(chunk: bytes, most: int) -> bytes:
    import pyarrow as pa

    size = sum((byte & 0x7F) << 7 * index for index, byte in enumerate(_leading_varint(chunk)))
    if size > most:
        raise _too_large_error()
    return bytes(pa.decompress(chunk, size, "snappy", asbytes=True))


def _leading_varint(chunk: bytes) -> bytes:
    """Return the bytes of the varint at the start of a chunk."""
    for length, byte in enumerate(chunk[:5], 1):
        if byte < 0x80:  # noqa: PLR2004 - the last byte of a number has no high bit
            return chunk[:length]
    raise ValueError


def _unpack_stream(chunk: bytes, most: int, codec: str) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(chunk), codec) as stream:
        return bytes(stream.read(most + 1))


# Head that turns a raw block into a frame, which can be read without the decompressed size.
_LZ4_HEAD = bytes.fromhex("04224d18607073")


def _unpack_lz4(chunk: bytes, most: int) -> bytes:
    frame = _LZ4_HEAD + len(chunk).to_bytes(4, "little") + chunk + bytes(4)
    return _unpack_stream(frame, most, "lz4")


_DECOMPRESS: Mapping[str, Callable[[bytes, int], bytes]] = {
    "zlib": _inflate,
    "snappy": _unpack_snappy,
    "lz4": _unpack_lz4,
    "zstd": lambda chunk, most: _unpack_stream(chunk, most, "zstd"),
    "brotli": lambda chunk, most: _unpack_stream(chunk, most, "brotli"),
}


def _damage_error(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, detail)


def _too_large_error() -> BadFileError:
    return BadFileError(error_codes.TOO_LARGE, f"the footer is over {FOOTER_LIMIT} bytes or parts")


_TYPES, _ROWS, _ENCRYPTION = 4, 6, 10
_MOST_ROWS = 2**53


def probe(file: RangedFile) -> ProbeResult:
    """Read the columns of an ORC file."""
    if file.size == 0:
        raise BadFileError(error_codes.EMPTY, "holds no byte")
    said = read_postscript(file)
    try:
        evidence, rows = _decode_footer(read_footer(file, said))
    except BadFileError:
        if said.is_signed:
            raise
        # What looked like the postscript of an old file was not one.
        raise BadFileError(error_codes.TRUNCATED, "begins like ORC, and has no footer") from None
    return ProbeResult("orc", encode_evidence(evidence), rows, said.version, (said.codec,))


def _decode_footer(data: bytes) -> tuple[JsonObject, int | None]:
    budget = ItemBudget()
    types: list[dict[str, Any]] = []
    known: dict[bytes, dict[str, Any]] = {}  # most columns share a few types
    more: dict[str, Any] = {}
    rows = None
    for number, found in read_fields(data, budget):
        if number == _TYPES:
            raw = bytes_of(found)
            if raw not in known:
                known[raw] = decode_type(raw, budget)
            types.append(known[raw])
        elif number == _ROWS:
            rows = number_of(found)
        elif number == _ENCRYPTION:
            more = {"encrypted": True}
    check_tree(types)
    return {"types": types, **more}, rows if rows is not None and rows < _MOST_ROWS else None
