"""Commits of Hudi tables, with a decoder for those in Avro files."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables import log_files

MOST_VALUES = 5_000_000
DEEPEST = 64
_RAW_DEFLATE = -15
_SYNC = 16
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
        """Read a number."""
        return avro_probe.read_number(self.take)

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


class Commit(NamedTuple):
    """What a completed change says of itself."""

    operation: str
    extra: Mapping[str, str]
    """Extra metadata: the schema, as most writers state it."""
    files: tuple[str, ...]
    """The files that it wrote, relative to the table's folder, sorted."""


def parse_commit(held: bytes) -> Commit:
    """Parse a commit, in JSON or Avro."""
    if held.startswith(avro_probe.MAGIC):
        said = first_record(held)
    else:
        said = log_files.parse_object(held, is_cut=not held.rstrip().endswith(b"}"))
    extra = said.get("extraMetadata")
    stated = extra.items() if isinstance(extra, dict) else ()
    operation = said.get("operationType")
    return Commit(
        operation.upper() if isinstance(operation, str) else "",
        {name: one for name, one in stated if isinstance(one, str)},
        tuple(sorted(set(_files(said.get("partitionToWriteStats"))))),
    )


def _files(held: object) -> Iterator[str]:
    """Yield the files of a commit; a path that leads out of the table's folder is none of them."""
    for writes in held.values() if isinstance(held, dict) else ():
        for one in writes if isinstance(writes, list) else ():
            path = one.get("path") if isinstance(one, dict) else None
            if isinstance(path, str) and not {"", "..", "."}.intersection(path.split("/")):
                yield path
