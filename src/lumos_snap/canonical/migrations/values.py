"""Readers of single values and urns of older documents, and the values that are left over."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeVar

from lumos_snap.canonical.migrations.result import MigrationProblem, Pointer

_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_AMOUNT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_SCIENTIFIC = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?[eE][+-]?[0-9]{1,2}")
_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?")
_REFERENCE = re.compile(r"urn:li:[A-Za-z]+:(.+)", re.DOTALL)


def string(value: object) -> str | None:
    """Any text."""
    return value if isinstance(value, str) else None


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def flag(value: object) -> bool | None:
    """A boolean."""
    return value if isinstance(value, bool) else None


def natural(value: object) -> int | None:
    """A count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def amount(value: object) -> str | None:
    """A number in portable notation."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return None
    if _SCIENTIFIC.fullmatch(value):
        value = f"{Decimal(value):f}"
    return value if _AMOUNT.fullmatch(value) else None


def moment(value: object) -> str | None:
    """A timestamp."""
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def version(value: object) -> str | None:
    """A schema version: three numbers."""
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


def reference(value: object) -> str | None:
    """The id of a user, group, tag or term, either plain or as a catalog urn."""
    if not isinstance(value, str):
        return None
    match = _REFERENCE.fullmatch(value)
    return match[1] if match else text(value)


def drop_empty(document: dict[str, object]) -> dict[str, object]:
    """The document without empty values."""
    return {key: held for key, held in document.items() if held not in (None, "", [], {})}


DEEPEST = 140
"""The maximum number of levels; the deepest type takes 128 of them."""

LARGEST_INTEGER = 2**53
MOST_BITS = 10_000
_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]*@")

TOO_DEEP = "is nested too deep to be kept"
HIDDEN = "a user and a password stood in this address: they were left out"

Report = Callable[[MigrationProblem], None]


def plain(value: object, report: Report, at: Pointer = ()) -> object:
    """Convert a value to plain JSON; report what had to be left out."""
    if len(at) > DEEPEST:
        report(MigrationProblem(at, TOO_DEEP))
        return None
    if isinstance(value, dict):
        return _object(value, report, at)
    if isinstance(value, list | tuple):
        return [plain(item, report, (*at, index)) for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_INTEGER else _digits(value)
    return _text(value, report, at)


def _object(value: dict[object, object], report: Report, at: Pointer) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, held in value.items():
        name = key if isinstance(key, str) else str(key)
        clean = _whole(name)
        while clean in found:
            clean += "'"
        found[clean] = plain(held, report, (*at, name))
    return found


def _text(value: object, report: Report, at: Pointer) -> str:
    if isinstance(value, date):
        return value.isoformat()
    text = _whole(value if isinstance(value, str) else str(value))
    public = _PASSWORD.sub("://", text)
    if public != text:
        report(MigrationProblem(at, HIDDEN))
    return public


def _digits(value: int) -> str:
    """Format an integer: Python refuses to write thousands of digits in base ten."""
    return str(value) if value.bit_length() < MOST_BITS else hex(value)


def _whole(text: str) -> str:
    """A text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode()


# Convert urns of older documents to current urns.


_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNSAFE = re.compile("[\x00-\x1f\x7f%/?#\x80-\x9f\u2028\u2029\ud800-\udfff]")
_PLATFORM = re.compile(r"[a-z][a-z0-9_-]*")
_DATAHUB = re.compile(
    r"urn:li:dataset:\((?:urn:li:dataPlatform:)?([^,()]+),(.+),([A-Za-z0-9_]+)\)", re.DOTALL
)

