"""Codecs that the standard library does not have: pyarrow unpacks them, block by block."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError

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


class Unpacked(NamedTuple):
    """What was unpacked, whether the stream came to its end, and what the decoder objects to."""

    data: bytes
    ended: bool = False
    damage: str = ""


class _CutError(Exception):
    """The data ends within a block."""


def zstd(data: bytes) -> Unpacked:
    """Zstandard frames; pyarrow refuses windows beyond 128 MiB, which is what `--long` needs."""
    found = _stream(data, "zstd")
    if "too much memory" in found.damage and not found.data:
        raise BadFileError(reasons.TOO_LARGE, f"unpacking it fails: {found.damage}")
    return found


def lz4(data: bytes) -> Unpacked:
    """LZ4 frames, or the blocks of Hadoop."""
    return _blocks(_hadoop(data, _raw_lz4)) if is_hadoop(data) else _stream(data, "lz4")


def snappy(data: bytes) -> Unpacked:
    """Snappy's framing, or the blocks of Hadoop."""
    framed = data.startswith(SNAPPY_MAGIC)
    return _blocks(_snappy_frames(data) if framed else _hadoop(data, _raw_snappy))


def is_hadoop(head: bytes) -> bool:
    """Whether bytes may begin a block of Hadoop: two lengths, neither of them absurd."""
    whole, packed = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    return 0 < whole <= HADOOP_BLOCK and 0 < packed <= 2 * HADOOP_BLOCK


def _stream(data: bytes, codec: str) -> Unpacked:
    import pyarrow as pa

    out = bytearray()
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), codec) as stream:
            while len(out) < TEXT:
                piece = stream.read(PIECE)
                if not piece:
                    return Unpacked(bytes(out), ended=True)
                out += piece
    except (OSError, ValueError) as exc:
        return Unpacked(bytes(out), damage="" if "Truncated" in str(exc) else str(exc))
    return Unpacked(bytes(out))


def _blocks(found: Iterator[bytes]) -> Unpacked:
    out = bytearray()
    try:
        for block in found:
            out += block
            if len(out) >= TEXT:
                return Unpacked(bytes(out[:TEXT]))
    except _CutError:
        return Unpacked(bytes(out))
    except (OSError, ValueError) as exc:
        return Unpacked(bytes(out), damage=str(exc))
    return Unpacked(bytes(out), ended=True)


def _snappy_frames(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "little")
        body = _taken(data, at + 4, size)
        at += 4 + size
        if kind == 0:
            yield _raw_snappy(body[4:], SNAPPY_BLOCK)  # four bytes of checksum first
        elif kind == 1:
            yield body[4:]
        elif kind < _SKIPPED:
            raise ValueError("a chunk is of no known kind")


def _hadoop(data: bytes, unpack: Callable[[bytes, int], bytes]) -> Iterator[bytes]:
    """A block: how long it is unpacked, then pieces, each after the length that it is stored in."""
    at = 0
    while at < len(data):
        left = int.from_bytes(_taken(data, at, 4), "big")
        if left > HADOOP_BLOCK:
            raise ValueError("a block claims to be larger than any")
        at += 4
        while left:
            size = int.from_bytes(_taken(data, at, 4), "big")
            piece = unpack(_taken(data, at + 4, size), left)
            if not piece:
                raise ValueError("a piece holds nothing")
            left -= len(piece)
            at += 4 + size
            yield piece


def _taken(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise _CutError
    return data[at : at + size]


def _raw_snappy(body: bytes, most: int) -> bytes:
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


def _raw_lz4(body: bytes, most: int) -> bytes:
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
