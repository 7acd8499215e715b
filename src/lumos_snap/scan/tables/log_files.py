"""Small log files: read whole within size limits, and parsed as JSON."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader

# File names in the logs of table formats.


DELTA, ICEBERG, HUDI = "_delta_log", "metadata", ".hoodie"
TIMELINE = "timeline"
"""Subfolder with Hudi's commits since table version 8."""

HINT = "version-hint.text"
PROPERTIES = ("hoodie.properties", "hoodie.properties.backup")

_COMMIT = re.compile(r"([0-9]{20})\.json")
_CHECKPOINT = re.compile(
    r"([0-9]{20})\.checkpoint"
    r"(?:\.([0-9]{10})\.([0-9]{10})|\.([0-9A-Fa-f-]{36})(?=\.))?\.(parquet|json)"
)
_METADATA = re.compile(
    r"(?:v([0-9]+)|([0-9]+)-[^/]+?|v(?:final|latest|current))(?:\.gz)?\.metadata\.json(?:\.gz)?"
)
UNNUMBERED = -1
"""Version of a metadata file whose name has a word in its place, such as `vfinal`.

Readers open such a file by its path, or because `version-hint.text` names it. Other words are not
accepted: `metadata/vendors.metadata.json` need not be of Iceberg.
"""
_INSTANT = re.compile(r"([0-9]{14,20})(?:_([0-9]{14,20}))?\.(commit|deltacommit|replacecommit)")


class DeltaFile(NamedTuple):
    """A commit, or a part of a checkpoint."""

    version: int
    part: int = 0
    parts: int = 0
    """Number of parts of the checkpoint; 0 for a commit."""
    label: str = ""
    """Distinguishes checkpoints of one version; the first in sort order is used."""

    @property
    def is_commit(self) -> bool:
        """Whether it is a single commit, and not a checkpoint."""
        return not self.parts


class Instant(NamedTuple):
    """The end, the start and the action of a completed change of a Hudi table."""

    ended: str
    began: str
    action: str


def split_path(path: str, folder: str) -> tuple[str, str] | None:
    """Split a path at a folder of that name: the part before and the part behind, if it exists."""
    if path.startswith(f"{folder}/"):
        return "", path[len(folder) + 1 :]
    root, found, rest = path.partition(f"/{folder}/")
    return (root, rest) if found else None


def parse_delta_name(name: str) -> DeltaFile | None:
    """Parse the name of a Delta log file; None for files that only help to find the others."""
    commit = _COMMIT.fullmatch(name)
    if commit:
        return DeltaFile(int(commit[1]))
    checkpoint = _CHECKPOINT.fullmatch(name)
    if not checkpoint:
        return None
    version, part, parts, unique, suffix = checkpoint.groups()
    if parts:
        number, of = int(part), int(parts)
        is_one = suffix == "parquet" and 0 < number <= of
        return DeltaFile(int(version), number, of, f"2 {of:010}") if is_one else None
    if unique:
        return DeltaFile(int(version), 1, 1, f"3 {unique}.{suffix}")
    return DeltaFile(int(version), 1, 1, "1") if suffix == "parquet" else None


def parse_iceberg_name(name: str) -> int | None:
    """Parse the version from the name of a metadata file; None for other files."""
    found = _METADATA.fullmatch(name)
    if found is None:
        return None
    number = found[1] or found[2]
    return int(number) if number else UNNUMBERED


def parse_hudi_name(name: str) -> Instant | None:
    """Parse the name of a completed change; None for pending ones."""
    found = _INSTANT.fullmatch(name)
    return Instant(found[2] or found[1], found[1], found[3]) if found else None


LIMIT = 64 * 1024 * 1024
"""Maximum length of a file, or of a line in a commit."""
DEEPEST = 300
"""Maximum JSON depth of a schema: 64 levels of types take at most four JSON levels each."""
_STEP = 1024 * 1024
_GZIP = b"\x1f\x8b"
_EITHER_HEADER = 47  # zlib: detect gzip or zlib by the header


