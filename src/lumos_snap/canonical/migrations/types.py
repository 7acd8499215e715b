"""Type names of older documents as portable types.

What is not known is UNKNOWN and keeps its name; so does what is known by another name.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from lumos_snap.canonical.migrations.result import Document

MAX_LEVELS = 64
LONGEST = 10_000

_PLAIN: Mapping[str, str] = {
    "boolean": "BOOLEAN", "bool": "BOOLEAN",
    "tinyint": "INT8", "byte": "INT8", "int8": "INT8",
    "smallint": "INT16", "short": "INT16", "int16": "INT16", "int2": "INT16",
    "int": "INT32", "integer": "INT32", "int32": "INT32", "int4": "INT32", "mediumint": "INT32",
    "bigint": "INT64", "long": "INT64", "int64": "INT64",
    "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
    "float16": "FLOAT16", "half": "FLOAT16",
    "float": "FLOAT32", "float32": "FLOAT32", "float4": "FLOAT32", "real": "FLOAT32",
    "double": "FLOAT64", "float64": "FLOAT64", "float8": "FLOAT64", "double precision": "FLOAT64",
    "string": "STRING", "text": "STRING", "str": "STRING", "varchar": "STRING", "char": "STRING",
    "nvarchar": "STRING", "character varying": "STRING", "utf8": "STRING", "clob": "STRING",
    "binary": "BINARY", "bytes": "BINARY", "bytea": "BINARY", "varbinary": "BINARY",
    "blob": "BINARY",
    "decimal": "DECIMAL", "numeric": "DECIMAL",
    "date": "DATE", "time": "TIME", "interval": "INTERVAL", "uuid": "UUID", "enum": "ENUM",
    "json": "JSON", "jsonb": "JSON", "variant": "VARIANT", "null": "NULL", "void": "NULL",
    "struct": "STRUCT", "record": "STRUCT",
    "timestamp": "TIMESTAMP", "datetime": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP", "timestamp without time zone": "TIMESTAMP",
}  # fmt: skip
_ZONED = frozenset({"timestamptz", "timestamp_tz", "timestamp_ltz", "timestamp with time zone"})
_UNITS = {"0": "s", "3": "ms", "6": "us", "9": "ns"}

# The same word, another meaning.
_DIALECTS: Mapping[str, Mapping[str, str]] = {
    "postgres": {"int8": "INT64", "float": "FLOAT64"},
    "redshift": {"int8": "INT64", "float": "FLOAT64"},
    "cockroachdb": {"int8": "INT64", "int": "INT64", "integer": "INT64", "float": "FLOAT64"},
    "snowflake": {
        "float": "FLOAT64",
        "float4": "FLOAT64",
        "real": "FLOAT64",
        "number": "DECIMAL",
    },
    "oracle": {"number": "DECIMAL"},
    "bigquery": {"int": "INT64", "integer": "INT64", "float": "FLOAT64"},
    "mssql": {"float": "FLOAT64", "tinyint": "UINT8"},
}

_SCALAR = re.compile(r"([A-Za-z][A-Za-z0-9_ ]*?) ?(?:\(([0-9, -]{1,20})\))?((?: [A-Za-z]+)*)")
_NESTED = re.compile(r"(array|list|map|struct|record|row) ?<(.*)>", re.IGNORECASE)
_MEMBER = re.compile(r"(?:`((?:[^`]|``)+)`|([^\s:`]+)) ?[: ] ?(.+)")
_ARGUMENTS = re.compile(r" ?\([^)]*\)")
_NOT_NULL = re.compile(r" not null$", re.IGNORECASE)


def portable(written: str, *, platform: str, level: int = 1) -> Document:
    """The portable type that a written one stands for."""
    text = " ".join(written.split())
    if len(text) > LONGEST or level > MAX_LEVELS:
        return unknown(written)
    found = _nested(text, platform, level) or _scalar(text, platform)
    if found is None:
        return unknown(written)
    return found if _says_all(found, text) else {**found, "native": written}


def unknown(written: str) -> Document:
    """A type that only its source knows."""
    return {"type": "UNKNOWN", "native": written}


def _says_all(found: Document, text: str) -> bool:
    name = _ARGUMENTS.sub("", text.partition("<")[0])
    return bool(name.strip().upper() == found["type"])


def _scalar(text: str, platform: str) -> Document | None:
    match = _SCALAR.fullmatch(text)
    if match is None:
        return None
    name = (match[1] + match[3]).lower()
    numbers = [number.strip() for number in (match[2] or "").split(",") if number.strip()]
    if numbers:
        return _with_numbers(name, numbers)
    if name in _ZONED:
        return {"type": "TIMESTAMP", "timezone": "UTC"}
    kind = _DIALECTS.get(platform, {}).get(name) or _PLAIN.get(name)
    return {"type": kind} if kind else None


def _with_numbers(name: str, numbers: list[str]) -> Document | None:
    read = _PARAMETRISED.get(name)
    return read(name, numbers) if read else None


def _decimal(name: str, numbers: list[str]) -> Document | None:
    del name
    precision, scale = _integer(numbers[0]), _integer((*numbers, "0")[1])
    if precision is None or scale is None or len(numbers) > 2:  # noqa: PLR2004 - precision and scale
        return None
    fits = 1 <= precision <= 1000 and -1000 <= scale <= 1000  # noqa: PLR2004 - as the format says
    return {"type": "DECIMAL", "precision": precision, "scale": scale} if fits else None


def _sized(kind: str) -> Callable[[str, list[str]], Document | None]:
    def read(name: str, numbers: list[str]) -> Document | None:
        del name
        length = _integer(numbers[0])
        fits = len(numbers) == 1 and length is not None and length >= 0
        return {"type": kind, "length": length} if fits else None

    return read


def _clock(name: str, numbers: list[str]) -> Document | None:
    unit = _UNITS.get(numbers[0]) if len(numbers) == 1 else None
    if unit is None:
        return None
    zone = {"timezone": "UTC"} if name in _ZONED else {}
    return {"type": "TIME" if name == "time" else "TIMESTAMP", "unit": unit, **zone}


_PARAMETRISED: Mapping[str, Callable[[str, list[str]], Document | None]] = {
    **dict.fromkeys(("decimal", "numeric", "number", "dec"), _decimal),
    **dict.fromkeys(("varchar", "nvarchar", "character varying"), _sized("VARCHAR")),
    **dict.fromkeys(("char", "nchar", "character"), _sized("CHAR")),
    "fixed": _sized("FIXED"),
    **dict.fromkeys(("binary", "varbinary", "raw"), _sized("BINARY")),
    **dict.fromkeys(("time", "timestamp", "timestamp_ntz", *_ZONED), _clock),
    **dict.fromkeys(("timestamp without time zone", "datetime"), _clock),
}


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def _nested(text: str, platform: str, level: int) -> Document | None:
    """`array<…>`, `map<…>` and `struct<…>`, and arrays as Postgres writes them."""
    if text.endswith("[]"):
        return _array([text[:-2]], platform, level)
    match = _NESTED.fullmatch(text)
    if match is None:
        return None
    parts = list(_parts(match[2]))
    name = match[1].lower()
    if name == "map":
        return _map(parts, platform, level)
    return (_array if name in ("array", "list") else _struct)(parts, platform, level)


def _array(parts: list[str], platform: str, level: int) -> Document | None:
    if len(parts) != 1 or level >= MAX_LEVELS:
        return None
    return {"type": "ARRAY", "element": _held(parts[0], platform, level + 1)}


def _map(parts: list[str], platform: str, level: int) -> Document | None:
    if len(parts) != 2 or level >= MAX_LEVELS:  # noqa: PLR2004 - a key and a value
        return None
    key = portable(parts[0], platform=platform, level=level + 1)
    return {"type": "MAP", "key": key, "value": _held(parts[1], platform, level + 1)}


def _held(text: str, platform: str, level: int) -> Document:
    """A type inside another. Where nothing is said, it may be null."""
    bare = _NOT_NULL.sub("", text)
    return {**portable(bare, platform=platform, level=level), "nullable": bare == text}


def _struct(parts: list[str], platform: str, level: int) -> Document | None:
    members = [_MEMBER.fullmatch(part) for part in parts]
    if not parts or level >= MAX_LEVELS:
        return None
    fields = [
        {"name": (m[1] or "").replace("``", "`") or m[2], **_held(m[3], platform, level + 1)}
        for m in members
        if m is not None
    ]
    return {"type": "STRUCT", "fields": fields} if len(fields) == len(parts) else None


def _parts(text: str) -> Iterator[str]:
    """What stands between commas, those inside brackets left alone."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text:
        yield text[start:].strip()
