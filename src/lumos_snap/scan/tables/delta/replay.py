"""Replay of a Delta log: the live files with their rows and bytes; the newest action wins.

Checkpoints are Parquet or JSON lines, with sidecars.
"""

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader
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


# Delta checkpoints: Parquet, read by column in batches, or JSON lines; and their sidecars.


ROWS_AT_ONCE = 4096
MOST_STATISTICS = 512 * 1024 * 1024
"""Largest checkpoint whose statistics texts are read: they are most of its size."""
MOST_SIDECARS = 100_000

_ADD = (
    "path", "size", "deletionVector.storageType", "deletionVector.pathOrInlineDv",
    "deletionVector.offset", "deletionVector.cardinality",
)  # fmt: skip
_OTHERS = ("metaData", "protocol", "domainMetadata")


class Checkpoint:
    """One checkpoint; a replay takes from it what later commits do not replace."""

    def __init__(self, reader: Reader, folder: str, replay: Replay) -> None:
        self.reader = reader
        self.folder = folder
        self.replay = replay

    def read(self, paths: Sequence[str]) -> None:
        """Read all of its parts, and the sidecars that they name."""
        sidecars: list[str] = []
        for path in paths:
            self._read(path, sidecars)
        for path in sidecars:
            self._read(path, [])

    def _read(self, path: str, sidecars: list[str]) -> None:
        with log_files.open_log_file(self.reader, path) as file:
            actions = _read_lines(file) if path.endswith(".json") else _read_parquet(file)
            for kind, held in actions:
                if kind == "sidecar":
                    sidecars.append(self._sidecar(held))
                else:
                    self.replay.take_older(kind, held)

    def _sidecar(self, held: JsonObject) -> str:
        """Return the path of a sidecar; a name outside the sidecar folder is an error."""
        name = held.get("path")
        if not isinstance(name, str) or not name or "/" in name:
            raise BadFileError(
                error_codes.DAMAGED, "it names a sidecar that does not lie beside it"
            )
        return f"{self.folder}/_sidecars/{name}"


def _read_lines(file: RangedFile) -> Iterator[tuple[str, JsonObject]]:
    for line, is_cut in log_files.read_lines(file):
        for kind, held in log_files.parse_object(line, is_cut=is_cut).items():
            if kind in {"add", "sidecar", *_OTHERS} and isinstance(held, dict):
                yield kind, held


class _Seekable(io.RawIOBase):
    """A file-like object for pyarrow."""

    def __init__(self, file: RangedFile) -> None:
        self.file = file
        self.at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.file.size}[whence]
        self.at = max(start + offset, 0)
        return self.at

    def read(self, size: int = -1) -> bytes:
        size = self.file.size - self.at if size < 0 else size
        held = self.file.read(self.at, size)
        self.at += len(held)
        return held


def _read_parquet(file: RangedFile) -> Iterator[tuple[str, JsonObject]]:
    """Yield the actions of a checkpoint or sidecar, with the needed columns only."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parquet_probe.probe(file)  # pyarrow crashes the process on some damaged footers
    try:
        with pq.ParquetFile(pa.PythonFile(_Seekable(file), mode="r")) as stored:
            columns = _columns(stored.schema_arrow, file.size)
            for batch in stored.iter_batches(ROWS_AT_ONCE, columns=columns):
                for kind in batch.schema.names:
                    yield from (
                        (kind, _plain_action(held)) for held in _iter_rows(batch.column(kind))
                    )
    except (pa.ArrowException, OSError) as exc:
        raise BadFileError(error_codes.DAMAGED, "it cannot be read as Parquet") from exc


def _columns(schema: Any, size: int) -> list[str]:
    """Return the needed columns that exist in the checkpoint."""
    there = set(schema.names)
    columns = [name for name in _OTHERS if name in there]
    if "sidecar" in there:
        columns.append("sidecar.path")
    if "add" in there:
        columns += [f"add.{name}" for name in _ADD]
        columns += _statistics(schema.field("add").type, size)
    return columns


def _statistics(add: Any, size: int) -> list[str]:
    """Return the column with the number of rows: a number of its own, or a text."""
    parsed = add.get_field_index("stats_parsed")
    inside = add.field(parsed).type if parsed >= 0 else None
    if inside is not None and inside.num_fields:
        names = {inside.field(index).name for index in range(inside.num_fields)}
        if "numRecords" in names:
            return ["add.stats_parsed.numRecords"]
    return ["add.stats"] if size <= MOST_STATISTICS else []


def _iter_rows(column: Any) -> Iterator[JsonObject]:
    """Yield the rows of a column that are not empty."""
    for held in column.drop_null().to_pylist():
        if isinstance(held, dict) and any(one is not None for one in held.values()):
            yield held


def _plain_action(held: JsonObject) -> JsonObject:
    """Convert an action to its JSON form: Arrow's maps are lists of pairs."""
    settings = held.get("configuration")
    return {**held, "configuration": dict(settings)} if isinstance(settings, list) else held
