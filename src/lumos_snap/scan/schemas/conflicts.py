"""What holds values that no type holds together."""

from collections.abc import Iterable, Mapping
from typing import Any

from lumos_snap.model.type_kinds import Kind
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType

_NO_TEXT = frozenset(
    (
        Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF, Kind.VARIANT, Kind.JSON,
        Kind.UNKNOWN,
    )
)  # fmt: skip
_BETWEEN = " | "
MOST_PIECES = 200
"""A text that falls into more is a source's own: taking it apart would take too long."""


def conflict(types: Iterable[DataType], *, inferred: bool) -> Mapping[str, Any]:
    """Guessed types become text, or JSON where some are nested; declared ones are all listed.

    Nothing can be added to either that it does not hold already.
    """
    if inferred:
        nested = any(one.type in _NO_TEXT for one in types)
        return {"type": Kind.JSON if nested else Kind.STRING}
    texts = {text for one in types for text in _parts(one)}
    return {"type": Kind.UNKNOWN, "native": _BETWEEN.join(sorted(texts))}


def _parts(one: DataType) -> tuple[str, ...]:
    """What a type adds to the list: what a conflict had listed before is not listed inside it."""
    listed = _listed(one.native or "") if one.type is Kind.UNKNOWN else ()
    return listed or (format_type(one),)


def _listed(native: str) -> tuple[str, ...]:
    """The types that a conflict listed; nothing where the text is a source's own."""
    pieces = native.split(_BETWEEN)
    if not 1 < len(pieces) <= MOST_PIECES:
        return ()
    found: list[str] = []
    left = ""
    for piece in pieces:
        # Names and symbols may hold the sign as well: then the type does not end here.
        left = f"{left}{_BETWEEN}{piece}" if left else piece
        if _is_type(left):
            found.append(left)
            left = ""
    return () if left else tuple(found)


def _is_type(text: str) -> bool:
    try:
        return format_type(parse_type(text)) == text
    except ValueError:
        return False
