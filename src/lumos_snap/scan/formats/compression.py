"""Decompression of the head of text files, with the standard library or pyarrow."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError, RangedFile

TEXT = 1024 * 1024
"""Number of decompressed bytes that form the head."""
SNAPPY_MAGIC = b"\xff\x06\x00\x00sNaPpY"
SNAPPY_BLOCK = 64 * 1024
HADOOP_BLOCK = 4 * 1024 * 1024
"""Maximum size of a Hadoop block: writers use 256 KiB; the first letters of a text mean more."""
PIECE = 64
"""If a stream ends early, the data after the last complete piece of this size is lost."""
_SKIPPED = 0x80  # chunks from here on may be skipped
_MORE = 0x80  # in a varint, the bit of all bytes but the last
_LONG = 15  # in LZ4, a length that continues in further bytes
_LONGER = 255


class UnpackResult(NamedTuple):
    """The decompressed data, whether the stream is complete, and the decoder's error."""

    data: bytes
    ended: bool = False
    damage: str = ""


class _CutError(Exception):
    """The data ends within a block."""


def unpack_zstd(data: bytes) -> UnpackResult:
    """Unpack Zstandard frames; pyarrow rejects windows above 128 MiB, as `--long` creates."""
    found = _unpack_stream(data, "zstd")
    if "too much memory" in found.damage and not found.data:
        raise BadFileError(error_codes.TOO_LARGE, f"unpacking it fails: {found.damage}")
    return found


def unpack_lz4(data: bytes) -> UnpackResult:
    """Unpack LZ4 frames, or Hadoop's blocks."""
    return (
        _join_blocks(_hadoop_blocks(data, _unpack_raw_lz4))
        if is_hadoop(data)
        else _unpack_stream(data, "lz4")
    )


def unpack_snappy(data: bytes) -> UnpackResult:
    """Unpack Snappy frames, or Hadoop's blocks."""
    framed = data.startswith(SNAPPY_MAGIC)
    return _join_blocks(
        _snappy_frames(data) if framed else _hadoop_blocks(data, _unpack_raw_snappy)
    )


def is_hadoop(head: bytes) -> bool:
    """Whether the bytes may be the start of a Hadoop block: two plausible lengths."""
    whole, packed = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    return 0 < whole <= HADOOP_BLOCK and 0 < packed <= 2 * HADOOP_BLOCK


def _unpack_stream(data: bytes, codec: str) -> UnpackResult:
    import pyarrow as pa

    out = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), codec) as stream:
            while len(out) < TEXT:
                piece = stream.read(PIECE)
                if not piece:
                    return UnpackResult(bytes(out), ended=True)
                out += piece
    except (OSError, ValueError) as exc:
        return UnpackResult(bytes(out), damage="" if "Truncated" in str(exc) else str(exc))
    return UnpackResult(bytes(out))


def _join_blocks(found: Iterator[bytes]) -> UnpackResult:
    out = bytearray()
    try:
        for block in found:
            out += block
            if len(out) >= TEXT:
                return UnpackResult(bytes(out[:TEXT]))
    except _CutError:
        return UnpackResult(bytes(out))
    except (OSError, ValueError) as exc:
        return UnpackResult(bytes(out), damage=str(exc))
    return UnpackResult(bytes(out), ended=True)


def _snappy_frames(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "little")
        body = _take(data, at + 4, size)
        at += 4 + size
        if kind == 0:
            yield _unpack_raw_snappy(body[4:], SNAPPY_BLOCK)  # after a checksum of four bytes
        elif kind == 1:
            yield body[4:]
        elif kind < _SKIPPED:
            raise ValueError("a chunk is of no known kind")


def _hadoop_blocks(data: bytes, unpack: Callable[[bytes, int], bytes]) -> Iterator[bytes]:
    """Yield blocks: the unpacked length, then pieces, each with its stored length before it."""
    at = 0
    while at < len(data):
        left = int.from_bytes(_take(data, at, 4), "big")
        if left > HADOOP_BLOCK:
            raise ValueError("a block claims to be larger than any")
        at += 4
        while left:
            size = int.from_bytes(_take(data, at, 4), "big")
            piece = unpack(_take(data, at + 4, size), left)
            if not piece:
                raise ValueError("a piece holds nothing")
            left -= len(piece)
            at += 4 + size
            yield piece


