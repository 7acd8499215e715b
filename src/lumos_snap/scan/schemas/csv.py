"""Delimited text: types that its values allow. What is not sure stays text."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.model.kinds import Kind, Unit
from lumos_snap.model.types import Field
from lumos_snap.scan.schemas.described import Described
from lumos_snap.scan.schemas.inferred import described

DIGITS = 38
"""The most digits that engines give a decimal."""

# The first row that has every kind of a column is its type. Each allows what one before it does,
# or nothing of it, so that more values widen a type and never change it to another.
_TYPES: tuple[tuple[frozenset[str], Mapping[str, Any]], ...] = (
    (frozenset(("blank", "nan")), {"type": Kind.NULL}),
    (frozenset(("int",)), {"type": Kind.INT64}),
    (frozenset(("int", "big")), {"type": Kind.DECIMAL, "precision": DIGITS, "scale": 0}),
    (frozenset(("int", "big", "float", "nan")), {"type": Kind.FLOAT64}),
    (frozenset(("bool",)), {"type": Kind.BOOLEAN}),
    (frozenset(("date",)), {"type": Kind.DATE}),
    (frozenset(("date", "timestamp")), {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND}),
    (
        frozenset(("date", "timestamp", "timestamp-ns")),
        {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND},
    ),
    (
        frozenset(("instant",)),
        {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND, "timezone": "UTC"},
    ),
    (
        frozenset(("instant", "instant-ns")),
        {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND, "timezone": "UTC"},
    ),
)
_WHY: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset(("padded",)), "some values have leading zeros"),
    (frozenset(("comma",)), "some numbers have a decimal comma"),
    (frozenset(("missing",)), "some values are words for null, as in NULL or NA"),
    (frozenset(("huge",)), f"some numbers have more than {DIGITS} digits"),
)
_LOCAL = frozenset(("date", "timestamp", "timestamp-ns"))
_ZONED = frozenset(("instant", "instant-ns"))
_ONLY_TEXT = frozenset(("text",))

_FLAGS = {
    "separator-line": "the first line only names the delimiter: readers must skip it",
    "header-unsure": "whether the first line is a header cannot be told from its values",
    "multiline": "some values in quotes span lines: readers must be told to expect it",
    "open-quote": "a value in quotes does not end: what follows was not read",
    "short-rows": "some rows have fewer values than there are columns",
    "long-rows": "some rows have more values than there are columns",
}
_SPELLED = {"\t": "\\t"}


def schema_of(evidence: Mapping[str, Any]) -> Described:
    """The columns, how the text is written, and what was not sure."""
    columns = evidence["columns"]
    return described(
        [Field(name=one["name"], nullable=True, **type_of(one["kinds"])) for one in columns],
        evidence,
        options=_options(evidence),
        notes=[
            f"column `{one['name']}`: {why}: read as STRING"
            for one in columns
            if (why := _doubt(frozenset(one["kinds"])))
        ],
        flags=_FLAGS,
    )


def type_of(kinds: list[str]) -> Mapping[str, Any]:
    """The type of a column, as what `Field` takes.

    A column of blanks is NULL, which every type widens; so is one of nothing but NaN.
    """
    seen = frozenset(kinds) - {"blank"}
    return next((given for known, given in _TYPES if seen <= known), {"type": Kind.STRING})


def _doubt(kinds: frozenset[str]) -> str:
    """Why a column whose values look like something is text all the same."""
    seen = kinds - {"blank"}
    if seen == _ONLY_TEXT or type_of(sorted(seen))["type"] != Kind.STRING:
        return ""
    for cause, why in _WHY:
        if seen & cause:
            return why
    if seen & _LOCAL and seen & _ZONED and not seen - _LOCAL - _ZONED:
        return "some timestamps have a zone and some have none"
    return "its values are of several kinds"


def _options(evidence: Mapping[str, Any]) -> dict[str, str]:
    delimiter = evidence["delimiter"]
    return {
        "delimiter": _SPELLED.get(delimiter, delimiter),
        "header": "true" if evidence["header"] else "false",
        **{name: evidence[name] for name in ("quote", "escape", "comment") if name in evidence},
    }
