"""Reports as JSON."""

import re
from typing import Any

import orjson

from lumos_snap.report.base import Report, answer
from lumos_snap.report.text import utf8

# What a terminal, a CI system or a reader of lines obeys, though it is in a text: `##vso[` is a
# command wherever it is printed, and some take U+2028 for the end of a line.
_OBEYED = re.compile(r"#(?=#\w*\[)|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def to_json(report: Report) -> str:
    """A report as its published schema describes it."""
    return written(answer(report), indent=True)


def written(plain: Any, *, indent: bool = False) -> str:
    """Plain values as JSON that may be printed anywhere, with a newline at the end."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        text = orjson.dumps(plain, option=option)
    except TypeError:  # a path with bytes that are not UTF-8, which JSON cannot hold
        text = orjson.dumps(_utf8(plain), option=option)
    return _OBEYED.sub(lambda match: f"\\u{ord(match.group()):04x}", text.decode())


def _utf8(held: Any) -> Any:
    r"""The same, with `\xNN` for single bytes."""
    if isinstance(held, dict):
        return {utf8(name): _utf8(value) for name, value in held.items()}
    if isinstance(held, list | tuple):
        return [_utf8(item) for item in held]
    return utf8(held) if isinstance(held, str) else held
