"""CSV columns as portable types, inferred from values; in doubt, a column is text."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import DataType, Field, Kind, Unit
from lumos_snap.scan.schemas.supertype import DatasetSchema, describe_text_file, union_scalars

DIGITS = 38
"""Maximum precision of a decimal in engines."""

_TEXT = DataType(type=Kind.STRING)
_TYPES: Mapping[str, DataType] = {
    "blank": DataType(type=Kind.NULL),
    "int": DataType(type=Kind.INT64),
    "big": DataType(type=Kind.DECIMAL, precision=DIGITS, scale=0),
    "float": DataType(type=Kind.FLOAT64),
    "nan": DataType(type=Kind.FLOAT64),
    "bool": DataType(type=Kind.BOOLEAN),
    "date": DataType(type=Kind.DATE),
    "timestamp": DataType(type=Kind.TIMESTAMP, unit=Unit.MICROSECOND),
    "timestamp-ns": DataType(type=Kind.TIMESTAMP, unit=Unit.NANOSECOND),
    "instant": DataType(type=Kind.TIMESTAMP, unit=Unit.MICROSECOND, timezone="UTC"),
    "instant-ns": DataType(type=Kind.TIMESTAMP, unit=Unit.NANOSECOND, timezone="UTC"),
}
"""Types of kinds of values; all other kinds are text."""

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
    "repeated-header": "the header stands in the middle again: these rows are no data",
    "second-headings": "a second line of headings follows the header: these values are no data",
    "third-headings": "two lines of headings follow the header: these values are no data",
    "headings-above": "a line of headings stands above the header: readers must skip it",
    "multiline": "some values in quotes span lines: readers must be told to expect it",
    "open-quote": "a value in quotes does not end: what follows was not read",
    "short-rows": "some rows have fewer values than there are columns",
    "long-rows": "some rows have more values than there are columns",
}
_SPELLED = {"\t": "\\t"}


def schema_of(evidence: JsonObject) -> DatasetSchema:
    """Convert the columns, with options of the dialect and notes on doubts."""
    columns = evidence["columns"]
    return describe_text_file(
        [
            Field(name=one["name"], nullable=True, **infer_column_type(one["kinds"]))
            for one in columns
        ],
        evidence,
        options=_options(evidence),
        notes=[
            f"column `{one['name']}`: {why}: read as STRING"
            for one in columns
            if (why := _explain_doubt(frozenset(one["kinds"])))
        ],
        flags=_FLAGS,
    )


def infer_column_type(kinds: Iterable[str]) -> JsonObject:
    """Infer the type of a column from all kinds of its values, as arguments of `Field`.

    The result is the same for values in one file or in several. A column of blanks is NULL, which
    every type widens.
    """
    return _union_kinds(frozenset(kinds))


@lru_cache(maxsize=4096)
def _union_kinds(kinds: frozenset[str]) -> JsonObject:
    types = [_TYPES.get(kind, _TEXT) for kind in sorted(kinds)] or [_TYPES["blank"]]
    return union_scalars(types, inferred=True)


def _explain_doubt(kinds: frozenset[str]) -> str:
    """Explain why a column is text although its values look like another type."""
    seen = kinds - {"blank"}
    if seen == _ONLY_TEXT or infer_column_type(sorted(seen))["type"] != Kind.STRING:
        return ""
    for cause, why in _WHY:
        if seen & cause:
            return why
    if seen & _LOCAL and seen & _ZONED and not seen - _LOCAL - _ZONED:
        return "some timestamps have a zone and some have none"
    return "its values are of several kinds"


def _options(evidence: JsonObject) -> dict[str, str]:
    delimiter = evidence["delimiter"]
    return {
        "delimiter": _SPELLED.get(delimiter, delimiter),
        "header": "true" if evidence["header"] else "false",
        **{name: evidence[name] for name in ("quote", "escape", "comment") if name in evidence},
    }
