"""Which files of a Delta table are live, and how much they hold: the newest word counts."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import Probed, written
from lumos_snap.scan.stores.store import BadFileError, Reader
from lumos_snap.scan.tables import file_names, log_files
from lumos_snap.scan.tables.delta.checkpoint import Checkpoint

MOST_FILES = 4_000_000
"""How many files commits may speak of: where they are more, nothing is counted."""
CLUSTERING = "delta.clustering"

_ROWS = re.compile(r'\s*\{\s*"numRecords"\s*:\s*([0-9]{1,16})\s*[,}]')


class Counted(NamedTuple):
    """How much a table holds; nothing where the log does not tell."""

    files: int | None = None
    bytes: int | None = None
    rows: int | None = None
    vectors: int | None = None
    """How many files have rows that are marked as deleted."""


class _Sized(NamedTuple):
    """One file."""

    bytes: int | None
    rows: int | None
    has_vector: bool


class Replay:
    """The state of a table: commits are taken oldest first, then what a checkpoint has beside."""

    def __init__(self) -> None:
        self.metadata: Mapping[str, Any] | None = None
        self.protocol: Mapping[str, Any] | None = None
        self.clustering: Any = None
        self._spoken: set[bytes] = set()
        self._live: dict[bytes, _Sized] = {}
        self._sum = _Sum()
        self._is_over = False
        self._knows_clustering = False

    def take(self, action: Mapping[str, Any]) -> None:
        """One action of a commit."""
        for kind, held in action.items():
            if not isinstance(held, dict):
                continue
            if kind in {"add", "remove"}:
                self._file(kind, held)
            elif kind == "metaData":
                self.metadata = held
            elif kind == "protocol":
                self.protocol = held
            elif kind == "domainMetadata" and held.get("domain") == CLUSTERING:
                self.clustering, self._knows_clustering = clustered_by(held), True

    def _file(self, kind: str, held: Mapping[str, Any]) -> None:
        if self._is_over:
            return
        key = _key(held)
        self._spoken.add(key)
        if kind == "add":
            self._live[key] = sized(held)
        else:
            self._live.pop(key, None)
        if len(self._spoken) > MOST_FILES:
            self._is_over = True
            self._spoken, self._live = set(), {}

    def take_older(self, kind: str, held: Mapping[str, Any]) -> None:
        """One action of a checkpoint: a commit's word about the same thing is newer."""
        if kind == "add":
            if not self._is_over and not (self._spoken and _key(held) in self._spoken):
                self._sum.add(sized(held))
        elif kind == "metaData":
            self.metadata = held if self.metadata is None else self.metadata
        elif kind == "protocol":
            self.protocol = held if self.protocol is None else self.protocol
        elif held.get("domain") == CLUSTERING and not self._knows_clustering:
            self.clustering = clustered_by(held)

    def counted(self) -> Counted:
        """How much the live files hold."""
        if self._is_over:
            return Counted()
        for one in self._live.values():
            self._sum.add(one)
        self._live = {}
        return self._sum.counted()


class _Sum:
    """Files, added up: what one does not tell is not told of all."""

    def __init__(self) -> None:
        self.files = self.vectors = 0
        self.bytes: int | None = 0
        self.rows: int | None = 0

    def add(self, one: _Sized) -> None:
        """Count a file in."""
        self.files += 1
        self.vectors += one.has_vector
        self.bytes = _plus(self.bytes, one.bytes)
        self.rows = _plus(self.rows, one.rows)

    def counted(self) -> Counted:
        return Counted(self.files, self.bytes, self.rows, self.vectors)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _key(held: Mapping[str, Any]) -> bytes:
    """What tells live files apart: the path, and which of its rows are marked as deleted."""
    vector = _vector(held)
    told = [str(held.get("path"))]
    if vector is not None:
        told += [str(vector.get(name)) for name in ("storageType", "pathOrInlineDv", "offset")]
    joined = "\n".join(told).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()


def _vector(held: Mapping[str, Any]) -> Mapping[str, Any] | None:
    vector = held.get("deletionVector")
    return vector if isinstance(vector, dict) and vector.get("storageType") else None


def sized(held: Mapping[str, Any]) -> _Sized:
    """How much one file holds; marked rows are not counted."""
    vector = _vector(held)
    rows = _rows(held)
    if vector is not None and rows is not None:
        marked = log_files.number(vector.get("cardinality"))
        rows = None if marked is None or marked > rows else rows - marked
    return _Sized(log_files.number(held.get("size")), rows, vector is not None)


def _rows(held: Mapping[str, Any]) -> int | None:
    parsed = held.get("stats_parsed")
    if isinstance(parsed, dict):
        return log_files.number(parsed.get("numRecords"))
    stats = held.get("stats")
    if not isinstance(stats, str):
        return None
    quick = _ROWS.match(stats)
    if quick:
        return log_files.number(int(quick[1]))
    try:
        return log_files.number(log_files.parsed(stats).get("numRecords"))
    except BadFileError:  # statistics are a courtesy
        return None


