"""The stem of a file name: its words without part numbers, dates, ids and codecs."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lumos_snap.scan.grouping.dates import find_date_format
from lumos_snap.scan.grouping.extensions import DATA_SUFFIXES, split_suffixes
from lumos_snap.scan.grouping.include_exclude import escape_glob


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GENERIC = _words(
    "part parts data file files chunk chunks export exports output outputs out result results"
    " batch run dump segment record records block shard shards partition snapshot dataset load"
    " unload unnamed task attempt flumedata split tid"
)
"""Generic words: a name of only these means that the folder is the dataset."""

PARTS = _words(
    "part chunk shard split slice block batch task attempt copy page bucket partition run tid"
    " jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july"
    " august september october november december"
)
"""Words that are dropped beside a number, as in `clicks_part_1` or `clicks_jan_2024`."""

BETWEEN = _words("r m of")
"""Words that are dropped between two numbers, as in `part-r-00000` or `00001-of-00010`."""

CODECS = _words("snappy gz gzip bz2 bzip2 zst zstd zlib lz4 lzo xz deflate brotli uncompressed")
"""Words that are dropped at the end of a name, as in `00000-snappy.parquet`."""

MONTHS_AND_ZONES = _words("jan feb mar apr may jun jul aug sep sept oct nov dec t z utc am pm")
"""Words that may join the numbers of a date, as in `15Jan2024`."""


def word_forms(word: str) -> frozenset[str]:
    """Return the possible singular and plural forms of a word."""
    ways = {word}
    if word.endswith("ies"):
        ways.add(f"{word[:-3]}y")
    if word.endswith("es"):
        ways.add(word[:-2])
    if word.endswith("s"):
        ways.add(word[:-1])
    return frozenset(way for way in ways if way)


_GAP = r"\-_.+ ~,;:@#()\[\]{}="
_HEX = "[0-9A-Fa-f]"
_UUID = rf"{_HEX}{{8}}(?P<s>[-_]){_HEX}{{4}}(?P=s){_HEX}{{4}}(?P=s){_HEX}{{4}}(?P=s){_HEX}{{12}}"
# Patterns of counters and ids. All are replaced by the same text, so that results are cached.
_COUNTED = re.compile(
    rf"""
    (?<![^{_GAP}]) (?:
      {_UUID}
    | [0-9]{{8}}_[0-9]{{6}}_[0-9]{{5}}_[0-9a-z]{{5}}        # a query of Trino
    | [0-9]{{4}}-?[0-9]{{2}}-?[0-9]{{2}}T[0-9]{{2}}(?:[:.,_-]?[0-9]++)*+Z?
    | [0-9]{{4}}-?W[0-9]{{2}}                               # the week of a year
    | [0-9]++
    ) (?=[{_GAP}]|\Z)
    """,
    re.VERBOSE,
)
_TOKEN = re.compile(rf"[^{_GAP}]+")
_RUNS = re.compile(r"[0-9]+|[^0-9]+")
_ONLY_GAP = re.compile(rf"[{_GAP}]*")
_OPENING = re.compile(r"[ _-]?[(\[{]\Z")
_LETTER = re.compile("[a-z]")
_WORD_AND_NUMBER = re.compile(r"([^0-9]+)[0-9]+", re.DOTALL)
_DIGIT = re.compile("[0-9]")
_MARK = re.compile(r"c[0-9]{3}|pt?[0-9]+[smhdwy]")  # a Spark task, or a duration such as PT1H
_HEX_ID = re.compile(rf"(?=[0-9]*[A-Fa-f])(?=(?:[A-Fa-f]*[0-9]){{2}}){_HEX}{{8,}}")
_DIGITS = frozenset("0123456789")
_LONG_ID = 16  # mixed letters and digits of this length are an id, whatever the alphabet
_LONG_NUMBER = 8
_MIN_RUNS = 3  # alternating runs of digits and letters


@dataclass(frozen=True, slots=True)
class Stem:
    """The meaningful part of a file name; `text` is empty if there is none."""

    text: str
    glob: str  # matches names with this stem, among files of the same format
    words: tuple[str, ...]


@dataclass(slots=True)
class _Token:
    """A word between separators, with the spans to keep."""

    word: str
    keeps: list[tuple[int, int]]


def bare_words(text: str) -> tuple[str, ...]:
    """Split a name into case-folded words for comparison, including numbers."""
    return tuple(word.casefold() for word in re.split(f"[{_GAP}]+", text) if word)


def stem_of(name: str) -> Stem:
    """Return the stem of a file name."""
    if " " not in name:
        return _stem_of(_COUNTED.sub("0", name))
    return _stem_of(_COUNTED.sub(lambda one: one[0] if _is_of_a_title(one) else "0", name))


def _is_of_a_title(found: re.Match[str]) -> bool:
    """Whether a number is part of a title, because it is short and stands between two words.

    `ISO 3166 codes` and `Covid-19 cases` are titles; `part 1 of 3` and `15 Jan 2024` are not.
    """
    if not _SHORT_NUMBER.fullmatch(found[0]):
        return False
    before = _TOKEN.findall(found.string[: found.start()])[-1:]
    after = _TOKEN.findall(split_suffixes(found.string[found.end() :]).bare)[:1]
    return all(
        len(words) == 1 and _DIGIT.search(words[0]) is None and words[0].casefold() not in _COUNTS
        for words in (before, after)
    )


_SHORT_NUMBER = re.compile("[1-9][0-9]{0,3}")
_COUNTS = GENERIC | PARTS | BETWEEN | CODECS | MONTHS_AND_ZONES
"""Words that a number beside them counts or dates."""


@lru_cache(maxsize=16384)
def _stem_of(name: str) -> Stem:
    split = split_suffixes(name)
    bare = split.bare
    tokens = [
        _token(found.group(), found.start())
        for found in _TOKEN.finditer(bare)
        if not _is_suffix(bare, found)
    ]
    _drop_part_words(tokens)
    _drop_codecs(tokens)
    spans = [span for token in tokens for span in token.keeps]
    words = tuple(bare[start:end].casefold() for start, end in spans)
    if all(word in GENERIC or word in CODECS or _LETTER.fullmatch(word) for word in words):
        return _NOTHING
    return Stem(_join_spans(bare, spans), _glob(bare, spans) + escape_glob(split.ending), words)


_NOTHING = Stem("", "", ())


def _is_suffix(bare: str, found: re.Match[str]) -> bool:
    """Whether a word is a data extension with more after it, as in `orders.csv.2024-01-15`."""
    if found.group().lower() not in DATA_SUFFIXES or found.start() == 0:
        return False
    return bare[found.start() - 1] == "." and bare[found.end() : found.end() + 1] in (".", "")


def _token(text: str, start: int) -> _Token:
    if text == "0":
        return _Token("", [])
    if text.isdecimal():  # of a title
        return _Token(text, [(start, start + len(text))])
    if _DIGIT.search(text):
        return _token_with_digits(text, start)
    return _Token(text.casefold(), [(start, start + len(text))])


def _token_with_digits(text: str, start: int) -> _Token:
    """Analyse letters and digits side by side: an id, a numbered word, or a word with a date."""
    lower = text.casefold()
    if _MARK.fullmatch(lower) or _HEX_ID.fullmatch(text):
        return _Token("", [])
    numbered = _WORD_AND_NUMBER.fullmatch(lower)
    if numbered and (numbered[1] in GENERIC or numbered[1] in PARTS):
        word = numbered[1]
        return _Token(word, [] if word in PARTS else [(start, start + len(word))])
    runs = list(_RUNS.finditer(text))
    words = [run.group() for run in runs if run.group()[0] not in _DIGITS]
    if all(word.casefold() in MONTHS_AND_ZONES for word in words) or _is_id(text, len(runs)):
        return _Token("", [])
    kept = [(start + r.start(), start + r.end()) for r in runs if not _is_glued_date(r.group())]
    return _Token("", _merge_adjacent(kept))


def _is_id(text: str, runs: int) -> bool:
    return len(text) >= _LONG_ID and runs > _MIN_RUNS and text.isascii()


def _is_glued_date(run: str) -> bool:
    return run[0] in _DIGITS and (len(run) >= _LONG_NUMBER or find_date_format(run) is not None)


def _merge_adjacent(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _drop_part_words(tokens: list[_Token]) -> None:
    """Drop words beside dropped ones, until no more qualify."""
    going = True
    while going:
        going = False
        # In both directions: a long row of such words is dropped in one pass.
        for at in (*range(len(tokens)), *reversed(range(len(tokens)))):
            if tokens[at].keeps and _numbers_a_part(tokens, at):
                tokens[at].keeps = []
                going = True


def _numbers_a_part(tokens: list[_Token], at: int) -> bool:
    word = tokens[at].word
    if word not in PARTS and word not in BETWEEN:
        return False
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    follows = before is not None and not before.keeps
    leads = after is not None and not after.keeps
    if word in PARTS:
        return follows or leads
    return leads and (follows or (before is not None and before.word in PARTS))


def _drop_codecs(tokens: list[_Token]) -> None:
    kept = [token for token in tokens if token.keeps]
    while len(kept) > 1 and kept[-1].word in CODECS:
        kept.pop().keeps = []


def _join_spans(bare: str, spans: list[tuple[int, int]]) -> str:
    """Join the kept spans with their separators; one separator replaces a dropped part."""
    text = bare[slice(*spans[0])]
    for (_, end), (start, stop) in pairwise(spans):
        between = bare[end:start]
        bracket = _OPENING.search(between)
        if bracket:
            between = bracket[0]
        elif not _ONLY_GAP.fullmatch(between):
            between = next(filter(_ONLY_GAP.fullmatch, (between[-1], between[0])), "_")
        text += between + bare[start:stop]
    return text + _closing(text, bare[spans[-1][1] :])


def _closing(text: str, rest: str) -> str:
    """Return the bracket that closes one in the text, if it follows."""
    is_open = any(text.count(one) > text.count(other) for one, other in ("()", "[]", "{}"))
    return rest[:1] if is_open and rest[:1] in tuple(")]}") else ""


def _glob(bare: str, spans: list[tuple[int, int]]) -> str:
    glob = "*" if spans[0][0] else ""
    for (start, end), after in zip(spans, [*spans[1:], None], strict=True):
        between = bare[end : after[0]] if after else ""
        is_whole = after is not None and _ONLY_GAP.fullmatch(between)
        glob += escape_glob(bare[start:end]) + (escape_glob(between) if is_whole else "*")
    return glob
