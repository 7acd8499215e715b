"""Format detection, by a file's first bytes and not by its name; text is decoded first."""

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats import compression
from lumos_snap.scan.formats.arrow import probe as arrow_probe
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.formats.compression import TextHead
from lumos_snap.scan.formats.csv import probe as csv_probe
from lumos_snap.scan.formats.json import probe as json_probe
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.parquet import probe as parquet_probe
from lumos_snap.scan.formats.text_encoding import UTF_8, Text, decode_text
from lumos_snap.scan.stores.store import BadFileError, RangedFile

# The probe of text files: JSON or CSV, whatever the encoding.


CSV, TSV, JSON = "csv", "tsv", "json"

_MARKUP = re.compile(r"\s*<(?:!doctype|!--|\?xml|html|error)\b", re.IGNORECASE)
_Evidence = tuple[JsonObject, int | None]
_Reader = Callable[[Text, TextHead, str], _Evidence]


def probe(file: RangedFile, hint: str = "", suffix: str = "") -> ProbeResult:
    """Read the columns of a text file.

    `hint` comes from its name: "csv", "tsv", "json" or empty. The content decides; a hint breaks
    ties, and allows weaker evidence. `suffix` is that of the compression, such as ".snappy". At
    most `compression.STORED` bytes are read, and `compression.TEXT` decompressed.
    """
    if file.size == 0:
        raise BadFileError(error_codes.EMPTY, "it holds nothing")
    opened = compression.open_text(file, suffix)
    text = _read_text(opened, hint)
    name, (evidence, rows) = _describe_text(text, opened, hint)
    found = {
        **({} if text.encoding == UTF_8 else {"encoding": text.encoding}),
        **evidence,
        "flags": [
            *([text.doubt] if text.doubt else []),
            *evidence["flags"],
            *(["truncated"] if opened.truncated else []),
            *(["nul-bytes"] if text.without_nuls else []),
        ],
    }
    return ProbeResult(name, encode_evidence(found), rows, codecs=opened.codecs)


def _read_text(opened: TextHead, hint: str) -> Text:
    if not opened.data:
        detail = "nothing of it can be unpacked" if opened.truncated else "it holds nothing"
        raise BadFileError(error_codes.TRUNCATED if opened.truncated else error_codes.EMPTY, detail)
    text = decode_text(opened.data, whole=opened.whole)
    if text is None:
        promised = hint or opened.codecs
        detail = "what it holds is not text, or in no encoding that is known"
        raise BadFileError(error_codes.DAMAGED if promised else error_codes.UNKNOWN, detail)
    if not text.text.strip():
        detail = "it begins with nothing but blanks" + ("" if opened.whole else ", and many")
        raise BadFileError(error_codes.EMPTY if opened.whole else error_codes.TOO_LARGE, detail)
    if _MARKUP.match(text.text):
        raise _unknown_error(hint, "it is markup, as of a web page")
    return text


def _describe_text(text: Text, opened: TextHead, hint: str) -> tuple[str, _Evidence]:
    first: BadFileError | None = None
    for name in _order(text.text, hint):
        try:
            return name, _READERS[name](text, opened, hint)
        except BadFileError as exc:
            # A file named CSV may begin like JSON; otherwise, damaged JSON is not tried as CSV.
            called_csv = name == JSON and hint in csv_probe.HINTS
            if exc.reason != error_codes.UNKNOWN and not called_csv:
                raise
            first = first or exc
    raise _unknown_error(hint, first.detail if first else "it is no known kind of text")


def _order(text: str, hint: str) -> tuple[str, ...]:
    """Return the formats in the order to try: JSON in a file named CSV is still JSON."""
    begins = text.lstrip(" \t\r\n\x1e")[:1]
    return (JSON, CSV) if begins in ("{", "[") or hint == JSON else (CSV,)


def _csv(text: Text, opened: TextHead, hint: str) -> _Evidence:
    return csv_probe.describe_csv(
        text.text, hint=hint, whole=opened.whole, truncated=opened.truncated
    )


def _json(text: Text, opened: TextHead, _: str) -> _Evidence:
    return json_probe.describe_json(text.text, whole=opened.whole, truncated=opened.truncated)


_READERS: Mapping[str, _Reader] = {CSV: _csv, JSON: _json}


def _unknown_error(hint: str, detail: str) -> BadFileError:
    """Build the error for an unknown format: damaged, if the name suggests a format."""
    return BadFileError(error_codes.DAMAGED if hint else error_codes.UNKNOWN, detail)


_LONGEST = 16

SIGNATURE_ONLY = "signature-only"
"""The hint for a file without a telling name that is not in the sample of its dataset."""
NOT_SAMPLED = {"skipped": "text"}
"""The evidence of such a file, if it states no schema."""


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


def probe_file(file: RangedFile, hint: str, suffix: str) -> ProbeResult | dict[str, str]:
    """Probe a file; `hint` and `suffix` come from its name."""
    if hint == SIGNATURE_ONLY:
        signed = signature_of(file)
        return NOT_SAMPLED if signed is None else signed.probe(file)
    if file.size == 0:
        raise BadFileError(error_codes.EMPTY, "holds no byte")
    expected = _BY_NAME.get(hint)
    if expected is not None and expected.ends and _ends_like(file, expected.ends):
        return expected.probe(file)
    file.head()  # most probes need more of it than the signature
    signed = signature_of(file)
    if signed is not None:
        return signed.probe(file)
    if expected is not None:
        return _probe_misnamed(expected, file)
    return probe(file, hint, suffix)


def signature_of(file: RangedFile) -> Format | None:
    """Return the format that the first bytes name; such a file states its schema."""
    head = file.read(0, _LONGEST)
    return next((one for one in FORMATS if head.startswith(one.begins)), None)


def _ends_like(file: RangedFile, ends: tuple[bytes, ...]) -> bool:
    """Whether a file ends like its format, which saves a request for its head."""
    tail = file.tail()
    return tail.endswith(ends) or tail[:-1].endswith(ends)


def _probe_misnamed(expected: Format, file: RangedFile) -> ProbeResult:
    """Probe a file whose name suggests a format, but whose first bytes do not."""
    if expected.name == "orc":
        return expected.probe(file)  # the oldest writers put no signature at the start
    if expected.name == "arrow":
        with contextlib.suppress(BadFileError):
            return arrow_probe.probe_stream(file)  # streams of Arrow before 0.15 have no signature
    raise BadFileError(
        error_codes.DAMAGED, f"is called {expected.name}, and does not begin like it"
    )