def clustered_by(held: Mapping[str, Any]) -> list[list[str]] | None:
    """The columns that a table is clustered by, as paths of their names in files."""
    if held.get("removed"):
        return None
    try:
        said = log_files.parsed(str(held.get("configuration")))
    except BadFileError:
        return None
    columns = said.get("clusteringColumns")
    return [log_files.words(one) for one in columns] if isinstance(columns, list) else None


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
"""What changes though nothing that readers see does, or is drawn by chance."""
_HIGH_WATER = "delta.identity.highWaterMark"
"""A value of the data."""


def metadata(held: Mapping[str, Any]) -> dict[str, Any]:
    """The `metaData` action: columns, partition columns, properties, words."""
    said = held.get("schemaString")
    if not isinstance(said, str):
        raise _bad("metaData has no schema")
    stored = held.get("format")
    return {
        "id": _text(held.get("id")),
        "name": _text(held.get("name")),
        "description": _text(held.get("description")),
        "provider": _text(stored.get("provider")) if isinstance(stored, dict) else None,
        "schema": _type(log_files.parsed(said), 0),
        "partitioning": log_files.words(held.get("partitionColumns")),
        "properties": log_files.kept(held.get("configuration"), _ALLOWED, _CLOCKS),
    }


def protocol(held: Mapping[str, Any]) -> dict[str, Any]:
    """The `protocol` action."""
    reader, writer = (
        log_files.number(held.get(f"min{who}Version")) for who in ("Reader", "Writer")
    )
    if reader is None or writer is None:
        raise _bad("protocol has no versions")
    features = {who: sorted(set(log_files.words(held.get(f"{who}Features")))) for who in _WHO}
    return {"reader": reader, "writer": writer, "features": features}


_WHO = ("reader", "writer")


def _text(held: Any) -> str | None:
    return held if isinstance(held, str) and held else None


def _type(held: Any, level: int) -> Any:
    """A type with what is known of such, and nothing else."""
    if level > log_files.DEEPEST:
        raise BadFileError(error_codes.TOO_LARGE, f"the schema nests over {log_files.DEEPEST} deep")
    if isinstance(held, str) and held:
        return held
    if not isinstance(held, dict) or not _text(held.get("type")):
        raise _bad("the schema has a type that is none")
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


def _field(held: Any, level: int) -> dict[str, Any]:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise _bad("the schema has a column without a name")
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
        raise _bad("the schema has a struct without columns")
    return held


def _bad(detail: str) -> BadFileError:
    return BadFileError(error_codes.DAMAGED, f"_delta_log: {detail}")


Part = tuple[file_names.DeltaFile, str]


def probe(reader: Reader, root: str, parts: Sequence[str]) -> Probed:
    """What the log says of the table's newest version."""
    found = [(file_names.delta(path.rpartition("/")[2]), path) for path in parts]
    known = sorted((file, path) for file, path in found if file is not None)
    checkpoint = [one for one in known if not one[0].is_commit]
    commits = [one for one in known if one[0].is_commit]
    version = _newest(checkpoint, commits)
    replay = Replay()
    for _, path in commits:
        with log_files.opened(reader, path) as file:
            for line, is_cut in log_files.lines(file):
                replay.take(log_files.parsed(line, is_cut=is_cut))
    folder = f"{root}/{file_names.DELTA}" if root else file_names.DELTA
    Checkpoint(reader, folder, replay).read([path for _, path in checkpoint])
    return _said(replay, version)


def _newest(checkpoint: Sequence[Part], commits: Sequence[Part]) -> int:
    """The version that the log reaches, if no step to it is missing."""
    lacking = {part for file, _ in checkpoint for part in range(1, file.parts + 1)}
    lacking -= {file.part for file, _ in checkpoint}
    if lacking:
        name = checkpoint[0][1].rpartition("/")[2]
        raise BadFileError(error_codes.DAMAGED, f"{name}: part {min(lacking)} of it is missing")
    reached = checkpoint[0][0].version if checkpoint else -1
    for file, _ in commits:
        if file.version != reached + 1:
            name = f"{reached + 1:020}.json"
            raise BadFileError(error_codes.DAMAGED, f"{name}: is missing in {file_names.DELTA}")
        reached = file.version
    return reached


def _said(replay: Replay, version: int) -> Probed:
    if replay.metadata is None or replay.protocol is None:
        lacks = "metaData" if replay.metadata is None else "protocol"
        raise BadFileError(error_codes.DAMAGED, f"{file_names.DELTA} says no {lacks}")
    counted = replay.counted()
    needs = protocol(replay.protocol)
    evidence = {
        **metadata(replay.metadata),
        "protocol": needs,
        "clustering": replay.clustering,
        "version": version,
        "files": counted.files,
        "bytes": counted.bytes,
        "vectors": counted.vectors,
    }
    said = f"delta reader {needs['reader']} writer {needs['writer']}"
    return Probed("delta", written(evidence), counted.rows, said)
