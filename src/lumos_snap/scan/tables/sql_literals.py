"""SQL literals as JSON, for default values of columns."""

import json
import re
from typing import Any

_WORDS = {"null": "null", "true": "true", "false": "false"}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_QUOTED = re.compile(r"'((?:[^'\\]|'')*)'")


def as_json(expression: Any) -> str | None:
    """Convert a literal to JSON; None for an expression that must be evaluated."""
    if not isinstance(expression, str):
        return None
    plain = expression.strip()
    if plain.lower() in _WORDS:
        return _WORDS[plain.lower()]
    if _NUMBER.fullmatch(plain):
        return plain
    quoted = _QUOTED.fullmatch(plain)
    if quoted is None:
        return None
    return json.dumps(quoted[1].replace("''", "'"), ensure_ascii=False)  # noqa: TID251 - a part of a value
