"""Size limits of documents: the contents of a pull request are limited before parsing."""

import os
from typing import IO, Any, NamedTuple

MIB = 1024 * 1024


class Limit(NamedTuple):
    """The maximum size of one document."""

    bytes: int
    values: int


DOCUMENT = Limit(16 * MIB, 250_000)
"""For a file of a tree: a table of 50,000 columns stays below both."""
TRANSFER = Limit(256 * MIB, 8_000_000)
"""For a file that a user imports or validates: it may contain a whole tree."""
MOST_LEVELS = 100
"""The maximum nesting of YAML. JSON may nest 1,024 levels, the limit of its parser."""


class TooLarge(bytes):
    """Replaces the bytes of a file that exceeds the limit and was not read.

    It equals nothing else, so that two such files never look unchanged.
    """

    __hash__ = bytes.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def read_file(file: IO[bytes]) -> bytes:
    """Read an open regular file, or return `TooLarge`: its size is known in advance."""
    return TooLarge() if os.fstat(file.fileno()).st_size > DOCUMENT.bytes else file.read()


def read_stream(file: IO[bytes], limit: Limit) -> bytes:
    """Read a file or a pipe, or return `TooLarge`."""
    content = file.read(limit.bytes + 1)
    return TooLarge() if len(content) > limit.bytes else content


def excess(raw: bytes, limit: Limit = DOCUMENT) -> str:
    """Describe the limit that the bytes of a JSON document exceed; empty if none."""
    if isinstance(raw, TooLarge) or len(raw) > limit.bytes:
        return f"is larger than {limit.bytes // MIB} MiB"
    if len(raw) > limit.values and _values(raw) > limit.values:
        return f"holds more than {limit.values:,} values"
    return ""


def _values(raw: bytes) -> int:
    """An upper bound of the number of values: each follows a comma or opens a container."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{") + 1


def loads(raw: bytes) -> Any:
    """Parse a JSON document within the limits; raises `orjson.JSONDecodeError` if invalid."""
    import orjson  # noqa: PLC0415 - loads `json`, which git's side of a command does without

    if beyond := excess(raw):
        raise orjson.JSONDecodeError(beyond, "", 0)
    return orjson.loads(raw)
