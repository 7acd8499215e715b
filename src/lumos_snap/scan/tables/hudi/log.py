"""The probe of Hudi tables: reads the properties, and the schema of the newest write."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.hudi import data_file
from lumos_snap.scan.tables.hudi.commit import parse_commit

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


def probe(reader: Reader, root: str, parts: Sequence[str]) -> ProbeResult:
    """Read the properties and the schema of the newest completed write."""
    properties = _read_properties(
        reader, [one for one in parts if one.endswith(log_files.PROPERTIES)]
    )
    instants = [one for one in parts if log_files.parse_hudi_name(one.rpartition("/")[2])]
    last = log_files.parse_hudi_name(instants[0].rpartition("/")[2]) if instants else None
    evidence = {
        **_read_schema(reader, root, properties, instants),
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


def _read_schema(
    reader: Reader, root: str, properties: Mapping[str, str], instants: Sequence[str]
) -> JsonObject:
    """Read the schema where Hudi looks for it: in a write, in the properties, in a data file."""
    found = _search_instants(reader, instants)
    schema = found.schema or properties.get(_CREATED)
    if schema:
        return {"schema": _parse_schema(schema)}
    if not found.files:
        what = "no write states a schema or a file" if instants else "no write was completed"
        detail = f"{log_files.PROPERTIES[0]}: {what}, and it has no {_CREATED}"
        raise BadFileError(error_codes.EMPTY, detail)
    written = data_file.probe(reader, root, found.files, found.instant)
    return {"schema": None, "file": {"format": written.format, "schema": written.schema}}


class _WrittenSchema(NamedTuple):
    """The schema that the writes state; and the files of the newest one that wrote any."""

    schema: str | None
    instant: str = ""
    files: tuple[str, ...] = ()


def _search_instants(reader: Reader, instants: Sequence[str]) -> _WrittenSchema:
    """Search for the schema of the last write; that of a rearrangement if there is no other."""
    found = _WrittenSchema(None)
    for path in instants:
        with log_files.open_log_file(reader, path) as file:
            commit = parse_commit(log_files.read_whole(file))
        if commit.files and not found.files:
            found = found._replace(instant=path.rpartition("/")[2], files=commit.files)
        schema = commit.extra.get(_SCHEMA)
        if not schema:
            continue
        if commit.operation not in _KEEPS_SCHEMA:
            return _WrittenSchema(schema)
        found = found._replace(schema=found.schema or schema)
    return found


def _parse_schema(schema: str) -> object:
    """Parse an Avro record schema, with the checks of Avro files."""
    held = log_files.parse_object(schema)
    log_files.check_depth(held)
    avro_probe.check_schema(held)
    return held
