"""Format detection, by a file's first bytes and not by its name."""

from collections.abc import Callable
from typing import NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats import text
from lumos_snap.scan.formats.arrow import probe as arrow_probe
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.stores.store import BadFileError, RangedFile

_LONGEST = 16


class Format(NamedTuple):
    """A format with a signature in its first bytes."""

    name: str
    begins: tuple[bytes, ...]
    probe: Callable[[RangedFile], ProbeResult]
    ends: tuple[bytes, ...] = ()
    """Signature right before the last byte or at the end: then the head need not be read."""


FORMATS = (
    Format("parquet", (b"PAR1", b"PARE"), parquet_probe.probe, (b"PAR1", b"PARE")),
    Format("orc", (b"ORC",), orc_probe.probe, (b"ORC",)),
    Format("avro", (b"Obj\x01",), avro_probe.probe),
    Format("arrow", (b"ARROW1", b"FEA1"), arrow_probe.probe),
    Format("arrow", (b"\xff\xff\xff\xff",), arrow_probe.probe_stream),
)
_BY_NAME = {one.name: one for one in reversed(FORMATS)}


def probe_file(file: RangedFile, hint: str, suffix: str) -> ProbeResult:
    """Probe a file; `hint` and `suffix` come from its name."""
    if file.size == 0:
        raise BadFileError(error_codes.EMPTY, "holds no byte")
    expected = _BY_NAME.get(hint)
    if expected is not None and expected.ends and _ends_like(file, expected.ends):
        return expected.probe(file)
    head = file.head()[:_LONGEST]
    for one in FORMATS:
        if head.startswith(one.begins):
            return one.probe(file)
    if expected is not None:
        return _probe_misnamed(expected, file)
    return text.probe(file, hint, suffix)


def _ends_like(file: RangedFile, ends: tuple[bytes, ...]) -> bool:
    """Whether a file ends like its format, which saves a request for its head."""
    tail = file.tail()
    return tail.endswith(ends) or tail[:-1].endswith(ends)


def _probe_misnamed(expected: Format, file: RangedFile) -> ProbeResult:
    """Probe a file whose name suggests a format, but whose first bytes do not."""
    if expected.name == "orc":
        return expected.probe(file)  # the oldest writers put no signature at the start
    raise BadFileError(
        error_codes.DAMAGED, f"is called {expected.name}, and does not begin like it"
    )
