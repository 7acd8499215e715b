"""Text files: delimited text or JSON, compressed or not, in whatever encoding."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.scan.probe import compression, csv_text, encoding, json_text, reasons
from lumos_snap.scan.probe.compression import Opened
from lumos_snap.scan.probe.encoding import Text
from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.probed import Probed, written

CSV, TSV, JSON = "csv", "tsv", "json"

_MARKUP = re.compile(r"\s*<(?:!doctype|!--|\?xml|html|error)\b", re.IGNORECASE)
_Found = tuple[dict[str, Any], int | None]
_Reader = Callable[[Text, Opened, str], _Found]


def probe(file: File, hint: str = "", suffix: str = "") -> Probed:
    """What a text file says of its columns.

    `hint` is what its name suggests: "csv", "tsv", "json" or nothing. The content decides; a hint
    breaks ties, and lets weaker signs do. `suffix` is that of the compression, as in ".snappy".
    Of a file no more than `compression.STORED` bytes are read, and `compression.TEXT` unpacked.
    """
    if file.size == 0:
        raise BadFileError(reasons.EMPTY, "it holds nothing")
    opened = compression.open_text(file, suffix)
    text = _text(opened, hint)
    name, (evidence, rows) = _described(text, opened, hint)
    found = {
        **({} if text.encoding == encoding.UTF_8 else {"encoding": text.encoding}),
        **evidence,
        "flags": [*evidence["flags"], *(["truncated"] if opened.truncated else [])],
    }
    return Probed(name, written(found), rows, codecs=opened.codecs)


def _text(opened: Opened, hint: str) -> Text:
    if not opened.data:
        detail = "nothing of it can be unpacked" if opened.truncated else "it holds nothing"
        raise BadFileError(reasons.TRUNCATED if opened.truncated else reasons.EMPTY, detail)
    text = encoding.decoded(opened.data, whole=opened.whole)
    if text is None:
        promised = hint or opened.codecs
        detail = "what it holds is not text"
        raise BadFileError(reasons.DAMAGED if promised else reasons.UNKNOWN, detail)
    if not text.text.strip():
        detail = "it begins with nothing but blanks" + ("" if opened.whole else ", and many")
        raise BadFileError(reasons.EMPTY if opened.whole else reasons.TOO_LARGE, detail)
    if _MARKUP.match(text.text):
        raise _other(hint, "it is markup, as of a web page")
    return text


def _described(text: Text, opened: Opened, hint: str) -> tuple[str, _Found]:
    first: BadFileError | None = None
    for name in _order(text.text, hint):
        try:
            return name, _READERS[name](text, opened, hint)
        except BadFileError as exc:
            # What is called CSV may begin like JSON; else, damaged JSON is not something else.
            called_csv = name == JSON and hint in csv_text.HINTS
            if exc.reason != reasons.UNKNOWN and not called_csv:
                raise
            first = first or exc
    raise _other(hint, first.detail if first else "it is no known kind of text")


def _order(text: str, hint: str) -> tuple[str, ...]:
    """Where to look first: JSON that is called CSV is JSON all the same."""
    begins = text.lstrip(" \t\r\n\x1e")[:1]
    return (JSON, CSV) if begins in ("{", "[") or hint == JSON else (CSV,)


def _csv(text: Text, opened: Opened, hint: str) -> _Found:
    return csv_text.describe(text.text, hint=hint, whole=opened.whole, truncated=opened.truncated)


def _json(text: Text, opened: Opened, _: str) -> _Found:
    return json_text.describe(text.text, whole=opened.whole, truncated=opened.truncated)


_READERS: Mapping[str, _Reader] = {CSV: _csv, JSON: _json}


def _other(hint: str, detail: str) -> BadFileError:
    """Nothing known: damage, where its name promises more."""
    return BadFileError(reasons.DAMAGED if hint else reasons.UNKNOWN, detail)
