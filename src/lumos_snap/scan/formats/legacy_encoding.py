"""Detection of encodings older than Unicode, which a file does not declare.

The ranking is chardet's. It is a guess from the frequency of letters, and short cells give it
little to count: so its first choices are decoded and compared, and what cannot be told apart is
called uncertain.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

SAMPLE = 8 * 1024
"""Maximum number of bytes to rank encodings by, of lines that are not ASCII."""
PARTS = 8
"""Number of parts of a sample that are ranked one by one, if it fits no encoding as a whole."""
LEAST_CONFIDENCE = 0.02
"""Below, an encoding is the best of many that do not fit."""
SURE_FACTOR, SURE_FACTOR_WESTERN, SURE_FACTOR_CJK = 1.1, 1.0, 3.0
"""How much more likely than the next one an encoding must be: ideographs have many neighbours."""
SHORT_FACTOR, SHORT_FACTOR_WESTERN = 2.0, 1.3
"""The same for a text with fewer characters beyond ASCII than:"""
SHORT = 24
LEAST_DIFFERENT = 3
"""Minimum number of different letters beyond ASCII that tell anything."""
MOST_ODD = 0.05
"""Maximum share of characters that stand where no language writes them."""
MOST_LATIN = 0.2
"""Maximum share of Chinese, Japanese or Korean characters beside small Latin letters."""
MOST_KANA = 0.05
"""Maximum share of Japanese syllables in Chinese or Korean text."""
PLAUSIBLE = 4096
"""Number of characters that these shares are measured on."""
MOST_BROKEN = 0.02
"""Maximum share of broken characters beyond ASCII in a text that is still in an encoding."""


class Encoding(NamedTuple):
    """An encoding: its name for chardet and for Python, and its IANA name in lower case."""

    ranked: str
    codec: str
    name: str


ENCODINGS = (
    # Of those that decode a text alike, the first one names it: most programs write Windows'.
    Encoding("cp1252", "cp1252", "windows-1252"),
    Encoding("cp1250", "cp1250", "windows-1250"),
    Encoding("cp1251", "cp1251", "windows-1251"),
    Encoding("cp1253", "cp1253", "windows-1253"),
    Encoding("cp1254", "cp1254", "windows-1254"),
    Encoding("cp1255", "cp1255", "windows-1255"),
    Encoding("cp1256", "cp1256", "windows-1256"),
    Encoding("cp1257", "cp1257", "windows-1257"),
    Encoding("cp1258", "cp1258", "windows-1258"),
    Encoding("cp874", "cp874", "windows-874"),
    Encoding("iso8859-15", "iso8859_15", "iso-8859-15"),
    Encoding("iso8859-2", "iso8859_2", "iso-8859-2"),
    Encoding("iso8859-7", "iso8859_7", "iso-8859-7"),
    Encoding("koi8-r", "koi8_r", "koi8-r"),
    Encoding("koi8-u", "koi8_u", "koi8-u"),
    Encoding("cp866", "cp866", "ibm866"),
    Encoding("cp850", "cp850", "ibm850"),
    Encoding("mac-roman", "mac_roman", "macintosh"),
    Encoding("cp932", "shift_jis", "shift_jis"),
    Encoding("cp932", "cp932", "windows-31j"),
    Encoding("euc_jis_2004", "euc_jp", "euc-jp"),
    Encoding("big5hkscs", "big5", "big5"),
    Encoding("big5hkscs", "big5hkscs", "big5-hkscs"),
    Encoding("gb18030", "gb18030", "gb18030"),
    Encoding("cp949", "euc_kr", "euc-kr"),
    Encoding("cp949", "cp949", "cp949"),
)
_CJK = frozenset(("cp932", "euc_jis_2004", "big5hkscs", "gb18030", "cp949"))
_JAPANESE = frozenset(("cp932", "euc_jis_2004"))


class LegacyText(NamedTuple):
    """A decoded text; not `certain` if another encoding is about as likely."""

    text: str
    encoding: str
    certain: bool


class DetectorMissingError(Exception):
    """The package that ranks encodings is not installed here, or too old."""


def detect_legacy_text(raw: bytes, *, whole: bool) -> LegacyText | None:
    """Decode a text in the most likely encoding; None if it fits none."""
    for sample in _parts(_sample(raw, whole=whole)):
        likely = list(islice(_plausible_readings(sample), 2))
        if likely:
            return _decode_all(raw, sample, likely, whole=whole)
    return None


def _parts(sample: bytes) -> Iterator[bytes]:
    """Yield a sample, then parts of it: where one character is broken, no encoding fits all."""
    yield sample
    lines = sample.split(b"\n")
    size = -(-len(lines) // PARTS)
    for start in range(0, len(lines) if len(lines) > 1 else 0, size):
        yield b"\n".join(lines[start : start + size])


def _decode_all(
    raw: bytes, sample: bytes, likely: Sequence["_Reading"], *, whole: bool
) -> LegacyText | None:
    """Decode the text like the most likely reading of its sample."""
    best = likely[0]
    for encoding in ENCODINGS:
        # The next one may fit where this one does not: bytes after the sample decide.
        if _decode(sample, encoding.codec, whole=False) == best.text:
            text = _decode(raw, encoding.codec, whole=whole)
            if text is not None:
                certain = _is_certain(best, likely[1:]) and _BROKEN not in text
                return LegacyText(text, encoding.name, certain)
    return None


_BROKEN = "\ufffd"


def _sample(raw: bytes, *, whole: bool) -> bytes:
    """Return the first lines that are not ASCII; no encoding has line breaks in a character."""
    lines = raw.splitlines()
    found: list[bytes] = []
    left = SAMPLE
    for line in lines if whole or len(lines) == 1 else lines[:-1]:
        if not line.isascii():
            found.append(line[:left])
            left -= len(line)
        if left <= 0:
            break
    return b"\n".join(found) or raw[:SAMPLE]


class _Reading(NamedTuple):
    """The sample as an encoding reads it."""

    text: str
    confidence: float
    is_cjk: bool
    is_western: bool


def _plausible_readings(sample: bytes) -> Iterator[_Reading]:
    """Yield what the sample may say, from the most likely encoding to the least, each text once."""
    seen: set[str] = set()
    western = _decode(sample, ENCODINGS[0].codec, whole=False)
    for ranked, confidence in _rank(sample):
        for encoding in ENCODINGS:
            if encoding.ranked != ranked:
                continue
            text = _decode(sample, encoding.codec, whole=False)
            if text is not None and text not in seen and is_plausible(text, ranked):
                seen.add(text)
                yield _Reading(text, confidence, ranked in _CJK, text == western)


def _rank(sample: bytes) -> list[tuple[str, float]]:
    """Return the encodings that chardet knows this sample to fit, with its confidence."""
    try:
        from chardet import detect_all
    except ImportError as exc:
        raise DetectorMissingError from exc
    try:
        found = detect_all(
            sample,
            ignore_threshold=True,
            compat_names=False,
            include_encodings=[one.ranked for one in ENCODINGS],
        )
    except TypeError as exc:  # before version 7.2, the candidates cannot be named
        raise DetectorMissingError from exc
    return [(one["encoding"], one["confidence"]) for one in found if one["encoding"]]


def _decode(raw: bytes, codec: str, *, whole: bool) -> str | None:
    """Decode bytes, with few broken characters at most; a last one that is cut is left out."""
    text = codecs.getincrementaldecoder(codec)("replace").decode(raw, final=whole)
    broken = text.count(_BROKEN)
    return text if broken == 0 or broken <= MOST_BROKEN * len(_FOREIGN.findall(text)) else None


_FOREIGN = re.compile(r"[^\x00-\x7f]")


def _is_certain(best: _Reading, others: Sequence[_Reading]) -> bool:
    if best.confidence < LEAST_CONFIDENCE or _BROKEN in best.text:
        return False
    foreign = _FOREIGN.findall(best.text)
    letters = set(filter(str.isalpha, foreign))
    short = len(foreign) < SHORT
    return len(letters) >= LEAST_DIFFERENT and all(
        best.confidence >= other.confidence * _required_factor(best, other, short=short)
        for other in others
    )


def _required_factor(best: _Reading, other: _Reading, *, short: bool) -> float:
    if best.is_cjk and other.is_cjk:
        return SURE_FACTOR_CJK
    if best.is_western:
        return SHORT_FACTOR_WESTERN if short else SURE_FACTOR_WESTERN
    return SHORT_FACTOR if short else SURE_FACTOR


def is_plausible(text: str, ranked: str) -> bool:
    """Whether the characters beyond ASCII stand where languages of the encoding write them."""
    text = text[:PLAUSIBLE]
    foreign = len(_FOREIGN.findall(text))
    if ranked in _CJK:
        kana = 0 if ranked in _JAPANESE else len(_KANA.findall(text))
        return (
            len(_IN_LATIN_WORD.findall(text)) <= MOST_LATIN * foreign
            and kana <= MOST_KANA * foreign
        )
    odd = len(_NEVER.findall(text)) + sum(map(_count_odd, _WORD.findall(text)))
    return odd <= MOST_ODD * foreign


_NEVER = re.compile(r"[\x80-\x9f\u2500-\u259f\ue000-\uf8ff]")  # controls, boxes, private ones
_WORD = re.compile(r"[A-Za-z\x80-\U0010ffff]+")
_KANA = re.compile(r"[\u3041-\u30fe]")
_IN_LATIN_WORD = re.compile(r"(?<=[a-z])[^\x00-\x7f]|[^\x00-\x7f](?=[a-z])")
_JOINS = frozenset("-\u00ad\u00b7\u2013\u2014\u2018\u2019")  # hyphens, dashes, apostrophes


def _count_odd(word: str) -> int:
    """Count symbols within words or at their beginning, and capitals after small letters."""
    if word.isascii():
        return 0
    kinds = [unicodedata.category(one) for one in word]
    first = kinds[0][0] == "S" and kinds[1:2] == ["Ll"]
    around = zip(kinds, kinds[1:], kinds[2:], word[1:], strict=False)
    symbols = sum(
        before[0] == after[0] == "L" and at[0] in "PSC" and one not in _JOINS
        for before, at, after, one in around
    )
    humps = sum(
        (a, b) == ("Ll", "Lu") and not word[i : i + 2].isascii()
        for i, (a, b) in enumerate(pairwise(kinds))
    )
    return first + symbols + humps
