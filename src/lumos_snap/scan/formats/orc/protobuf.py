"""A reader for protocol buffers, with a limit on the number of items."""

from collections.abc import Iterator

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError

MOST_ITEMS = 500_000
"""Maximum number of fields and numbers per file: a table of 60,000 columns has as many."""

FieldValue = int | bytes

_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_WIDTHS = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_LONGEST_VARINT = 10
_CONTINUED = 128  # a varint byte from here on means that another follows
_MOST = (1 << 64) - 1


class ItemBudget:
    """The number of items that may still be read, so that few bytes cannot cause much work."""

    def __init__(self, items: int = MOST_ITEMS) -> None:
        self.items = items

    def spend(self) -> None:
        """Count one item."""
        self.items -= 1
        if self.items < 0:
            raise BadFileError(
                error_codes.TOO_LARGE, "the footer has more parts than are looked at"
            )


def read_fields(data: bytes, budget: ItemBudget) -> Iterator[tuple[int, FieldValue]]:
    """Yield the fields of a message, each with its number, in order."""
    at, end = 0, len(data)
    while at < end:
        budget.spend()
        # Nearly all keys and lengths are one byte: read inline, a footer takes half the time.
        key = data[at]
        key, at = (key, at + 1) if key < _CONTINUED else _read_varint(data, at)
        wire = key & 7
        if wire == _VARINT:
            number, at = _read_varint(data, at)
            yield key >> 3, number
            continue
        if wire == _SIZED:
            size, at = _read_varint(data, at)
        elif wire in _WIDTHS:
            size = _WIDTHS[wire]
        else:
            raise _damage_error("a field of an unknown kind")
        if size > end - at:
            raise _damage_error("a field that ends beyond its message")
        yield key >> 3, data[at : at + size]
        at += size


def number_of(found: FieldValue) -> int:
    """Return a field that is a number."""
    if isinstance(found, bytes):
        raise _damage_error("bytes in place of a number")
    return found


def bytes_of(found: FieldValue) -> bytes:
    """Return a field that is bytes, or a message."""
    if isinstance(found, int):
        raise _damage_error("a number in place of bytes")
    return found


def text_of(found: FieldValue) -> str:
    """Return a field that is a text."""
    try:
        return bytes_of(found).decode()
    except UnicodeDecodeError:
        raise _damage_error("a text that is not UTF-8") from None


def numbers_of(found: FieldValue, budget: ItemBudget) -> Iterator[int]:
    """Yield numbers of a repeated field: a single one, or several packed ones."""
    if isinstance(found, int):
        yield found
        return
    at = 0
    while at < len(found):
        budget.spend()
        number, at = _read_varint(found, at)
        yield number


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a varint; return it and the offset after it."""
    if at < len(data) and data[at] < _CONTINUED:
        return data[at], at + 1
    number = 0
    for index, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * index
        if byte < _CONTINUED:
            return number & _MOST, at + index + 1
    raise _damage_error("a number that does not end")


def _damage_error(what: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, f"the footer holds {what}")
