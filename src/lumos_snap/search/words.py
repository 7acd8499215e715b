"""How names and words are taken apart, alike for what is indexed and for what is asked."""

import re
import unicodedata

LINE, FORM = "\n", "\t"
"""What divides the things of one field in the index, and the forms of one thing."""

OPEN, CLOSE, MARK = "\ue000", "\ue001", "\ue002"
"""What stands around a word that was found, and before a mark: no indexed text keeps them."""

_CONTROL = re.compile(f"[\x00-\x1f\x7f{OPEN}{CLOSE}{MARK}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"(?<=[^\W\d_])(?=[0-9])")
_OLD = unicodedata.ucd_3_2_0
_BETWEEN = re.compile(r"[\W_]+")


def clean(text: str) -> str:
    """A text that SQLite can hold, on one line: no control characters, no halves of characters."""
    plain = _CONTROL.sub(" ", text)
    if plain.isascii():
        return plain
    whole = plain.encode("utf-8", "replace").decode()
    return "".join(f" {char} " if _is_odd_sign(char) else char for char in whole)


def _is_odd_sign(char: str) -> bool:
    """Whether SQLite may take for a letter what is none: a younger or a private sign."""
    return not char.isalnum() and _OLD.category(char) in ("Cn", "Co")


def split_humps(text: str) -> str:
    """A name with its parts apart: `userClicks` is `user Clicks`."""
    return _CAMEL.sub(" ", text)


def join_parts(text: str) -> str:
    """A name without what stands between its parts."""
    return _BETWEEN.sub("", text)


def line(name: str) -> str:
    """A name as it is indexed: as it stands, in parts, and without what stands between them."""
    plain = clean(name)
    forms = (plain, _NUMBER.sub(" ", split_humps(plain)), join_parts(plain))
    return FORM.join(dict.fromkeys(form for form in forms if form))


def lines(names: "list[str]") -> str:
    """Many names, each on a line."""
    return LINE.join(line(name) for name in dict.fromkeys(names))


def name_of_line(line_of_index: str) -> str:
    """The name that an indexed line stands for."""
    return line_of_index.partition(FORM)[0]
