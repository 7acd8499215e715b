"""Reads trivial YAML without the YAML library, whose import takes longer than most commands.

A line is empty, a comment, or `key: word`. Everything else needs the library.
"""

import re

_LINE = re.compile(
    rb"(?:[ ]*#[^\r]*|[ ]*|([a-z_]+):[ ]+([A-Za-z][A-Za-z0-9_-]*|0|[1-9][0-9]{0,8})[ ]*)"
)
_MEANS_SOMETHING = frozenset(
    {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"}
)
"""Words that YAML does not read as texts."""


def parse_plain(raw: bytes) -> dict[str, object] | None:
    """Parse a text of such lines; None if a line is more complex, or a key repeats."""
    found: dict[str, object] = {}
    for line in raw.removesuffix(b"\n").split(b"\n"):
        match = _LINE.fullmatch(line)
        if match is None or not line.isascii():
            return None
        if match[1] is None:
            continue
        key, word = match[1].decode(), match[2].decode()
        if key in found or word.lower() in _MEANS_SOMETHING or key in _MEANS_SOMETHING:
            return None
        found[key] = int(word) if word.isdigit() else word
    return found or None
