"""User-defined patterns, matched in time that is linear in the text.

Patterns come from a pull request just like names, and Python's `re` can take exponential time for a
pair of them. The engine is Rust's `regex`, which comes with pydantic-core: it has neither
look-around nor backreferences. It is imported only if a pattern needs it.
"""

import functools
import re
from collections.abc import Callable

from lumos_snap.errors import LumosError

Match = Callable[[str], bool]
"""Whether a whole text matches."""

LONGEST_TEXT = 255
"""Characters of a name: a longer one matches no regular expression."""
LONGEST_PATTERN = 1_000
_ROOM = 20
"""The number of copies of a pattern that must fit into the engine's limit of 10 MiB."""
_REASON = re.compile(r"^ *error: (.*)|(Compiled regex exceeds size limit)", re.MULTILINE)


class PatternError(ValueError):
    """An unsupported pattern; the message says why."""


@functools.lru_cache(maxsize=256)
def regular_expression(pattern: str) -> Match:
    """Compile a regular expression for whole names; raises `PatternError` if unsupported."""
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"is longer than {LONGEST_PATTERN:,} characters")
    _engine(pattern)  # first alone: `a)|(b` must not become valid by the wrapping below
    _engine(f"(?:{pattern}){{{_ROOM}}}")
    match = _engine(rf"\A(?:{pattern})\z")
    return lambda text: len(text) <= LONGEST_TEXT and match(text)


def wildcards(regex: str, repeats: int) -> Match:
    """Compile the regular expression of a glob with that many repeatable parts.

    One repeatable part cannot backtrack badly: Python's `re` suffices without further imports.
    """
    if repeats <= 1:
        found = re.compile(regex, re.DOTALL).fullmatch
        return lambda text: found(text) is not None
    if len(regex) > _LONGEST_GLOB:
        raise PatternError("is too long")
    return _engine(rf"(?s)\A(?:{regex})\z")


_LONGEST_GLOB = 20_000


def _engine(regex: str) -> Match:
    from pydantic_core import SchemaError, SchemaValidator

    try:
        match = SchemaValidator(
            {"type": "str", "strict": True, "pattern": _sound(regex), "regex_engine": "rust-regex"}
        ).isinstance_python
    except SchemaError as exc:
        raise PatternError(_reason(str(exc))) from None
    return lambda text: match(text if text.isascii() else _sound(text))


def _sound(text: str) -> str:
    """The text with lone surrogates replaced: they stand for bytes that are not UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _reason(said: str) -> str:
    found = _REASON.search(said)
    if found is None:
        return "is not valid"
    return found[1] or "is too large: it repeats too much"


def matches_dataset(pattern: str, urn: str) -> bool:
    """Whether a pattern of dataset paths matches a dataset, with the syntax of git."""
    return _pattern(pattern)(urn.removeprefix("lumos://"))


@functools.lru_cache(maxsize=1024)
def _pattern(pattern: str) -> Match:
    """Compile a pattern: `*` and `?` match within a name, `**` spans folders."""
    text = pattern.removeprefix("lumos://").removeprefix("snapshots/").removesuffix(".json")
    parts = re.split(r"(\*\*/|/\*\*|\*\*|\*|\?)", text)
    regex = "".join(_SIGNS.get(part, re.escape(part)) for part in parts)
    try:
        return wildcards(regex, sum("*" in part for part in parts))
    except PatternError as exc:
        raise LumosError(f"unsupported pattern of datasets `{pattern[:100]}…`: {exc}") from exc


_SIGNS = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
