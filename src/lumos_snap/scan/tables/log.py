"""Reads the log of a table in any table format."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.stores.store import BadFileError, Reader
from lumos_snap.scan.tables.delta import log as delta_log
from lumos_snap.scan.tables.hudi import log as hudi_log
from lumos_snap.scan.tables.iceberg import log as iceberg_log

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
