"""What a file compresses as a whole: the codec, and the beginning of what is inside.

However much a file claims to hold, no more than the limits below is read, unpacked or allocated.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from lumos_snap.scan.probe import compression_blocks as blocks
from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.compression_blocks import TEXT, Unpacked
from lumos_snap.scan.probe.file import BadFileError, File

STORED = 256 * 1024
"""As many stored bytes of a file are its head."""
ONE_BLOCK = 4 * 1024 * 1024 + 64 * 1024
"""As many are read where the head holds no complete block; LZ4 has the largest, of 4 MiB."""
MEMORY = 128 * 1024 * 1024
"""What a decoder may ask for: what `xz -9` and `zstd --long` need."""
MEMBERS = 1000
"""As many members of one file are looked at: `cat a.gz b.gz` makes two."""
STEP = 4096


class Opened(NamedTuple):
    """The head of a file, unpacked; `truncated` where the stream stops before its end."""

    data: bytes
    whole: bool
    truncated: bool
    codecs: tuple[str, ...]


def open_text(file: File, suffix: str = "") -> Opened:
    """The first bytes of what a file holds; its name's suffix decides where no bytes tell."""
    head = file.head(STORED)
    codec = _codec_of(head, suffix)
    if codec is None:
        return Opened(head, len(head) >= file.size, truncated=False, codecs=())
    unpack = _UNPACKERS[codec]
    found = unpack(head)
    if not (found.data or found.ended or found.damage) and len(head) < file.size:
        head = file.head(ONE_BLOCK)
        found = unpack(head)
    if found.damage and not found.data:
        raise BadFileError(reasons.DAMAGED, f"it begins like {codec}: {found.damage}")
    stored = len(head) >= file.size
    early = stored and not found.ended and len(found.data) < TEXT
    return Opened(found.data, stored and found.ended, bool(found.damage) or early, (codec,))


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


def _gzip(data: bytes) -> Unpacked:
    return _members(lambda: _Zlib(31), data, b"\x1f\x8b")


def _deflate(data: bytes) -> Unpacked:
    return _members(lambda: _Zlib(15), data, b"\x78")


def _bz2(data: bytes) -> Unpacked:
    return _members(bz2.BZ2Decompressor, data, b"BZh")


def _xz(data: bytes) -> Unpacked:
    return _members(lambda: lzma.LZMADecompressor(memlimit=MEMORY), data, _XZ)


def _members(start: Callable[[], _Member], data: bytes, magic: bytes) -> Unpacked:
    """One member after another. What follows the last and begins none is let be, as gzip does."""
    out, at = bytearray(), 0
    for _ in range(MEMBERS):
        member = start()
        try:
            at = _member(member, data, at, out)
        except (zlib.error, OSError, EOFError, lzma.LZMAError) as exc:
            return _failed(bytes(out), exc)
        if not member.eof:
            return Unpacked(bytes(out))
        at = _after_padding(data, at)
        if not data.startswith(magic, at):
            return Unpacked(bytes(out), ended=True)
        if len(out) >= TEXT:
            break
    return Unpacked(bytes(out))


def _member(member: _Member, data: bytes, at: int, out: bytearray) -> int:
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


def _failed(data: bytes, exc: Exception) -> Unpacked:
    if isinstance(exc, lzma.LZMAError) and "Memory usage limit" in str(exc):
        raise BadFileError(reasons.TOO_LARGE, f"unpacking it takes more than {MEMORY} bytes")
    return Unpacked(data, damage=str(exc))


def _after_padding(data: bytes, at: int) -> int:
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
    blocks.SNAPPY_MAGIC: "snappy",
}
_UNPACKERS: Mapping[str, Callable[[bytes], Unpacked]] = {
    "gzip": _gzip,
    "bz2": _bz2,
    "xz": _xz,
    "zstd": blocks.zstd,
    "lz4": blocks.lz4,
    "snappy": blocks.snappy,
    "deflate": _deflate,
}


def _codec_of(head: bytes, suffix: str) -> str | None:
    for magic, codec in _MAGIC.items():
        if head.startswith(magic) and (codec != "bz2" or b"1" <= head[3:4] <= b"9"):
            return codec
    if suffix == ".deflate" and head[:1] == b"\x78" and int.from_bytes(head[:2], "big") % 31 == 0:
        return "deflate"
    return suffix[1:] if suffix in (".snappy", ".lz4") and blocks.is_hadoop(head) else None
