"""Sanitizing of untrusted text for output: control and hidden characters are escaped.

Commands of CI systems are escaped as well, because any line may be printed to their logs.
"""

import re
import unicodedata

# Control and format characters, surrogates (bytes that are not UTF-8), line separators; the
# first character of `##vso[` and `##[`, which start commands of CI systems anywhere in a line.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]|#(?=#\\w*\\[)"
)
_COMMAND = re.compile(r"^(\s*):(?=:)")
"""`::error::` and similar commands count only at the start of a line."""
_SINGLE = re.compile("[\ud800-\udfff]")


def sanitize_text(text: str) -> str:
    """The text on one line, without control sequences of terminals."""
    return _COMMAND.sub(r"\1\\x3a", _UNSAFE.sub(_spell_out, text))


def escape_surrogates(text: str) -> str:
    r"""The text in valid UTF-8: `\xNN` for an invalid byte, `\uNNNN` for a lone surrogate."""
    return _SINGLE.sub(_spell_out, text)


def sanitize_brief(text: str, most: int) -> str:
    """Sanitize a text, and shorten it to a maximum length."""
    plain = sanitize_text(text[: most + 1])
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _spell_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - how Python spells a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:  # noqa: PLR2004
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def width(text: str) -> int:
    """Number of terminal columns of a text."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def readable(name: str) -> str:
    r"""The name with each byte that is not UTF-8 escaped, as in `caf\xe9.csv`."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
