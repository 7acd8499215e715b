"""Upgrade columns, and convert type names of older documents to portable types.

An unknown type becomes UNKNOWN and keeps its name; so does a known type with another name.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import LiteralString

from lumos_snap.canonical.migrations.result import AddNote, Document
from lumos_snap.canonical.migrations.values import (
    Leftover,
    drop_empty,
    flag,
    natural,
    string,
    text,
    words,
)

MAX_LEVELS = 64
LONGEST = 10_000

_PLAIN_TYPES: Mapping[str, str] = {
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

# Type names with another meaning on some platforms.
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


def to_portable_type(written: str, *, platform: str, level: int = 1) -> Document:
    """Convert a type name to a portable type."""
    text = " ".join(written.split())
    if len(text) > LONGEST or level > MAX_LEVELS:
        return unknown(written)
    found = _read_nested(text, platform, level) or _scalar(text, platform)
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
    kind = _DIALECTS.get(platform, {}).get(name) or _PLAIN_TYPES.get(name)
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


def _length_reader(kind: str) -> Callable[[str, list[str]], Document | None]:
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
    **dict.fromkeys(("varchar", "nvarchar", "character varying"), _length_reader("VARCHAR")),
    **dict.fromkeys(("char", "nchar", "character"), _length_reader("CHAR")),
    "fixed": _length_reader("FIXED"),
    **dict.fromkeys(("binary", "varbinary", "raw"), _length_reader("BINARY")),
    **dict.fromkeys(("time", "timestamp", "timestamp_ntz", *_ZONED), _clock),
    **dict.fromkeys(("timestamp without time zone", "datetime"), _clock),
}


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def _read_nested(text: str, platform: str, level: int) -> Document | None:
    """Parse `array<…>`, `map<…>` and `struct<…>`, and arrays in Postgres notation."""
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
    return {"type": "ARRAY", "element": _read_inner(parts[0], platform, level + 1)}


def _map(parts: list[str], platform: str, level: int) -> Document | None:
    if len(parts) != 2 or level >= MAX_LEVELS:  # noqa: PLR2004 - a key and a value
        return None
    key = to_portable_type(parts[0], platform=platform, level=level + 1)
    return {"type": "MAP", "key": key, "value": _read_inner(parts[1], platform, level + 1)}


def _read_inner(text: str, platform: str, level: int) -> Document:
    """A nested type; nullable unless stated otherwise."""
    bare = _NOT_NULL.sub("", text)
    return {**to_portable_type(bare, platform=platform, level=level), "nullable": bare == text}


def _struct(parts: list[str], platform: str, level: int) -> Document | None:
    members = [_MEMBER.fullmatch(part) for part in parts]
    if not parts or level >= MAX_LEVELS:
        return None
    fields = [
        {"name": (m[1] or "").replace("``", "`") or m[2], **_read_inner(m[3], platform, level + 1)}
        for m in members
        if m is not None
    ]
    return {"type": "STRUCT", "fields": fields} if len(fields) == len(parts) else None


def _parts(text: str) -> Iterator[str]:
    """Split at commas, except for those inside brackets."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text:
        yield text[start:].strip()


NULLABLE = "nullability is not said: taken as nullable"
UNTYPED = "no type is said: recorded as unknown"
INSIDE = "nullability inside the type is not said: taken as nullable"

_BESIDE = {
    **dict.fromkeys(("decimal", "numeric"), ("precision", "scale")),
    **dict.fromkeys(("char", "varchar", "fixed"), ("length",)),
}
_PLAIN_NAME = re.compile(r"[^\s.`\[\]{}<>#\"'\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class ColumnUpgrade:
    """Columns while they are upgraded; their descriptions and governance are collected."""

    platform: str
    say: AddNote
    documentation: list[Document] = field(default_factory=list)
    governance: list[Document] = field(default_factory=list)

    def read(self, items: tuple[Leftover, ...], at: str = "", level: int = 1) -> list[Document]:
        """The fields of some items; unreadable items are left over."""
        seen: Counter[str] = Counter()
        found: list[Document] = []
        for item in items:
            name = item.take("name", as_=string)
            if name is None:
                continue
            seen[name] += 1
            item.label = _part(name, seen[name])
            path = f"{at}.{item.label}" if at else item.label
            found.append({"name": name, **self._type(item, path, level)})
            self._words(item, path)
        return found

    def _type(self, item: Leftover, path: str, level: int) -> Document:
        written = item.take("type", as_=text)
        members = item.at("fields").items() if level < MAX_LEVELS else ()
        if written is not None:
            spelled = _with_parameters(item, written)
            found = {**to_portable_type(spelled, platform=self.platform, level=level)}
        else:
            found = {"type": "STRUCT"} if members else {**unknown("unknown")}
            self._assume(path, "type", UNTYPED)
        if found["type"] == "STRUCT" and not found.get("fields"):
            found["fields"] = self.read(members, path, level + 1)
        elif found["type"] in ("ARRAY", "MAP", "STRUCT"):
            self._assume(path, "type", INSIDE)
        native = found.get("native") or item.take("native_type", as_=text)
        default = item.take("default", as_=text)
        own = {"native": native, "nullable": self._nullable(item, path), "default": default}
        return drop_empty({**found, **own})

    def _nullable(self, item: Leftover, path: str) -> bool:
        said = item.take("nullable", as_=flag)
        if said is None:
            self._assume(path, "nullable", NULLABLE)
        return said is not False

    def _assume(self, path: str, key: str, message: LiteralString) -> None:
        place = f"schema.fields: {path}: {key}"
        self.say(place, place, message)

    def _words(self, item: Leftover, path: str) -> None:
        described = drop_empty({"description": item.take("description", as_=text)})
        treated = drop_empty(
            {
                "pii": item.take("pii", as_=flag),
                "classification": item.take("classification", as_=text),
                "tags": words(item.at("tags")),
                "terms": words(item.at("terms"), item.at("glossary_terms")),
            }
        )
        if described:
            self.documentation.append({"path": path, **described})
        if treated:
            self.governance.append({"path": path, **treated})


def _with_parameters(item: Leftover, written: str) -> str:
    """A type together with the parameters that are stated beside it, as one text."""
    keys = _BESIDE.get(written.lower(), ())
    numbers = [natural(item.at(key).value) for key in keys]
    if not keys or None in numbers:
        return written
    return f"{written}({','.join(str(item.take(key, as_=natural)) for key in keys)})"


def _part(name: str, number: int) -> str:
    """One step of a field path."""
    plain = name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return plain if number == 1 else f"{plain}#{number}"
