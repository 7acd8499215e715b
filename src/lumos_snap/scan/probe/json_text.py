"""JSON text: what its records look like, however they are laid out."""

from typing import Any, NamedTuple

from lumos_snap.scan.probe import json_cut, json_decoder, json_records, json_shape, reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.json_records import Given, Records
from lumos_snap.scan.probe.json_shape import Shape


class Described(NamedTuple):
    """What a text says of its records; `rows` only where all of them were read."""

    evidence: dict[str, Any]
    rows: int | None


def describe(text: str, *, whole: bool, truncated: bool) -> Described:
    """The shape of the records of a JSON text."""
    flags: set[str] = set()
    given = Given(text, json_decoder.decoder(flags.add), whole)
    try:
        records = _records(given, flags, truncated=truncated)
    except RecursionError:
        raise BadFileError(reasons.TOO_LARGE, "its values are nested too deep") from None
    shape = Shape()
    for value in records.values:
        shape.add(value, 0 if isinstance(value, dict) else 1)
    if records.broken:
        flags.add("broken-lines")
    rows = len(records.values) if records.complete and not records.broken else None
    found = {"layout": records.layout, "shape": json_shape.evidence_of(shape)}
    return Described({**found, "flags": sorted(flags)}, rows)


def _records(given: Given, flags: set[str], *, truncated: bool) -> Records:
    records = json_records.by_line(given) or json_records.in_sequence(given)
    if records.values or records.complete:
        return records
    if truncated:
        raise BadFileError(reasons.TRUNCATED, "it breaks off within its first record")
    flags.add("cut")
    return records._replace(values=[_opened(given, records.at)])


def _opened(given: Given, start: int) -> Any:
    """What the head holds of a record that is longer than it."""
    part = json_cut.closed(given.text, start)
    if not part:
        detail = "its first record is longer than what is read of a file"
        raise BadFileError(reasons.TOO_LARGE, detail)
    try:
        return given.decoder.decode(part)
    except ValueError:
        raise BadFileError(reasons.UNKNOWN, "it begins like JSON and is not") from None
