"""Which characters the bytes of a text stand for."""

import codecs
import re
from typing import NamedTuple

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
