"""Splitting of names and words, equal for indexing and for queries."""

import re
import unicodedata

LINE, FORM = "\n", "\t"
"""Separators in the index: between items of a field, and between forms of an item."""

OPEN, CLOSE, MARK = "\ue000", "\ue001", "\ue002"
"""Delimiters of a match, and prefix of marks; they are removed from indexed text."""

_CONTROL = re.compile(f"[\x00-\x1f\x7f{OPEN}{CLOSE}{MARK}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"(?<=[^\W\d_])(?=[0-9])")
_OLD = unicodedata.ucd_3_2_0
_BETWEEN = re.compile(r"[\W_]+")


def clean(text: str) -> str:
    """Clean a text for SQLite: one line, without control characters and lone surrogates."""
    plain = _CONTROL.sub(" ", text)
    if plain.isascii():
        return plain
    whole = plain.encode("utf-8", "replace").decode()
    return "".join(f" {char} " if _is_odd_sign(char) else char for char in whole)


def _is_odd_sign(char: str) -> bool:
    """Whether SQLite may treat a character as a letter that is none: a newer or private one."""
    return not char.isalnum() and _OLD.category(char) in ("Cn", "Co")


def split_humps(text: str) -> str:
    """Split camel case: `userClicks` becomes `user Clicks`."""
    return _CAMEL.sub(" ", text)


def join_parts(text: str) -> str:
    """A name without the separators between its parts."""
    return _BETWEEN.sub("", text)


def line(name: str) -> str:
    """The indexed forms of a name: unchanged, split, and without separators."""
    plain = clean(name)
    forms = (plain, _NUMBER.sub(" ", split_humps(plain)), join_parts(plain))
    return FORM.join(dict.fromkeys(form for form in forms if form))


def lines(names: "list[str]") -> str:
    """The indexed forms of several names, one line each."""
    return LINE.join(line(name) for name in dict.fromkeys(names))


def name_of_line(line_of_index: str) -> str:
    """The name of an indexed line."""
    return line_of_index.partition(FORM)[0]
