"""Types as people write them: `ARRAY<STRUCT<a: INT64, b: DECIMAL(12,2) NOT NULL>>`.

The notation speaks of kind, parameters, member names and nullability. Members, elements and
values may be null unless `NOT NULL` follows them; odd names stand in backticks (a backtick in one
is doubled), other odd words in quotes (likewise).
"""

from collections.abc import Callable, Mapping

from lumos_snap.model.kinds import UNITS, Kind
from lumos_snap.model.scanner import PLAIN_NAME, PLAIN_WORD
from lumos_snap.model.types import Branch, DataType, Element, Field


def format_type(data_type: DataType) -> str:
    """A type in the notation; whatever else a field says of itself is left out."""
    kind = data_type.type
    return kind.value + (_WRITTEN[kind](data_type) if kind in _WRITTEN else "")


def _decimal(one: DataType) -> str:
    return "" if one.precision is None else f"({one.precision},{one.scale})"


def _length(one: DataType) -> str:
    return "" if one.length is None else f"({one.length})"


def _collation(one: DataType) -> str:
    return "" if one.collation is None else f" COLLATE {_word(one.collation)}"


def _clock(one: DataType) -> str:
    said = [] if one.unit is None else [one.unit.value]
    if one.timezone is not None:
        said.append(_quoted(one.timezone) if one.timezone in UNITS else _word(one.timezone))
    return f"({', '.join(said)})" if said else ""


def _symbols(one: DataType) -> str:
    written = f"({','.join(map(_quoted, one.symbols))})" if one.symbols else ""
    default = one.symbol_default
    return written if default is None else f"{written} DEFAULT {_quoted(default)}"


def _nested(*held: DataType | None) -> str:
    return f"<{', '.join(_held(one) for one in held if one is not None)}>"


def _held(one: DataType) -> str:
    label = (
        f"{_name(one.name)}: " if isinstance(one, Field | Branch) and one.name is not None else ""
    )
    required = " NOT NULL" if isinstance(one, Field | Element) and not one.nullable else ""
    return f"{label}{format_type(one)}{required}"


def _name(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _word(text: str) -> str:
    return text if PLAIN_WORD.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_WRITTEN: Mapping[Kind, Callable[[DataType], str]] = {
    Kind.DECIMAL: _decimal,
    Kind.STRING: _collation,
    Kind.CHAR: lambda one: _length(one) + _collation(one),
    Kind.VARCHAR: lambda one: _length(one) + _collation(one),
    Kind.BINARY: _length,
    Kind.FIXED: _length,
    Kind.TIME: _clock,
    Kind.TIMESTAMP: _clock,
    Kind.INTERVAL: _clock,
    Kind.ENUM: _symbols,
    Kind.ARRAY: lambda one: _nested(one.element) + _length(one),
    Kind.MAP: lambda one: _nested(one.key, one.value),
    Kind.STRUCT: lambda one: _nested(*one.fields),
    Kind.UNION: lambda one: _nested(*one.branches),
    Kind.REF: lambda one: f"({_name(one.ref or '')})",
    Kind.UNKNOWN: lambda one: f"({_quoted(one.native or '')})",
}
