"""The schema inside a data file of a Hudi table, where no commit states one."""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.stores.store import BadFileError, RangedFile, Reader
from lumos_snap.scan.tables import log_files

_LOG = ".log."
_MAGIC = b"#HUDI#"
_BLOCK = ">qiii"
"""Bytes of a block after its length, version of the layout, kind, number of header entries."""
_LENGTH = 8
_ENTRY = ">ii"
_BLOCK_SIZE, _ENTRY_SIZE = struct.calcsize(_BLOCK), struct.calcsize(_ENTRY)
_FIRST_WITH_HEADER = 1
_DATA = frozenset((3, 4, 5))  # Avro, HFile and Parquet; other blocks are deletes and commands
_SCHEMA = 2
MOST_BLOCKS = 1_000
MOST_ENTRIES = 100


def probe(reader: Reader, root: str, files: Sequence[str], instant: str) -> ProbeResult:
    """Read the schema of a file that a commit wrote: all of them have the same.

    Base files come first: their footer is one read, and a log file may have many blocks.
    """
    for is_one, read in _PROBES:
        for path in filter(is_one, files):
            return _read(reader, f"{root}/{path}" if root else path, read, instant)
    name = files[0].rpartition("/")[2]
    detail = f"it states no schema, and its files have none that can be read, such as {name}"
    raise BadFileError(error_codes.UNKNOWN, f"{instant}: {detail}")


def _read(
    reader: Reader, path: str, read: Callable[[RangedFile], ProbeResult], instant: str
) -> ProbeResult:
    try:
        with log_files.open_log_file(reader, path) as file:
            return read(file)
    except BadFileError as exc:
        if exc.reason != error_codes.VANISHED:
            raise
        name = path.rpartition("/")[2]
        detail = f"it states no schema, and its file {name} is missing"
        raise BadFileError(error_codes.MISSING, f"{instant}: {detail}") from exc


def probe_log(file: RangedFile) -> ProbeResult:
    """Read the Avro schema of the last data block of a log file, as Hudi's own reader does."""
    schema = ""
    for kind, header in _blocks(file):
        schema = header.get(_SCHEMA, b"").decode("utf-8", "replace") if kind in _DATA else schema
    if not schema:
        raise BadFileError(error_codes.DAMAGED, "it has no data block with a schema")
    parsed = log_files.parse_object(schema)
    log_files.check_depth(parsed)
    avro_probe.check_schema(parsed)
    return ProbeResult("avro", schema)


def _blocks(file: RangedFile) -> Iterator[tuple[int, Mapping[int, bytes]]]:
    """Yield the kind and the header of each block; the first one that is cut ends the file."""
    at = 0
    for _ in range(MOST_BLOCKS):
        start = at + len(_MAGIC)
        head = file.read(at, len(_MAGIC) + _BLOCK_SIZE)
        if not head.startswith(_MAGIC) or len(head) < len(_MAGIC) + _BLOCK_SIZE:
            return
        size, version, kind, entries = struct.unpack_from(_BLOCK, head, len(_MAGIC))
        at = start + _LENGTH + size
        if size < 0 or at > file.size or version < _FIRST_WITH_HEADER:
            return
        yield kind, _header(file, start + _BLOCK_SIZE, entries)


def _header(file: RangedFile, at: int, entries: int) -> Mapping[int, bytes]:
    found = {}
    for _ in range(min(entries, MOST_ENTRIES)):
        head = file.read(at, _ENTRY_SIZE)
        if len(head) < _ENTRY_SIZE:
            raise BadFileError(error_codes.TRUNCATED, "it ends inside the header of a block")
        key, length = struct.unpack(_ENTRY, head)
        if not 0 <= length <= log_files.LIMIT:
            raise BadFileError(error_codes.DAMAGED, "the header of a block cannot be read")
        found[key] = file.read(at + _ENTRY_SIZE, length)
        at += _ENTRY_SIZE + length
    return found


_PROBES: Sequence[tuple[Callable[[str], bool], Callable[[RangedFile], ProbeResult]]] = (
    (lambda path: path.endswith(".parquet"), parquet_probe.probe),
    (lambda path: path.endswith(".orc"), orc_probe.probe),
    (lambda path: _LOG in path.rpartition("/")[2], probe_log),
)
"""What reads the files of a kind, by their names."""
