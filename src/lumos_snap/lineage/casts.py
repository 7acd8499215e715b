"""What a consumer's cast makes of a change of type."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from lumos_snap.engines import Outcome, ask
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.model.type_syntax import parse_type
from lumos_snap.schema import document_of


class Cast(Enum):
    """What a cast does about a change of type."""

    NONE = "it does not cast the column"
    HOLDS = "every value of the new type becomes one of the type that it casts to"
    DOUBTFUL = "it casts the column, and not every value may fit"


_NAME = r"[\w.`\"\[\]$]+"
_TYPE = r"[\w ]+(?:\([\d\s,]*\))?"
_CAST = re.compile(
    rf"\s*(?:(?:TRY_|SAFE_)?CAST\s*\(\s*(?P<cast>{_NAME})\s+AS\s+(?P<as>{_TYPE})\s*\)"
    rf"|(?P<short>{_NAME})\s*::\s*(?P<to>{_TYPE}))\s*",
    re.IGNORECASE,
)
_LONGEST = 1_000
"""No cast of one column is longer; a pattern need not be tried on a whole query."""

# What SQL calls the types that hold the same in every dialect; the rest is not guessed.
_SQL = {
    "BIGINT": "INT64",
    "LONG": "INT64",
    "INT": "INT32",
    "INTEGER": "INT32",
    "SMALLINT": "INT16",
    "TINYINT": "INT8",
    "DOUBLE": "FLOAT64",
    "DOUBLE PRECISION": "FLOAT64",
    "FLOAT8": "FLOAT64",
    "REAL": "FLOAT32",
    "TEXT": "STRING",
    "VARCHAR": "STRING",
    "BOOL": "BOOLEAN",
}
_SCALARS = frozenset(
    f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)
) | frozenset(("BOOLEAN", "DECIMAL", "STRING", "CHAR", "VARCHAR", "DATE", "UUID", "ENUM"))


def cast_of(expression: str, source: str, new: Mapping[str, Any]) -> Cast:
    """What an expression does with one column whose type is now a new one."""
    match = _CAST.fullmatch(expression) if len(expression) <= _LONGEST else None
    if match is None or not _is_the_column(match["cast"] or match["short"], source):
        return Cast.NONE
    target = _portable(match["as"] or match["to"])
    if target is None or "type" not in new:
        return Cast.DOUBTFUL
    if target == {"type": "STRING"}:
        return Cast.HOLDS if new["type"] in _SCALARS else Cast.DOUBTFUL
    is_exact = ask("generic", new, target).outcome is Outcome.EXACT
    return Cast.HOLDS if is_exact else Cast.DOUBTFUL


def _is_the_column(text: str, source: str) -> bool:
    """Whether a name in an expression is the column, with or without its table."""
    bare = re.sub(r"[`\"\[\]]", "", text).casefold()
    try:
        path = format_path(parse_path(source)).replace("`", "").casefold()
    except ValueError:
        return False
    return bare == path or bare.endswith("." + path)


def _portable(text: str) -> Mapping[str, Any] | None:
    """The type that SQL names, as snapshots have it; nothing where that is not certain."""
    named = " ".join(text.upper().split())
    named = re.sub(r"^(NUMERIC|DEC)\b", "DECIMAL", named)
    named = re.sub(r"^(DECIMAL ?\( ?\d+ ?)\)$", r"\1, 0)", named)
    try:
        found = document_of(parse_type(_SQL.get(named, named)))
    except ValueError:
        return None
    return None if found["type"] == "DECIMAL" and "precision" not in found else found