def _take(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise _CutError
    return data[at : at + size]


def _unpack_raw_snappy(body: bytes, most: int) -> bytes:
    import pyarrow as pa

    claimed = sum((byte & 0x7F) << 7 * index for index, byte in enumerate(_varint(body)))
    if claimed > most:
        raise ValueError("a piece claims to be larger than its block")
    unpacked: bytes = pa.Codec("snappy").decompress(body, decompressed_size=claimed, asbytes=True)
    return unpacked


def _varint(body: bytes) -> bytes:
    last = next((index for index, byte in enumerate(body[:5]) if byte < _MORE), None)
    if last is None:
        raise ValueError("a piece does not say how long it is")
    return body[: last + 1]


def _unpack_raw_lz4(body: bytes, most: int) -> bytes:
    import pyarrow as pa

    size = _lz4_size(body)
    if size > most:
        raise ValueError("a piece is larger than its block")
    unpacked: bytes = pa.Codec("lz4_raw").decompress(body, decompressed_size=size, asbytes=True)
    return unpacked


def _lz4_size(body: bytes) -> int:
    """Compute the unpacked size of a raw block, which does not have it; the decoder needs it."""
    at = size = 0
    while at < len(body):
        token = body[at]
        literals, at = _lz4_length(body, at + 1, token >> 4)
        at += literals
        size += literals
        if at >= len(body):
            break
        match, at = _lz4_length(body, at + 2, token & _LONG)
        size += match + 4
    return size


def _lz4_length(body: bytes, at: int, length: int) -> tuple[int, int]:
    if length < _LONG:
        return length, at
    while at < len(body) and body[at] == _LONGER:
        length += _LONGER
        at += 1
    return length + (body[at] if at < len(body) else 0), at + 1


STORED = 256 * 1024
"""Number of stored bytes that form the head of a file."""
ONE_BLOCK = 4 * 1024 * 1024 + 64 * 1024
"""Number of bytes to read if the head has no complete block; LZ4's are the largest, 4 MiB."""
MEMORY = 128 * 1024 * 1024
"""Memory limit of a decoder: as much as `xz -9` and `zstd --long` need."""
MEMBERS = 1000
"""Maximum number of members to read in a file: `cat a.gz b.gz` creates two."""
STEP = 4096


class TextHead(NamedTuple):
    """The decompressed head of a file; `truncated` if the stream ends early."""

    data: bytes
    whole: bool
    truncated: bool
    codecs: tuple[str, ...]


def open_text(file: RangedFile, suffix: str = "") -> TextHead:
    """Decompress the head of a file; the suffix decides where the first bytes do not."""
    head = file.head(STORED)
    codec = _codec_of(head, suffix)
    if codec is None:
        return TextHead(head, len(head) >= file.size, truncated=False, codecs=())
    unpack = _UNPACKERS[codec]
    found = unpack(head)
    if not (found.data or found.ended or found.damage) and len(head) < file.size:
        head = file.head(ONE_BLOCK)
        found = unpack(head)
    if found.damage and not found.data:
        raise BadFileError(error_codes.DAMAGED, f"it begins like {codec}: {found.damage}")
    stored = len(head) >= file.size
    early = stored and not found.ended and len(found.data) < TEXT
    return TextHead(found.data, stored and found.ended, bool(found.damage) or early, (codec,))


class _Member(Protocol):
    """One compressed stream, with the interface of bz2 and lzma; zlib is adapted."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Zlib:
    def __init__(self, window: int) -> None:
        self._stream = zlib.decompressobj(window)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data


def _gzip(data: bytes) -> UnpackResult:
    return _unpack_members(lambda: _Zlib(31), data, b"\x1f\x8b")


def _deflate(data: bytes) -> UnpackResult:
    return _unpack_members(lambda: _Zlib(15), data, b"\x78")


def _bz2(data: bytes) -> UnpackResult:
    return _unpack_members(bz2.BZ2Decompressor, data, b"BZh")


def _xz(data: bytes) -> UnpackResult:
    return _unpack_members(lambda: lzma.LZMADecompressor(memlimit=MEMORY), data, _XZ)


def _unpack_members(start: Callable[[], _Member], data: bytes, magic: bytes) -> UnpackResult:
    """Unpack all members; trailing bytes after the last one are ignored, as gzip does."""
    out, at = bytearray(), 0
    for _ in range(MEMBERS):
        member = start()
        try:
            at = _unpack_member(member, data, at, out)
        except (zlib.error, OSError, EOFError, lzma.LZMAError) as exc:
            return _report_failure(bytes(out), exc)
        if not member.eof:
            return UnpackResult(bytes(out))
        at = _skip_padding(data, at)
        if not data.startswith(magic, at):
            return UnpackResult(bytes(out), ended=True)
        if len(out) >= TEXT:
            break
    return UnpackResult(bytes(out))


def _unpack_member(member: _Member, data: bytes, at: int, out: bytearray) -> int:
    """Unpack one member; return the offset of the next. Small steps limit copies."""
    while not member.eof and len(out) < TEXT:
        chunk = b""
        if member.needs_input:
            chunk = data[at : at + STEP]
            at += len(chunk)
            if not chunk:
                break
        out += member.decompress(chunk, TEXT - len(out))
    return at - len(member.unused_data) if member.eof else at


def _report_failure(data: bytes, exc: Exception) -> UnpackResult:
    if isinstance(exc, lzma.LZMAError) and "Memory usage limit" in str(exc):
        raise BadFileError(error_codes.TOO_LARGE, f"unpacking it takes more than {MEMORY} bytes")
    return UnpackResult(data, damage=str(exc))


def _skip_padding(data: bytes, at: int) -> int:
    if data[at : at + 1] != b"\0":
        return at
    return len(data) - len(data[at:].lstrip(b"\0"))


_XZ = b"\xfd7zXZ\x00"
_MAGIC: Mapping[bytes, str] = {
    b"\x1f\x8b": "gzip",  # whatever follows: no text begins with it
    b"BZh": "bz2",
    _XZ: "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    SNAPPY_MAGIC: "snappy",
}
_UNPACKERS: Mapping[str, Callable[[bytes], UnpackResult]] = {
    "gzip": _gzip,
    "bz2": _bz2,
    "xz": _xz,
    "zstd": unpack_zstd,
    "lz4": unpack_lz4,
    "snappy": unpack_snappy,
    "deflate": _deflate,
}


def _codec_of(head: bytes, suffix: str) -> str | None:
    for magic, codec in _MAGIC.items():
        if head.startswith(magic) and (codec != "bz2" or b"1" <= head[3:4] <= b"9"):
            return codec
    if suffix == ".deflate" and head[:1] == b"\x78" and int.from_bytes(head[:2], "big") % 31 == 0:
        return "deflate"
    return suffix[1:] if suffix in (".snappy", ".lz4") and is_hadoop(head) else None
