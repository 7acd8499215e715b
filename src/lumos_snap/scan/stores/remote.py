"""Files behind a network: a request takes longer than the bytes of a small file."""

from collections.abc import Callable

from lumos_snap.scan.stores.file import File

_SMALL = 256 * 1024


def remote_file(size: int, read: Callable[[int, int], bytes]) -> File:
    """A file that is read whole by its first read if it is small, so that a probe asks once."""
    if size > _SMALL:
        return File(size, read)
    whole: list[bytes] = []

    def kept(offset: int, length: int) -> bytes:
        if not whole:
            whole.append(read(0, size))
        return whole[0][offset : offset + length]

    return File(size, kept)