def read_whole(file: RangedFile) -> bytes:
    """Read a whole file, decompressed if it is gzip."""
    if not file.size:
        raise BadFileError(error_codes.EMPTY, "it holds no byte")
    if file.size > LIMIT:
        raise BadFileError(error_codes.TOO_LARGE, f"it has {file.size} bytes")
    held = file.read(0, file.size)
    if len(held) < file.size:
        raise BadFileError(error_codes.TRUNCATED, "it ended while it was read")
    return inflate(held) if held.startswith(_GZIP) else held


def inflate(held: bytes, window: int = _EITHER_HEADER) -> bytes:
    """Decompress bytes."""
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
    """Yield the lines that are not blank, and whether the line is the last and has no line end."""
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
    """Whether an error means a damaged file; one that cannot be reached may be intact."""
    return exc.reason in (error_codes.EMPTY, error_codes.TRUNCATED, error_codes.DAMAGED)


def parse_object(text: bytes | str, *, is_cut: bool = False) -> JsonObject:
    """Parse a JSON object; `is_cut` means that the text ends at the end of the file."""
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


def check_depth(held: object) -> None:
    """Reject what nests deeper than types can."""
    level, depth = [held], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > DEEPEST:
            raise BadFileError(error_codes.TOO_LARGE, f"the schema nests over {DEEPEST} deep")
        level = [more for one in level for more in (one.values() if isinstance(one, dict) else one)]


def read_document(file: RangedFile) -> JsonObject:
    """Read a file that is one JSON object."""
    held = read_whole(file)
    return parse_object(held, is_cut=not held.rstrip().endswith(b"}"))


def redact_table_properties(
    properties: object, allowed: tuple[str, ...], denied: tuple[str, ...]
) -> dict[str, str]:
    """Select the table properties that readers need: no credentials, no times.

    A name that ends with a dot or a dash is a prefix.
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
    """Whether a name matches a list of names and prefixes."""
    return any(name.startswith(one) if one[-1] in ".-" else name == one for one in listed)


_SECRET = re.compile(
    r"secret|passw|token|credential|(access|private|account|api)[._-]?key|\bsas\b", re.IGNORECASE
)
_IN_ADDRESS = re.compile(
    r"://[^/@\s]*:[^/@\s]*@|[?&](sig|signature|X-Amz-\w+|token)=", re.IGNORECASE
)


_PASSWORD = re.compile(r"(?<=://)[^/@:\s'\"]*:[^/@\s'\"]*@")
_SIGNATURE = re.compile(
    r"([?&;][\w.-]*(?:secret|passw|token|credential|sig|key|X-Amz-)[\w.-]*=)[^&;\s'\"]+",
    re.IGNORECASE,
)


def redact_credentials(text: str) -> str:
    """Remove passwords and signatures from the addresses in a text, such as a query."""
    return _SIGNATURE.sub(r"\1…", _PASSWORD.sub("", text)) if "://" in text else text


def parse_number(held: Any) -> int | None:
    """Parse a count, which may be a number or a text."""
    if isinstance(held, str) and held.isascii() and held.isdigit() and len(held) < len(str(_MOST)):
        held = int(held)
    is_one = isinstance(held, int) and not isinstance(held, bool) and 0 <= held < _MOST
    return held if is_one else None


_MOST = 2**53


def list_texts(held: object) -> list[str]:
    """Return the non-empty texts of a list; empty if it is not a list."""
    if not isinstance(held, list):
        return []
    return [one for one in held if isinstance(one, str) and one]


@contextmanager
def open_log_file(reader: Reader, path: str) -> Iterator[RangedFile]:
    """Open a log file; errors get its name as prefix."""
    try:
        with reader.opened(path) as file:
            yield file
    except BadFileError as exc:
        name = path.rpartition("/")[2]
        raise BadFileError(exc.reason, f"{name}: {exc.detail}") from exc
