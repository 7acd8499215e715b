"""The probe of Delta tables: reads the log and summarizes the newest version."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.delta.checkpoint import Checkpoint
from lumos_snap.scan.tables.delta.replay import Replay

# The log files of a Delta table: the newest complete checkpoint, and the commits since.


_NONE = -1


@dataclass(slots=True)
class DeltaLog:
    """The log files to keep: none that a checkpoint makes obsolete."""

    _commits: dict[int, FileEntry] = field(default_factory=dict)
    _checkpoints: dict[tuple[int, str, int], dict[int, FileEntry]] = field(default_factory=dict)
    """By version, label and number of parts: the existing parts."""
    _newest: int = _NONE
    """The version of the newest complete checkpoint."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; files that only help to find the others are ignored."""
        split = log_files.split_path(entry.path, log_files.DELTA)
        found = log_files.parse_delta_name(split[1]) if split else None
        if found is None or found.version < self._newest:
            return
        if found.is_commit:
            if found.version > self._newest:
                self._commits[found.version] = entry
            return
        key = (found.version, found.label, found.parts)
        parts = self._checkpoints.setdefault(key, {})
        parts[found.part] = entry
        if len(parts) == found.parts and found.version > self._newest:
            self._forget_before(found.version)

    def _forget_before(self, version: int) -> None:
        self._newest = version
        self._commits = {v: one for v, one in self._commits.items() if v > version}
        self._checkpoints = {k: one for k, one in self._checkpoints.items() if k[0] >= version}

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the parts of one checkpoint, if there is one, and the later commits.

        An incomplete checkpoint is used only if there is nothing else.
        """
        whole = [key for key, parts in self._checkpoints.items() if len(parts) == key[2]]
        commits = [self._commits[version] for version in sorted(self._commits)]
        if not whole and not commits:
            whole = list(self._checkpoints)
        chosen = [one for one in whole if one[0] == self._newest] or whole
        parts = self._checkpoints[min(chosen)] if chosen else {}
        return (*(parts[number] for number in sorted(parts)), *commits)


_ALLOWED = ("delta.",)
_CLOCKS = (
    "delta.columnMapping.maxColumnId",
    "delta.inCommitTimestampEnablementVersion",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.lastCommitTimestamp",
    "delta.lastUpdateVersion",
    "delta.rowTracking.materializedRowIdColumnName",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
)
"""Properties that change without effect on readers, or are random."""
_HIGH_WATER = "delta.identity.highWaterMark"
"""A data value."""


def parse_metadata(held: JsonObject) -> JsonObject:
    """Parse the `metaData` action: columns, partition columns, properties, description."""
    said = held.get("schemaString")
    if not isinstance(said, str):
        raise _damage_error("metaData has no schema")
    stored = held.get("format")
    return {
        "id": _text(held.get("id")),
        "name": _text(held.get("name")),
        "description": _text(held.get("description")),
        "provider": _text(stored.get("provider")) if isinstance(stored, dict) else None,
        "schema": _type(log_files.parse_object(said), 0),
        "partitioning": log_files.list_texts(held.get("partitionColumns")),
        "properties": log_files.redact_table_properties(
            held.get("configuration"), _ALLOWED, _CLOCKS
        ),
    }


def parse_protocol(held: JsonObject) -> JsonObject:
    """Parse the `protocol` action."""
    reader, writer = (
        log_files.parse_number(held.get(f"min{who}Version")) for who in ("Reader", "Writer")
    )
    if reader is None or writer is None:
        raise _damage_error("protocol has no versions")
    features = {who: sorted(set(log_files.list_texts(held.get(f"{who}Features")))) for who in _WHO}
    return {"reader": reader, "writer": writer, "features": features}


_WHO = ("reader", "writer")


def _text(held: object) -> str | None:
    return held if isinstance(held, str) and held else None


def _type(held: Any, level: int) -> Any:
    """Copy a type with its known attributes only."""
    if level > log_files.DEEPEST:
        raise BadFileError(error_codes.TOO_LARGE, f"the schema nests over {log_files.DEEPEST} deep")
    if isinstance(held, str) and held:
        return held
    if not isinstance(held, dict) or not _text(held.get("type")):
        raise _damage_error("the schema has a type that is none")
    kind = held["type"]
    if kind == "struct":
        return {"type": kind, "fields": [_field(one, level) for one in _list(held.get("fields"))]}
    inside = {name: _type(held.get(name), level + 1) for name in _HOLDS.get(kind, ())}
    flags = {name: held.get(name) is not False for name in _FLAGS.get(kind, ())}
    if kind == "udt":
        name = _text(held.get("class")) or _text(held.get("pyClass")) or kind
        return {"type": kind, "class": name, "sqlType": _type(held.get("sqlType"), level + 1)}
    return {"type": kind, **inside, **flags}


_HOLDS = {"array": ("elementType",), "map": ("keyType", "valueType")}
_FLAGS = {"array": ("containsNull",), "map": ("valueContainsNull",)}


def _field(held: object, level: int) -> JsonObject:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise _damage_error("the schema has a column without a name")
    said = held.get("metadata")
    known = said if isinstance(said, dict) else {}
    return {
        "name": held["name"],
        "type": _type(held.get("type"), level + 1),
        "nullable": held.get("nullable") is not False,
        "metadata": {name: known[name] for name in sorted(known) if name != _HIGH_WATER},
    }


def _list(held: Any) -> list[Any]:
    if not isinstance(held, list):
        raise _damage_error("the schema has a struct without columns")
    return held


def _damage_error(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, f"_delta_log: {detail}")


Part = tuple[log_files.DeltaFile, str]


def probe(reader: Reader, root: str, parts: Sequence[str]) -> ProbeResult:
    """Read the newest version of the table from its log."""
    found = [(log_files.parse_delta_name(path.rpartition("/")[2]), path) for path in parts]
    known = sorted((file, path) for file, path in found if file is not None)
    checkpoint = [one for one in known if not one[0].is_commit]
    commits = [one for one in known if one[0].is_commit]
    version = _newest_version(checkpoint, commits)
    replay = Replay()
    for _, path in commits:
        with log_files.open_log_file(reader, path) as file:
            for line, is_cut in log_files.read_lines(file):
                replay.take(log_files.parse_object(line, is_cut=is_cut))
    folder = f"{root}/{log_files.DELTA}" if root else log_files.DELTA
    Checkpoint(reader, folder, replay).read([path for _, path in checkpoint])
    return _summarize(replay, version)


def _newest_version(checkpoint: Sequence[Part], commits: Sequence[Part]) -> int:
    """Return the version that the log reaches; raise an error for a missing part or commit."""
    lacking = {part for file, _ in checkpoint for part in range(1, file.parts + 1)}
    lacking -= {file.part for file, _ in checkpoint}
    if lacking:
        name = checkpoint[0][1].rpartition("/")[2]
        raise BadFileError(error_codes.DAMAGED, f"{name}: part {min(lacking)} of it is missing")
    reached = checkpoint[0][0].version if checkpoint else -1
    for file, _ in commits:
        if file.version != reached + 1:
            name = f"{reached + 1:020}.json"
            raise BadFileError(error_codes.DAMAGED, f"{name}: is missing in {log_files.DELTA}")
        reached = file.version
    return reached


def _summarize(replay: Replay, version: int) -> ProbeResult:
    if replay.metadata is None or replay.protocol is None:
        lacks = "metaData" if replay.metadata is None else "protocol"
        raise BadFileError(error_codes.DAMAGED, f"{log_files.DELTA} says no {lacks}")
    counted = replay.counted()
    needs = parse_protocol(replay.protocol)
    evidence = {
        **parse_metadata(replay.metadata),
        "protocol": needs,
        "clustering": replay.clustering,
        "version": version,
        "files": counted.files,
        "bytes": counted.bytes,
        "vectors": counted.vectors,
    }
    said = f"delta reader {needs['reader']} writer {needs['writer']}"
    return ProbeResult("delta", encode_evidence(evidence), counted.rows, said)
