"""Replay of a Delta log: the live files with their rows and bytes; the newest action wins."""

import hashlib
import re
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables import log_files

MOST_FILES = 4_000_000
"""Maximum number of files in commits: beyond it, nothing is counted."""
CLUSTERING = "delta.clustering"
_ROWS = re.compile(r'\s*\{\s*"numRecords"\s*:\s*([0-9]{1,16})\s*[,}]')


class TableSize(NamedTuple):
    """The size of a table; None where the log has no value."""

    files: int | None = None
    bytes: int | None = None
    rows: int | None = None
    vectors: int | None = None
    """Number of files with deletion vectors."""


class _FileSize(NamedTuple):
    """The size of one file."""

    bytes: int | None
    rows: int | None
    has_vector: bool


class Replay:
    """The state of a table: takes commits, oldest first, then the actions of a checkpoint."""

    def __init__(self) -> None:
        self.metadata: JsonObject | None = None
        self.protocol: JsonObject | None = None
        self.clustering: Any = None
        self._spoken: set[bytes] = set()
        self._live: dict[bytes, _FileSize] = {}
        self._sum = _Sum()
        self._is_over = False
        self._knows_clustering = False

    def take(self, action: JsonObject) -> None:
        """Apply one action of a commit."""
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
                self.clustering, self._knows_clustering = find_clustering(held), True

    def _file(self, kind: str, held: JsonObject) -> None:
        if self._is_over:
            return
        key = _key(held)
        self._spoken.add(key)
        if kind == "add":
            self._live[key] = measure_file(held)
        else:
            self._live.pop(key, None)
        if len(self._spoken) > MOST_FILES:
            self._is_over = True
            self._spoken, self._live = set(), {}

    def take_older(self, kind: str, held: JsonObject) -> None:
        """Apply one action of a checkpoint, unless a commit has a newer one."""
        if kind == "add":
            if not self._is_over and not (self._spoken and _key(held) in self._spoken):
                self._sum.add(measure_file(held))
        elif kind == "metaData":
            self.metadata = held if self.metadata is None else self.metadata
        elif kind == "protocol":
            self.protocol = held if self.protocol is None else self.protocol
        elif held.get("domain") == CLUSTERING and not self._knows_clustering:
            self.clustering = find_clustering(held)

    def counted(self) -> TableSize:
        """Return the total size of the live files."""
        if self._is_over:
            return TableSize()
        for one in self._live.values():
            self._sum.add(one)
        self._live = {}
        return self._sum.counted()


class _Sum:
    """Totals over files: unknown if one file's value is unknown."""

    def __init__(self) -> None:
        self.files = self.vectors = 0
        self.bytes: int | None = 0
        self.rows: int | None = 0

    def add(self, one: _FileSize) -> None:
        """Add a file."""
        self.files += 1
        self.vectors += one.has_vector
        self.bytes = _plus(self.bytes, one.bytes)
        self.rows = _plus(self.rows, one.rows)

    def counted(self) -> TableSize:
        return TableSize(self.files, self.bytes, self.rows, self.vectors)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _key(held: JsonObject) -> bytes:
    """Return the identity of a live file: its path and its deletion vector."""
    vector = _vector(held)
    told = [str(held.get("path"))]
    if vector is not None:
        told += [str(vector.get(name)) for name in ("storageType", "pathOrInlineDv", "offset")]
    joined = "\n".join(told).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()


def _vector(held: JsonObject) -> JsonObject | None:
    vector = held.get("deletionVector")
    return vector if isinstance(vector, dict) and vector.get("storageType") else None


def measure_file(held: JsonObject) -> _FileSize:
    """Measure one file; deleted rows are not counted."""
    vector = _vector(held)
    rows = _rows(held)
    if vector is not None and rows is not None:
        marked = log_files.parse_number(vector.get("cardinality"))
        rows = None if marked is None or marked > rows else rows - marked
    return _FileSize(log_files.parse_number(held.get("size")), rows, vector is not None)


def _rows(held: JsonObject) -> int | None:
    parsed = held.get("stats_parsed")
    if isinstance(parsed, dict):
        return log_files.parse_number(parsed.get("numRecords"))
    stats = held.get("stats")
    if not isinstance(stats, str):
        return None
    quick = _ROWS.match(stats)
    if quick:
        return log_files.parse_number(int(quick[1]))
    try:
        return log_files.parse_number(log_files.parse_object(stats).get("numRecords"))
    except BadFileError:  # statistics are optional
        return None


def find_clustering(held: JsonObject) -> list[list[str]] | None:
    """Return the clustering columns, as paths of their physical names."""
    if held.get("removed"):
        return None
    try:
        said = log_files.parse_object(str(held.get("configuration")))
    except BadFileError:
        return None
    columns = said.get("clusteringColumns")
    return [log_files.list_texts(one) for one in columns] if isinstance(columns, list) else None
