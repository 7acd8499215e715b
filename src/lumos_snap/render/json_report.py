"""Reports as JSON."""

import re
from collections.abc import Callable
from typing import Any

import orjson

from lumos_snap.report.envelope import Report, answer
from lumos_snap.text import utf8

# What a terminal, a CI system or a reader of lines obeys, though it is in a text: `##vso[` is a
# command wherever it is printed, and some take U+2028 for the end of a line.
_OBEYED = re.compile(r"#(?=#\w*\[)|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def to_json(report: Report) -> str:
    """A report as its published schema describes it."""
    return written(answer(report), indent=True)


def redacted_json(report: Report, redact: Callable[[str], str]) -> str:
    """The same without secrets; each text is redacted alone, so that JSON stays JSON."""
    text = to_json(report)
    if redact(text) == text:  # what most reports hold: a whole text is searched in less time
        return text
    return written(_each_text(answer(report), redact), indent=True)


def written(plain: Any, *, indent: bool = False) -> str:
    """Plain values as JSON that may be printed anywhere, with a newline at the end."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        text = orjson.dumps(plain, option=option)
    except TypeError:  # a path with bytes that are not UTF-8, which JSON cannot hold
        text = orjson.dumps(_each_text(plain, utf8), option=option)
    return _OBEYED.sub(lambda match: f"\\u{ord(match.group()):04x}", text.decode())


def _each_text(held: Any, change: Callable[[str], str]) -> Any:
    """The same values, with every text changed."""
    if isinstance(held, dict):
        return {change(name): _each_text(value, change) for name, value in held.items()}
    if isinstance(held, list | tuple):
        return [_each_text(item, change) for item in held]
    return change(held) if isinstance(held, str) else held
