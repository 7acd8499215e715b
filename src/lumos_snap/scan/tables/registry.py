"""The table formats: detection of their logs by path, during the listing; and their probes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files
from lumos_snap.scan.tables.delta import log as delta_log
from lumos_snap.scan.tables.delta.log import DeltaLog
from lumos_snap.scan.tables.hudi import log as hudi_log
from lumos_snap.scan.tables.hudi.log import HudiLog
from lumos_snap.scan.tables.iceberg import log as iceberg_log
from lumos_snap.scan.tables.iceberg.metadata_files import IcebergLog


class TableLog(Protocol):
    """The log files of one table, as they are listed."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; the order does not matter."""
        ...

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the files to read, in a stable order; none if they are not a table."""
        ...


LOGS: Mapping[str, Callable[[], TableLog]] = {
    "delta": DeltaLog,
    "iceberg": IcebergLog,
    "hudi": HudiLog,
}
"""By name of the format."""

_MARKS = (("delta", log_files.DELTA), ("hudi", log_files.HUDI))
_ENDS = (".metadata.json", ".metadata.json.gz", f"/{log_files.HINT}")


def log_of(path: str) -> tuple[str, str] | None:
    """Return the folder and the format of the table whose log contains a file.

    The outermost log counts: Hudi has an internal metadata table below its own folder.
    """
    found = [
        (split[0], kind)
        for kind, folder in _MARKS
        if folder in path and (split := log_files.split_path(path, folder))
    ]
    if found:
        return min(found, key=lambda one: (len(one[0]), one[1]))
    return _iceberg_log_of(path) if path.endswith(_ENDS) else None


def _iceberg_log_of(path: str) -> tuple[str, str] | None:
    folder, _, name = path.rpartition("/")
    root, _, last = folder.rpartition("/")
    if last != log_files.ICEBERG:
        return None
    return (
        (root, "iceberg")
        if name == log_files.HINT or log_files.parse_iceberg_name(name) is not None
        else None
    )


# Reads the log of a table in any table format.


_PROBES: Mapping[str, Callable[[Reader, str, Sequence[str]], ProbeResult]] = {
    "delta": delta_log.probe,
    "iceberg": iceberg_log.probe,
    "hudi": hudi_log.probe,
}

# Errors that invalid bytes may cause in code that does not expect them: one bad table must not end
# the scan.
_UNFORESEEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_table(reader: Reader, kind: str, root: str, parts: Sequence[str]) -> ProbeResult:
    """Read the log of a table; `parts` are its relevant files.

    If a file cannot be parsed, the error names it.
    """
    try:
        return _require_valid_text(_PROBES[kind](reader, root, parts))
    except BadFileError:
        raise
    except _UNFORESEEN as exc:
        detail = f"its log cannot be understood ({type(exc).__name__})"
        raise BadFileError(error_codes.DAMAGED, detail) from exc


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _require_valid_text(said: ProbeResult) -> ProbeResult:
    """Raise an error for lone surrogates: JSON may contain them."""
    if _SURROGATE.search(said.schema):
        json.dumps(json.loads(said.schema), ensure_ascii=False).encode()  # noqa: TID251 - only looked at
    return said
