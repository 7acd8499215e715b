"""Reports as JSON."""

from typing import Any

import orjson

from lumos_snap.report.base import Report, answer


def to_json(report: Report) -> str:
    """A report as its published schema describes it."""
    plain = answer(report)
    try:
        text = orjson.dumps(plain, option=orjson.OPT_INDENT_2)
    except TypeError:  # a path with bytes that are not UTF-8, which JSON cannot hold
        text = orjson.dumps(_utf8(plain), option=orjson.OPT_INDENT_2)
    return text.decode() + "\n"


def _utf8(held: Any) -> Any:
    r"""The same, with `\xNN` for single bytes."""
    if isinstance(held, dict):
        return {name: _utf8(value) for name, value in held.items()}
    if isinstance(held, list):
        return [_utf8(item) for item in held]
    if isinstance(held, str):
        return held.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return held