# Platforms whose names are separated by dots: database.schema.table.
_DOTTED = frozenset(
    {
        "athena", "bigquery", "clickhouse", "cockroachdb", "databricks", "db2", "delta-lake",
        "druid", "glue", "hana", "hive", "iceberg", "mariadb", "mssql", "mysql", "oracle",
        "postgres", "presto", "redshift", "snowflake", "teradata", "trino", "unity-catalog",
        "vertica",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LegacyUrn:
    """A dataset with its current urn, and the other parts of the older one."""

    urn: str
    platform: str
    name: str
    parts: tuple[str, ...]
    environment: str | None = None
    is_exact: bool = True  # False: the older urn contains more than this one


def parse_legacy_urn(value: object) -> LegacyUrn | None:
    """Parse an older urn, if it is one of a dataset."""
    if not isinstance(value, str):
        return None
    if value.startswith("lumos://"):
        platform, *parts = value.removeprefix("lumos://").split("/")
        return _build_urn(platform, [_unescape(part) for part in parts])
    match = _DATAHUB.fullmatch(value)
    if match is None:
        return None
    platform, name, environment = match.groups()
    by = "." if platform.lower() in _DOTTED else "/"
    return _build_urn(platform, [_unescape(part) for part in name.split(by)], environment)


def _build_urn(written: str, parts: list[str], environment: str | None = None) -> LegacyUrn | None:
    platform = written.lower().replace(" ", "-")
    known = tuple(part for part in parts if part)
    if not _PLATFORM.fullmatch(platform) or not known:
        return None
    escaped = [_UNSAFE.sub(lambda match: _percent(match.group()), part) for part in known]
    name = escaped[-1] if _has_bytes(known[-1]) else known[-1]
    urn = "/".join((f"lumos://{platform}", *escaped))
    is_exact = platform == written and len(known) == len(parts)
    return LegacyUrn(urn, platform, name, known, environment, is_exact)


def _has_bytes(part: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in part)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def _unescape(part: str) -> str:
    """Unescape a part; bytes that are not UTF-8 become surrogate escapes, as in file names."""
    raw = part.encode()
    found = _ESCAPED.sub(lambda match: bytes((int(match[1], 16),)), raw)
    return found.decode("utf-8", "surrogateescape")


# Tracks which values of an older object were migrated.
#
# Values are taken one by one. Values that were not taken are kept unchanged, so that unexpected
# keys are not lost.


T = TypeVar("T")

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that was not taken: its path in the older object, and where it is kept."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    value: object

    @property
    def is_moment(self) -> bool:
        """Whether it is a timestamp, which no snapshot contains."""
        return moment(self.value) is not None


class Leftover:
    """A value of an older document with everything nested in it; each can be taken once."""

    __slots__ = ("_inner", "is_taken", "label", "value")

    def __init__(self, value: object = _ABSENT, label: str = "") -> None:
        self.value = value
        self.label = label
        self.is_taken = False
        self._inner: dict[str, Leftover] = {}
        if isinstance(value, dict):
            self._inner = {key: Leftover(held, key) for key, held in value.items()}
        elif isinstance(value, list):
            self._inner = {f"[{n}]": Leftover(held, f"[{n}]") for n, held in enumerate(value)}

    def at(self, *keys: str) -> "Leftover":
        """The value at a path of keys; nothing can be taken from a missing one."""
        node = self
        for key in keys:
            node = node._inner.get(key, _NOTHING)
        return node

    def take(self, *keys: str, as_: Callable[[object], T | None]) -> T | None:
        """Take the value at a path of keys, if it can be converted; otherwise leave it."""
        node = self.at(*keys)
        if node.value is _ABSENT or node.is_taken:
            return None
        found = as_(node.value)
        node.is_taken = found is not None
        return found

    @property
    def is_object(self) -> bool:
        """Whether it is a JSON object."""
        return isinstance(self.value, dict)

    @property
    def is_present(self) -> bool:
        """Whether the value exists."""
        return self.value is not _ABSENT

    def items(self) -> "tuple[Leftover, ...]":
        """The items of a list."""
        return tuple(self._inner.values()) if isinstance(self.value, list) else ()

    def entries(self) -> "tuple[tuple[str, Leftover], ...]":
        """The keys and values of an object."""
        return tuple(self._inner.items()) if self.is_object else ()

    def kept(self) -> Iterator[KeptValue]:
        """All values that were not taken, in the largest complete pieces."""
        for key, node in self._inner.items():
            yield from node._kept_at((key,), (node.label,))  # noqa: SLF001 - another one of this class

    def _kept_at(self, source: tuple[str, ...], target: tuple[str, ...]) -> Iterator[KeptValue]:
        if self.is_taken or self.value in ({}, []):
            return
        if self._is_whole():
            yield KeptValue(source, target, self.value)
            return
        for key, node in self._inner.items():
            yield from node._kept_at((*source, key), (*target, node.label))  # noqa: SLF001 - likewise

    def _is_whole(self) -> bool:
        """Whether it can be kept in one piece. Timestamps are kept separately."""
        if self.is_taken or not self._inner:
            return not self.is_taken
        inner = self._inner.values()
        return all(node._is_whole() and moment(node.value) is None for node in inner)  # noqa: SLF001 - likewise


_NOTHING = Leftover()


def format_path(path: tuple[str, ...]) -> str:
    """Format a path through objects and lists for display."""
    text = ""
    for step in path:
        if step.startswith("["):
            text += step
        elif step.replace("_", "").replace("-", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[`{step}`]"
    return text


def nest_values(pieces: Iterator[tuple[tuple[str, ...], object]]) -> dict[str, object]:
    """Combine the pieces into one object."""
    root: dict[str, object] = {}
    for path, value in pieces:
        node = root
        for step in path[:-1]:
            inner = node.setdefault(step, {})
            assert isinstance(inner, dict)  # noqa: S101 - pieces of one tree never lie in each other
            node = inner
        node[path[-1]] = value
    return root


def words(*lists: Leftover) -> list[str]:
    """The references in some lists, unique and sorted; invalid items are left over."""
    found = {item.take(as_=reference) for node in lists for item in node.items()}
    return sorted(word for word in found if word is not None)
