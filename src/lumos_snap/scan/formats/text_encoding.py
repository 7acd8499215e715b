"""Decoding of text files: encodings that their bytes prove, and others by their likelihood."""

import codecs
import re
from typing import NamedTuple

from lumos_snap.scan.formats import legacy_encoding

MOST_FOREIGN = 0.3
"""Maximum share of non-ASCII characters in Latin text; binary data has more."""
MOST_CONTROLS = 0.01
MOST_NULS = 0.001
MOST_BROKEN = 0.2
"""Maximum share of broken ones among the non-ASCII characters of damaged UTF-8."""
WIDE_ZEROS = 0.4
"""Minimum share of zeros among every other byte in UTF-16, where most texts have them."""

UTF_8 = "utf-8"
MARKED = "utf-8 with a mark"
BROKEN = "utf-8 with damage"

DETECTED = "encoding-detected"
UNCERTAIN = "encoding-uncertain"
ASSUMED = "encoding-assumed"
NO_DETECTOR = "encoding-no-detector"

_MARKS = (
    (codecs.BOM_UTF8, UTF_8, MARKED),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),  # before UTF-16, whose mark is its prefix
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
)
# Control characters, except those for layout: Hive's separators, JSON's record separator, DOS' end
# of file, escapes.
_CONTROLS = re.compile(r"[\x00\x04-\x07\x0e-\x19]")
_CONTROL_BYTES = re.compile(_CONTROLS.pattern.encode())
_SWITCH = b"\x1b$"  # to Japanese characters of two bytes, in a text that is ASCII otherwise
_FOREIGN = re.compile(r"[^\x00-\x7f]")


class Text(NamedTuple):
    """A text, and its encoding: the IANA name in lower case, or one of the constants above."""

    text: str
    encoding: str
    without_nuls: bool = False
    doubt: str = ""
    """One of the flags above, if the encoding does not follow from the bytes."""


def decode_text(raw: bytes, *, whole: bool) -> Text | None:
    """Decode a text, without a character cut off at the end of the head; None if it is binary."""
    for mark, codec, name in _MARKS:
        if raw.startswith(mark):
            return _require_plausible(_decode_strictly(raw[len(mark) :], codec, whole=whole), name)
    if b"\0" in raw:
        wide = _decode_utf16(raw, whole=whole)
        if wide is not None or not has_few_nuls(raw):
            return wide
        rest = decode_text(raw.replace(b"\0", b""), whole=whole)
        return rest and rest._replace(without_nuls=True)
    text = _decode_strictly(raw, UTF_8, whole=whole)
    if text is None:
        return _decode_damaged(raw) or _decode_legacy(raw, whole=whole)
    switched = _decode_strictly(raw, "iso2022_jp_ext", whole=whole) if _SWITCH in raw else None
    if switched is not None:
        return _require_plausible(switched, "iso-2022-jp")
    return _require_plausible(text, UTF_8)


def has_few_nuls(raw: bytes) -> bool:
    """Whether NUL bytes are that rare that a program may have left them in a text."""
    return 0 < raw.count(0) <= MOST_NULS * len(raw)


def _decode_strictly(raw: bytes, codec: str, *, whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(raw, final=whole)
    except UnicodeDecodeError:
        return None


def _require_plausible(text: str | None, name: str) -> Text | None:
    if text is None or "\0" in text or len(_CONTROLS.findall(text)) > MOST_CONTROLS * len(text):
        return None
    return Text(text, name)


def _decode_utf16(raw: bytes, *, whole: bool) -> Text | None:
    """Decode UTF-16 without a mark, as of some Windows tools: every other byte is mostly zero."""
    half = max(len(raw) // 2, 1)
    zeros_even, zeros_odd = raw[::2].count(0) / half, raw[1::2].count(0) / half
    little = zeros_odd > zeros_even
    if max(zeros_odd, zeros_even) < WIDE_ZEROS:
        return None
    codec, name = ("utf-16-le", "utf-16le") if little else ("utf-16-be", "utf-16be")
    return _require_plausible(_decode_strictly(raw, codec, whole=whole), name)


def _decode_damaged(raw: bytes) -> Text | None:
    """Decode UTF-8 with some broken characters, if far more are valid."""
    text = raw.decode(UTF_8, "replace")
    foreign = len(_FOREIGN.findall(text))
    if text.count("\ufffd") > MOST_BROKEN * foreign:
        return None
    return _require_plausible(text, BROKEN)


def _decode_legacy(raw: bytes, *, whole: bool) -> Text | None:
    """Decode a text in an encoding of one language or region, which no byte names."""
    if len(_CONTROL_BYTES.findall(raw)) > MOST_CONTROLS * len(raw):
        return None
    try:
        found = legacy_encoding.detect_legacy_text(raw, whole=whole)
    except legacy_encoding.DetectorMissingError:
        return _decode_western(raw, NO_DETECTOR)
    if found is None:
        return _decode_western(raw, ASSUMED)
    text = _require_plausible(found.text, found.encoding)
    return text and text._replace(doubt=DETECTED if found.certain else UNCERTAIN)


def _decode_western(raw: bytes, doubt: str) -> Text | None:
    foreign = sum(map(raw.count, _HIGH))
    if foreign > MOST_FOREIGN * len(raw):
        return None
    try:
        text = _require_plausible(raw.decode("cp1252"), "windows-1252")
    except UnicodeDecodeError:
        text = _require_plausible(raw.decode("latin-1"), "iso-8859-1")
    return text and text._replace(doubt=doubt)


_HIGH = tuple(bytes((one,)) for one in range(0x80, 0x100))
