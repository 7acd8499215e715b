"""The probe of Hudi tables, with a decoder for commits in Avro files."""

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files

# The log files of a Hudi table: its properties, and the newest completed changes.


MOST = 20
"""Number of changes to keep: compactions and clusterings have no newer schema."""


@dataclass(slots=True)
class HudiLog:
    """The files of a timeline to keep."""

    _properties: dict[str, FileEntry] = field(default_factory=dict)
    _newest: list[tuple[log_files.Instant, FileEntry]] = field(default_factory=list)
    """By completion time, the newest first."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; plans and pending changes are ignored."""
        split = log_files.split_path(entry.path, log_files.HUDI)
        if split is None:
            return
        name = split[1].removeprefix(f"{log_files.TIMELINE}/")
        if split[1] in log_files.PROPERTIES:
            self._properties[name] = entry
        elif instant := log_files.parse_hudi_name(name):
            self._newest = sorted([*self._newest, (instant, entry)], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the properties, then the newest changes, the newest first."""
        properties = (self._properties[name] for name in sorted(self._properties))
        return (*properties, *(entry for _, entry in self._newest))


MOST_VALUES = 5_000_000
DEEPEST = 64
_RAW_DEFLATE = -15
_SYNC = 16
_LONGEST_NUMBER = 10
_FLOATS = {"float": ("<f", 4), "double": ("<d", 8)}


def first_record(held: bytes) -> JsonObject:
    """Decode the first record of an Avro file; raise an error if there is none."""
    header = _Bytes(held)
    header.take(len(avro_probe.MAGIC))
    said = header.map(lambda: header.take(header.number()))
    header.take(_SYNC)
    count, size = header.number(), header.number()
    block = header.take(size)
    if count < 1:
        raise BadFileError(error_codes.EMPTY, "it holds no record")
    codec = said.get("avro.codec", b"null")
    if codec == b"deflate":
        block = log_files.inflate(block, _RAW_DEFLATE)
    elif codec != b"null":
        raise BadFileError(error_codes.DAMAGED, "its codec is not known")
    schema = log_files.parse_object(said.get("avro.schema", b""))
    log_files.check_depth(schema)
    avro_probe.check_schema(schema)
    record = _Decoder(block, schema).value(schema, 0)
    if not isinstance(record, dict):
        raise BadFileError(error_codes.DAMAGED, "it holds no record")
    return record


class _Bytes:
    """Bytes with a read position."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, length: int) -> bytes:
        """Read bytes."""
        if length < 0 or length > len(self.data) - self.at:
            raise BadFileError(error_codes.TRUNCATED, "it ends inside its record")
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self) -> int:
        """Read a number: seven bits per byte, zigzag encoded."""
        raw = 0
        for index in range(_LONGEST_NUMBER):
            byte = self.take(1)[0]
            raw |= (byte & 0x7F) << 7 * index
            if not byte & 0x80:
                return (raw >> 1) ^ -(raw & 1)
        raise BadFileError(error_codes.DAMAGED, "it has a number that does not end")

    def string(self) -> str:
        """Read a text."""
        return self.take(self.number()).decode("utf-8", "replace")

    def map(self, value: Callable[[], Any]) -> JsonObject:
        """Read a map; `value` reads each value."""
        found = {}
        for _ in self.items():
            name = self.string()
            found[name] = value()
        return found

    def items(self) -> Iterator[int]:
        """Iterate over the items of the next array or map."""
        while count := self.number():
            if count < 0:
                self.number()  # number of bytes in the block, for readers that skip it
            if abs(count) > MOST_VALUES:
                raise BadFileError(error_codes.TOO_LARGE, f"it has over {MOST_VALUES} values")
            yield from range(abs(count))


class _Decoder(_Bytes):
    """Decodes a record, value by value."""

    def __init__(self, data: bytes, schema: Any) -> None:
        super().__init__(data)
        self.named: dict[str, Any] = {}
        self.left = MOST_VALUES

    def value(self, schema: Any, level: int) -> Any:
        """Decode the next value of a type."""
        self.left -= 1
        if self.left < 0 or level > DEEPEST:
            raise BadFileError(error_codes.TOO_LARGE, f"it has over {MOST_VALUES} values")
        if isinstance(schema, list):
            return self.value(schema[self.number()], level + 1)
        kind = schema if isinstance(schema, str) else schema["type"]
        if not isinstance(kind, str):
            return self.value(kind, level + 1)
        if isinstance(schema, str) and kind not in _SCALARS:
            return self.value(self._called(kind), level + 1)
        return self._scalar(kind) if kind in _SCALARS else self._complex(kind, schema, level + 1)

    def _called(self, name: str) -> object:
        found = self.named.get(name.rpartition(".")[2])
        if found is None:
            raise BadFileError(error_codes.DAMAGED, "its schema refers to nothing")
        return found

    def _scalar(self, kind: str) -> Any:
        if kind in _FLOATS:
            form, size = _FLOATS[kind]
            return struct.unpack(form, self.take(size))[0]
        if kind in {"string", "bytes"}:
            held = self.take(self.number())
            return held.decode("utf-8", "replace") if kind == "string" else held
        if kind == "boolean":
            return self.take(1) != b"\0"
        return None if kind == "null" else self.number()

    def _complex(self, kind: str, schema: JsonObject, level: int) -> object:
        if kind in {"record", "error", "enum", "fixed"}:
            self.named[schema["name"].rpartition(".")[2]] = schema
        if kind in {"record", "error"}:
            fields: Sequence[Mapping[str, Any]] = schema["fields"]
            return {one["name"]: self.value(one["type"], level) for one in fields}
        if kind == "array":
            return [self.value(schema["items"], level) for _ in self.items()]
        if kind == "map":
            return self.map(lambda: self.value(schema["values"], level))
        if kind == "enum":
            return schema["symbols"][self.number()]
        if kind == "fixed":
            return self.take(schema["size"])
        raise BadFileError(error_codes.DAMAGED, "its schema has a type that is none")


