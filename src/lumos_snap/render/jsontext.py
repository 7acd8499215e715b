"""Reports as JSON."""

import re
from typing import Any

import orjson

from lumos_snap.report.base import Report, answer
from lumos_snap.report.text import utf8

_COMMAND = re.compile(rb"#(?=#\w*\[)")
r"""`##vso[` is a command to a CI system wherever it is printed; `\u0023#vso[` is the same JSON."""


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
    return _COMMAND.sub(rb"\\u0023", text).decode()


def _utf8(held: Any) -> Any:
    r"""The same, with `\xNN` for single bytes."""
    if isinstance(held, dict):
        return {utf8(name): _utf8(value) for name, value in held.items()}
    if isinstance(held, list | tuple):
        return [_utf8(item) for item in held]
    return utf8(held) if isinstance(held, str) else held
