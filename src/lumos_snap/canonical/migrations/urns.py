"""Convert urns of older documents to current urns."""

import re
from dataclasses import dataclass

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
