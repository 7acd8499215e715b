"""Which characters the bytes of a text stand for."""

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import Probed, written
from lumos_snap.scan.formats import compression
from lumos_snap.scan.formats.compression import Opened
from lumos_snap.scan.formats.csv import probe as csv_probe
from lumos_snap.scan.formats.json import probe as json_probe
from lumos_snap.scan.stores.store import BadFileError, File

MOST_FOREIGN = 0.3
"""Text in a Latin alphabet has fewer letters beyond ASCII than this; binary data has more."""
MOST_CONTROLS = 0.01
MOST_BROKEN = 0.2
"""Of the characters beyond ASCII in what is taken for UTF-8 all the same, as many may be broken."""
WIDE_ZEROS = 0.4
"""In UTF-16 every other byte is zero for most texts; at least this share of them must be."""

UTF_8 = "utf-8"
MARKED = "utf-8 with a mark"
BROKEN = "utf-8 with damage"

_MARKS = (
    (codecs.BOM_UTF8, UTF_8, MARKED),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
)
# Beside what lays text out: Hive's separators, JSON's record separator, DOS' end of file, escapes.
_CONTROLS = re.compile(r"[\x00\x04-\x07\x0e-\x19\x7f]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")


class Text(NamedTuple):
    """A text, and the name of its encoding: that of IANA in lower case, or one of those above."""

    text: str
    encoding: str


def decoded(raw: bytes, *, whole: bool) -> Text | None:
    """The text; a character that the end of the head cuts is left out. None: it is not a text."""
    for mark, codec, name in _MARKS:
        if raw.startswith(mark):
            return _plausible(_strictly(raw[len(mark) :], codec, whole=whole), name)
    if b"\0" in raw:
        return _without_mark(raw, whole=whole)
    text = _strictly(raw, UTF_8, whole=whole)
    if text is not None:
        return _plausible(text, UTF_8)
    return _damaged(raw) or _western(raw)


def _strictly(raw: bytes, codec: str, *, whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(raw, final=whole)
    except UnicodeDecodeError:
        return None


def _plausible(text: str | None, name: str) -> Text | None:
    if text is None or "\0" in text or len(_CONTROLS.findall(text)) > MOST_CONTROLS * len(text):
        return None
    return Text(text, name)


def _without_mark(raw: bytes, *, whole: bool) -> Text | None:
    """UTF-16 as some Windows tools write it: every other byte of most characters is zero."""
    half = max(len(raw) // 2, 1)
    zeros_even, zeros_odd = raw[::2].count(0) / half, raw[1::2].count(0) / half
    little = zeros_odd > zeros_even
    if max(zeros_odd, zeros_even) < WIDE_ZEROS:
        return None
    codec, name = ("utf-16-le", "utf-16le") if little else ("utf-16-be", "utf-16be")
    return _plausible(_strictly(raw, codec, whole=whole), name)


def _damaged(raw: bytes) -> Text | None:
    """UTF-8 in which some characters are broken: far more are not."""
    text = raw.decode(UTF_8, "replace")
    foreign = len(_FOREIGN.findall(text))
    if text.count("\ufffd") > MOST_BROKEN * foreign:
        return None
    return _plausible(text, BROKEN)


def _western(raw: bytes) -> Text | None:
    foreign = sum(map(raw.count, _HIGH))
    if foreign > MOST_FOREIGN * len(raw):
        return None
    try:
        return _plausible(raw.decode("cp1252"), "windows-1252")
    except UnicodeDecodeError:
        return _plausible(raw.decode("latin-1"), "iso-8859-1")


_HIGH = tuple(bytes((one,)) for one in range(0x80, 0x100))


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
        raise BadFileError(error_codes.EMPTY, "it holds nothing")
    opened = compression.open_text(file, suffix)
    text = _text(opened, hint)
    name, (evidence, rows) = _described(text, opened, hint)
    found = {
        **({} if text.encoding == UTF_8 else {"encoding": text.encoding}),
        **evidence,
        "flags": [*evidence["flags"], *(["truncated"] if opened.truncated else [])],
    }
    return Probed(name, written(found), rows, codecs=opened.codecs)


def _text(opened: Opened, hint: str) -> Text:
    if not opened.data:
        detail = "nothing of it can be unpacked" if opened.truncated else "it holds nothing"
        raise BadFileError(error_codes.TRUNCATED if opened.truncated else error_codes.EMPTY, detail)
    text = decoded(opened.data, whole=opened.whole)
    if text is None:
        promised = hint or opened.codecs
        detail = "what it holds is not text"
        raise BadFileError(error_codes.DAMAGED if promised else error_codes.UNKNOWN, detail)
    if not text.text.strip():
        detail = "it begins with nothing but blanks" + ("" if opened.whole else ", and many")
        raise BadFileError(error_codes.EMPTY if opened.whole else error_codes.TOO_LARGE, detail)
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
            called_csv = name == JSON and hint in csv_probe.HINTS
            if exc.reason != error_codes.UNKNOWN and not called_csv:
                raise
            first = first or exc
    raise _other(hint, first.detail if first else "it is no known kind of text")


def _order(text: str, hint: str) -> tuple[str, ...]:
    """Where to look first: JSON that is called CSV is JSON all the same."""
    begins = text.lstrip(" \t\r\n\x1e")[:1]
    return (JSON, CSV) if begins in ("{", "[") or hint == JSON else (CSV,)


def _csv(text: Text, opened: Opened, hint: str) -> _Found:
    return csv_probe.describe(text.text, hint=hint, whole=opened.whole, truncated=opened.truncated)


def _json(text: Text, opened: Opened, _: str) -> _Found:
    return json_probe.describe(text.text, whole=opened.whole, truncated=opened.truncated)


_READERS: Mapping[str, _Reader] = {CSV: _csv, JSON: _json}


def _other(hint: str, detail: str) -> BadFileError:
    """Nothing known: damage, where its name promises more."""
    return BadFileError(error_codes.DAMAGED if hint else error_codes.UNKNOWN, detail)
