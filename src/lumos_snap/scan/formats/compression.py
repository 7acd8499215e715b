"""Codecs that the standard library does not have: pyarrow unpacks them, block by block."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError, RangedFile

TEXT = 1024 * 1024
"""As many unpacked bytes are the head of what a file holds."""
SNAPPY_MAGIC = b"\xff\x06\x00\x00sNaPpY"
SNAPPY_BLOCK = 64 * 1024
HADOOP_BLOCK = 4 * 1024 * 1024
"""Hadoop's writers cut blocks of 256 KiB. A text's first letters would claim more than this."""
PIECE = 64
"""Of a stream that breaks off, what follows the last whole piece of so many bytes is lost."""
_SKIPPED = 0x80  # chunks from here on may be passed over
_MORE = 0x80  # in a variable-length number, the bit of all bytes but the last
_LONG = 15  # in LZ4, a length that goes on in further bytes
_LONGER = 255


class UnpackResult(NamedTuple):
    """What was unpacked, whether the stream came to its end, and what the decoder objects to."""

    data: bytes
    ended: bool = False
    damage: str = ""


class _CutError(Exception):
    """The data ends within a block."""


def unpack_zstd(data: bytes) -> UnpackResult:
    """Zstandard frames; pyarrow refuses windows beyond 128 MiB, which is what `--long` needs."""
    found = _unpack_stream(data, "zstd")
    if "too much memory" in found.damage and not found.data:
        raise BadFileError(error_codes.TOO_LARGE, f"unpacking it fails: {found.damage}")
    return found


def unpack_lz4(data: bytes) -> UnpackResult:
    """LZ4 frames, or the blocks of Hadoop."""
    return (
        _join_blocks(_hadoop_blocks(data, _unpack_raw_lz4))
        if is_hadoop(data)
        else _unpack_stream(data, "lz4")
    )


def unpack_snappy(data: bytes) -> UnpackResult:
    """Snappy's framing, or the blocks of Hadoop."""
    framed = data.startswith(SNAPPY_MAGIC)
    return _join_blocks(
        _snappy_frames(data) if framed else _hadoop_blocks(data, _unpack_raw_snappy)
    )


def is_hadoop(head: bytes) -> bool:
    """Whether bytes may begin a block of Hadoop: two lengths, neither of them absurd."""
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
            yield _unpack_raw_snappy(body[4:], SNAPPY_BLOCK)  # four bytes of checksum first
        elif kind == 1:
            yield body[4:]
        elif kind < _SKIPPED:
            raise ValueError("a chunk is of no known kind")


def _hadoop_blocks(data: bytes, unpack: Callable[[bytes, int], bytes]) -> Iterator[bytes]:
    """A block: how long it is unpacked, then pieces, each after the length that it is stored in."""
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
    """How long a bare block is unpacked: it does not say so, and the decoder fills what it gets."""
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
"""As many stored bytes of a file are its head."""
ONE_BLOCK = 4 * 1024 * 1024 + 64 * 1024
"""As many are read where the head holds no complete block; LZ4 has the largest, of 4 MiB."""
MEMORY = 128 * 1024 * 1024
"""What a decoder may ask for: what `xz -9` and `zstd --long` need."""
MEMBERS = 1000
"""As many members of one file are looked at: `cat a.gz b.gz` makes two."""
STEP = 4096


class TextHead(NamedTuple):
    """The head of a file, unpacked; `truncated` where the stream stops before its end."""

    data: bytes
    whole: bool
    truncated: bool
    codecs: tuple[str, ...]


def open_text(file: RangedFile, suffix: str = "") -> TextHead:
    """The first bytes of what a file holds; its name's suffix decides where no bytes tell."""
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
    """One compressed stream: bz2 and lzma speak so, and zlib is taught to."""

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
    """One member after another. What follows the last and begins none is let be, as gzip does."""
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
    """Unpack one member; where the next begins. Small steps keep what is copied small."""
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
    b"\x1f\x8b": "gzip",  # whatever follows: no text begins so
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
