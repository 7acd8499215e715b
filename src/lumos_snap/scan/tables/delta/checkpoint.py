"""Delta checkpoints: Parquet, read by column in batches, or JSON lines; and their sidecars."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.delta.replay import Replay

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
            self._read_sidecar(path)

    def _read_sidecar(self, path: str) -> None:
        """Read a sidecar: a missing one has not vanished, because no listing has ever seen it."""
        try:
            self._read(path, [])
        except BadFileError as exc:
            if exc.reason != error_codes.VANISHED:
                raise
            name = path.rpartition("/")[2]
            detail = f"the checkpoint names the sidecar {name}, which is missing"
            raise BadFileError(error_codes.MISSING, f"{log_files.DELTA}: {detail}") from exc

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
