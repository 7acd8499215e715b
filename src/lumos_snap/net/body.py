"""The body of an answer within a limit, which holds for what it is decompressed to."""

import zlib
from collections.abc import Callable

_AT_ONCE = 1 << 16
_EITHER = 32 + zlib.MAX_WBITS
"""Both of what HTTP calls gzip and deflate."""
_PLAIN, _PACKED = ("", "identity"), ("gzip", "x-gzip", "deflate")


class TooLargeError(OSError):
    """An answer that is larger than any that is expected."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most / 1e6:.0f} MB")


class EncodingError(OSError):
    """An answer in an encoding that was not asked for, or not in the one that it states."""


def body(read: Callable[[int], bytes], most: int, encoding: str = "") -> bytes:
    """What a reader gives, decompressed; raises `TooLargeError` as soon as it is too much."""
    name = encoding.strip().lower()
    if name in _PLAIN:
        return _whole(read, most)
    if name not in _PACKED:
        raise EncodingError(f"the answer has the encoding {name[:40]!r}, which was not asked for")
    try:
        return _decompressed(read, most)
    except zlib.error as exc:
        raise EncodingError(f"the answer is no {name}") from exc


def _whole(read: Callable[[int], bytes], most: int) -> bytes:
    found = bytearray()
    while some := read(_AT_ONCE):
        found += some
        if len(found) > most:
            raise TooLargeError(most)
    return bytes(found)


def _decompressed(read: Callable[[int], bytes], most: int) -> bytes:
    engine, found, is_empty = zlib.decompressobj(_EITHER), bytearray(), True
    while some := read(_AT_ONCE):
        found += engine.decompress(some, most + 1 - len(found))
        if len(found) > most or engine.unconsumed_tail:
            raise TooLargeError(most)
        if engine.eof:
            return bytes(found)
        is_empty = False
    if not is_empty:  # an answer to HEAD, or one without a body, may name an encoding as well
        raise EncodingError("the answer ends before its compressed content does")
    return b""
