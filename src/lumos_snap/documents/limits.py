"""How much of a document is read: what a pull request contains is bounded before it is parsed."""

import os
from typing import IO, Any, NamedTuple

MIB = 1024 * 1024


class Limit(NamedTuple):
    """The most that one document may hold."""

    bytes: int
    values: int


DOCUMENT = Limit(16 * MIB, 250_000)
"""A file of a tree: a table of 50,000 columns stays below both."""
TRANSFER = Limit(256 * MIB, 8_000_000)
"""A file that a person names to import or to validate: it may hold a whole tree."""
MOST_LEVELS = 100
"""How deep YAML may nest. JSON may nest 1,024 levels, which is what its parser follows."""


class TooLarge(bytes):
    """Stands for the bytes of a file that is larger than any document: they were not read.

    It equals nothing else, so that two such files never look unchanged.
    """

    __hash__ = bytes.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def read_file(file: IO[bytes]) -> bytes:
    """The bytes of an open regular file, or `TooLarge`: its size is known before it is read."""
    return TooLarge() if os.fstat(file.fileno()).st_size > DOCUMENT.bytes else file.read()


def read_stream(file: IO[bytes], limit: Limit) -> bytes:
    """The bytes that a file or a pipe holds, or `TooLarge`."""
    content = file.read(limit.bytes + 1)
    return TooLarge() if len(content) > limit.bytes else content


def excess(raw: bytes, limit: Limit = DOCUMENT) -> str:
    """Which limit the bytes of a JSON document exceed, in words; empty where they exceed none."""
    if isinstance(raw, TooLarge) or len(raw) > limit.bytes:
        return f"is larger than {limit.bytes // MIB} MiB"
    if len(raw) > limit.values and _values(raw) > limit.values:
        return f"holds more than {limit.values:,} values"
    return ""


def _values(raw: bytes) -> int:
    """At least as many values as the text holds: each follows a comma or opens a container."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{") + 1


def loads(raw: bytes) -> Any:
    """A JSON document within its limits; raises `orjson.JSONDecodeError` where it is none."""
    import orjson  # noqa: PLC0415 - loads `json`, which git's side of a command does without

    if beyond := excess(raw):
        raise orjson.JSONDecodeError(beyond, "", 0)
    return orjson.loads(raw)
