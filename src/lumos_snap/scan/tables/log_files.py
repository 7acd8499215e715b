"""The small files of a log: read whole, within bounds, and parsed as JSON."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader

LIMIT = 64 * 1024 * 1024
"""The longest file, or line of a commit, that is read."""
DEEPEST = 300
"""How deep a schema may nest, as JSON: 64 levels of types take four at most for each."""
_STEP = 1024 * 1024
_GZIP = b"\x1f\x8b"
_EITHER_HEADER = 47  # zlib's word for: gzip or zlib, as it begins


def read_whole(file: RangedFile) -> bytes:
    """Everything that a file holds, decompressed if it is gzip."""
    if not file.size:
        raise BadFileError(error_codes.EMPTY, "it holds no byte")
    if file.size > LIMIT:
        raise BadFileError(error_codes.TOO_LARGE, f"it has {file.size} bytes")
    held = file.read(0, file.size)
    if len(held) < file.size:
        raise BadFileError(error_codes.TRUNCATED, "it ended while it was read")
    return inflate(held) if held.startswith(_GZIP) else held


def inflate(held: bytes, window: int = _EITHER_HEADER) -> bytes:
    """Compressed bytes as they were."""
    stream = zlib.decompressobj(window)
    try:
        plain = stream.decompress(held, LIMIT)
    except zlib.error as exc:
        raise BadFileError(error_codes.DAMAGED, "it cannot be decompressed") from exc
    if stream.unconsumed_tail:
        raise BadFileError(error_codes.TOO_LARGE, f"it is over {LIMIT} bytes")
    if not stream.eof:
        raise BadFileError(error_codes.TRUNCATED, "it ends inside its compressed data")
    return plain


def read_lines(file: RangedFile) -> Iterator[tuple[bytes, bool]]:
    """The lines of a file without blank ones, and whether each is the last and has no end."""
    if not file.size:
        raise BadFileError(error_codes.EMPTY, "it holds no byte")
    held, at = b"", 0
    while at < file.size:
        more = file.read(at, min(_STEP, file.size - at))
        if not more:
            raise BadFileError(error_codes.TRUNCATED, "it ended while it was read")
        at += len(more)
        *ended, held = (held + more).split(b"\n") if b"\n" in more else (held + more,)
        yield from ((line, False) for line in ended if line.strip())
        if len(held) > LIMIT:
            raise BadFileError(error_codes.TOO_LARGE, f"it has a line of over {LIMIT} bytes")
    if held.strip():
        yield held, True


def is_damage(exc: BadFileError) -> bool:
    """Whether a file is not whole: one that cannot be reached may well be."""
    return exc.reason in (error_codes.EMPTY, error_codes.TRUNCATED, error_codes.DAMAGED)


def parse_object(text: bytes | str, *, is_cut: bool = False) -> dict[str, Any]:
    """An object in JSON; `is_cut` says that the text ends where the file does."""
    try:
        held = json.loads(text, parse_constant=str)
    except RecursionError:
        raise BadFileError(error_codes.TOO_LARGE, "its JSON nests too deep") from None
    except ValueError:
        reason = error_codes.TRUNCATED if is_cut else error_codes.DAMAGED
        what = "it ends inside its JSON" if is_cut else "it is no JSON"
        raise BadFileError(reason, what) from None
    if not isinstance(held, dict):
        raise BadFileError(error_codes.DAMAGED, "it is no JSON object")
    return held


def check_depth(held: Any) -> None:
    """Refuse what nests deeper than types can."""
    level, depth = [held], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > DEEPEST:
            raise BadFileError(error_codes.TOO_LARGE, f"the schema nests over {DEEPEST} deep")
        level = [more for one in level for more in (one.values() if isinstance(one, dict) else one)]


def read_document(file: RangedFile) -> dict[str, Any]:
    """A file that is one JSON object."""
    held = read_whole(file)
    return parse_object(held, is_cut=not held.rstrip().endswith(b"}"))


def redact_table_properties(
    properties: Any, allowed: tuple[str, ...], denied: tuple[str, ...]
) -> dict[str, str]:
    """Of a table's properties, those that readers need: nothing that opens a door, no clock.

    A name that ends with a point or a dash stands for all that begin with it.
    """
    held: Mapping[Any, Any] = properties if isinstance(properties, dict) else {}
    return {
        name: value
        for name, value in sorted((str(n), v) for n, v in held.items())
        if isinstance(value, str)
        and value
        and matches(name, allowed)
        and not matches(name, denied)
        and not _SECRET.search(name)
        and not _IN_ADDRESS.search(value)
    }


def matches(name: str, listed: tuple[str, ...]) -> bool:
    """Whether a name is in a list of names and beginnings."""
    return any(name.startswith(one) if one[-1] in ".-" else name == one for one in listed)


_SECRET = re.compile(
    r"secret|passw|token|credential|(access|private|account|api)[._-]?key|\bsas\b", re.IGNORECASE
)
_IN_ADDRESS = re.compile(
    r"://[^/@\s]*:[^/@\s]*@|[?&](sig|signature|X-Amz-\w+|token)=", re.IGNORECASE
)


def parse_number(held: Any) -> int | None:
    """A count, written as a number or as text."""
    if isinstance(held, str) and held.isascii() and held.isdigit() and len(held) < len(str(_MOST)):
        held = int(held)
    is_one = isinstance(held, int) and not isinstance(held, bool) and 0 <= held < _MOST
    return held if is_one else None


_MOST = 2**53


def list_texts(held: Any) -> list[str]:
    """A list of texts that say something; anything else is none."""
    if not isinstance(held, list):
        return []
    return [one for one in held if isinstance(one, str) and one]


@contextmanager
def open_log_file(reader: Reader, path: str) -> Iterator[RangedFile]:
    """A file of a log; what is wrong with it is said with its name."""
    try:
        with reader.opened(path) as file:
            yield file
    except BadFileError as exc:
        name = path.rpartition("/")[2]
        raise BadFileError(exc.reason, f"{name}: {exc.detail}") from exc