_SCALARS = frozenset(
    ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
)  # fmt: skip


def parse_commit(held: bytes) -> tuple[str, Mapping[str, str]]:
    """Parse a commit: the operation and the extra metadata."""
    if held.startswith(avro_probe.MAGIC):
        said = first_record(held)
    else:
        said = log_files.parse_object(held, is_cut=not held.rstrip().endswith(b"}"))
    extra = said.get("extraMetadata")
    stated = extra.items() if isinstance(extra, dict) else ()
    operation = _text(said.get("operationType"))
    return operation.upper(), {name: one for name, one in stated if isinstance(one, str)}


def _text(held: object) -> str:
    return held if isinstance(held, str) else ""


_ALLOWED = (
    "hoodie.table.name", "hoodie.table.type", "hoodie.table.version",
    "hoodie.table.recordkey.fields", "hoodie.table.precombine.field",
    "hoodie.table.ordering.fields", "hoodie.table.partition.fields",
    "hoodie.table.base.file.format", "hoodie.table.log.file.format",
    "hoodie.table.keygenerator.", "hoodie.table.cdc.enabled",
    "hoodie.table.cdc.supplemental.logging.mode", "hoodie.table.multiple.base.file.formats.enable",
    "hoodie.populate.meta.fields", "hoodie.record.merge.mode",
    "hoodie.record.merge.strategy.id", "hoodie.compaction.payload.class",
    "hoodie.allow.operation.metadata.field", "hoodie.datasource.write.hive_style_partitioning",
    "hoodie.datasource.write.partitionpath.urlencode",
    "hoodie.datasource.write.drop.partition.columns", "hoodie.bootstrap.",
)  # fmt: skip
_NOT = ("hoodie.bootstrap.base.path",)
_CREATED = "hoodie.table.create.schema"
_SCHEMA = "schema"
_KEEPS_SCHEMA = frozenset(("CLUSTER", "COMPACT", "INDEX", "LOG_COMPACT", "LOGCOMPACT"))
"""Operations that rearrange data: their schema may be an older one."""

_ENTRY = re.compile(r"\s*((?:\\.|[^\\=:\s])+)[ \t\f]*[=:\s][ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def probe(reader: Reader, _root: str, parts: Sequence[str]) -> ProbeResult:
    """Read the properties and the schema of the newest completed write."""
    properties = _read_properties(
        reader, [one for one in parts if one.endswith(log_files.PROPERTIES)]
    )
    instants = [one for one in parts if log_files.parse_hudi_name(one.rpartition("/")[2])]
    schema = _find_schema(reader, instants) or _creation_schema(properties)
    last = log_files.parse_hudi_name(instants[0].rpartition("/")[2]) if instants else None
    evidence = {
        "schema": _parse_schema(schema),
        "properties": log_files.redact_table_properties(properties, _ALLOWED, _NOT),
        "instant": last.began if last else None,
    }
    version = properties.get("hoodie.table.version", "")
    said = f"hudi {version}" if version.isascii() and version.isdigit() else "hudi"
    return ProbeResult("hudi", encode_evidence(evidence), None, said)


def _read_properties(reader: Reader, paths: Sequence[str]) -> dict[str, str]:
    """Read the first valid file: Hudi keeps a backup while it replaces the properties."""
    first: BadFileError | None = None
    for path in paths:
        try:
            with log_files.open_log_file(reader, path) as file:
                return parse_properties(log_files.read_whole(file).decode("utf-8", "replace"))
        except BadFileError as exc:
            if not log_files.is_damage(exc):
                raise
            first = first or exc
    raise first or BadFileError(error_codes.DAMAGED, f"{log_files.PROPERTIES[0]}: is missing")


def parse_properties(held: str) -> dict[str, str]:
    """Parse a Java properties file."""
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", held)
    found = {}
    for line in joined.splitlines():
        if not line.lstrip().startswith(("#", "!")) and (entry := _ENTRY.match(line)):
            found[_unescape(entry[1])] = _unescape(entry[2])
    return found


def _unescape(held: str) -> str:
    def plain(found: "re.Match[str]") -> str:
        sign = found[1]
        if len(sign) > 1:
            return chr(int(sign[1:], 16))
        return _ESCAPES.get(sign, sign)

    joined = _ESCAPE.sub(plain, held)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _find_schema(reader: Reader, instants: Sequence[str]) -> str | None:
    """Find the schema of the last write; that of a rearrangement only if there is no other."""
    rearranged: str | None = None
    for path in instants:
        with log_files.open_log_file(reader, path) as file:
            operation, extra = parse_commit(log_files.read_whole(file))
        schema = extra.get(_SCHEMA)
        if not schema:
            continue
        if operation not in _KEEPS_SCHEMA:
            return schema
        rearranged = rearranged or schema
    return rearranged


def _creation_schema(properties: Mapping[str, str]) -> str:
    """Return the schema that a table was created with: nothing has been written yet."""
    schema = properties.get(_CREATED)
    if not schema:
        detail = f"{log_files.PROPERTIES[0]}: no write was completed, and it has no {_CREATED}"
        raise BadFileError(error_codes.EMPTY, detail)
    return schema


def _parse_schema(schema: str) -> object:
    """Parse an Avro record schema, with the checks of Avro files."""
    held = log_files.parse_object(schema)
    log_files.check_depth(held)
    avro_probe.check_schema(held)
    return held
