"""ORC: the footer has all types; stripes and statistics are passed over."""

from typing import Any

from lumos_snap.scan.probe import orc_tail, orc_types, reasons
from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.probed import Probed, written
from lumos_snap.scan.probe.protobuf import Budget, bytes_of, fields, number_of

_TYPES, _ROWS, _ENCRYPTION = 4, 6, 10
_MOST_ROWS = 2**53


def probe(file: File) -> Probed:
    """What an ORC file says of its columns."""
    if file.size == 0:
        raise BadFileError(reasons.EMPTY, "holds no byte")
    said = orc_tail.postscript(file)
    try:
        evidence, rows = _footer(orc_tail.footer(file, said))
    except BadFileError:
        if said.is_signed:
            raise
        # What looked like the end of an old file was none.
        raise BadFileError(reasons.TRUNCATED, "begins like ORC, and has no footer") from None
    return Probed("orc", written(evidence), rows, said.version, (said.codec,))


def _footer(data: bytes) -> tuple[dict[str, Any], int | None]:
    budget = Budget()
    types: list[dict[str, Any]] = []
    known: dict[bytes, dict[str, Any]] = {}  # most columns are of a few types
    more: dict[str, Any] = {}
    rows = None
    for number, found in fields(data, budget):
        if number == _TYPES:
            raw = bytes_of(found)
            if raw not in known:
                known[raw] = orc_types.decoded(raw, budget)
            types.append(known[raw])
        elif number == _ROWS:
            rows = number_of(found)
        elif number == _ENCRYPTION:
            more = {"encrypted": True}
    orc_types.check(types)
    return {"types": types, **more}, rows if rows is not None and rows < _MOST_ROWS else None
