"""The schema of one kind of file; common supertypes, and the fallback for types that have none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Partition, Schema, Storage
from lumos_snap.model.type_syntax import format_type, parse_type
from lumos_snap.model.types import DataType, Field, Kind, Unit
from lumos_snap.schema import Json

# The schema of one kind of file, or of one table's log, in portable types.


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """Current facts about a table: for its observation, never for its snapshot."""

    version: str | None = None
    """The version or snapshot that is described."""
    files: int | None = None
    bytes: int | None = None
    properties: Mapping[str, Json] = field(default_factory=dict)
    """Other facts, by name."""
    is_view: bool = False
    """Whether it is known to be a view, even if its query is not known."""


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """A schema, with read options for readers and notes for people."""

    schema: Schema
    options: Mapping[str, str] = field(default_factory=dict)
    """For `storage.options`, such as a CSV file's delimiter."""
    encoding: str | None = None
    """For `storage.encoding`, of text files."""
    description: str | None = None
    """For `storage.description`: the source's description of the dataset."""
    notes: tuple[str, ...] = ()
    """Sentences without data values about what is uncertain or left out."""
    partitioning: tuple[Partition, ...] | None = None
    """Partition columns, if the source declares them; otherwise paths determine them."""
    properties: Mapping[str, Json] = field(default_factory=dict)
    """For `storage.properties`."""
    storage: Storage | None = None
    """The other keys of `storage`, if a table has them."""
    table: TableFacts | None = None
    """Set for a table with a log or a catalog, not for plain files."""


_NO_TEXT = frozenset(
    (
        Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF, Kind.VARIANT, Kind.JSON,
        Kind.UNKNOWN,
    )
)  # fmt: skip
_BETWEEN = " | "
MOST_PIECES = 200
"""A text with more parts is a source's own: to parse it would take too long."""


def resolve_conflict(types: Iterable[DataType], *, inferred: bool) -> JsonObject:
    """Return the fallback for conflicting types.

    Inferred types become text, or JSON if some are nested; declared ones become a list. Neither
    grows when a type is added that it already covers.
    """
    if inferred:
        nested = any(one.type in _NO_TEXT for one in types)
        return {"type": Kind.JSON if nested else Kind.STRING}
    texts = {text for one in types for text in _type_texts(one)}
    return {"type": Kind.UNKNOWN, "native": _BETWEEN.join(sorted(texts))}


def _type_texts(one: DataType) -> tuple[str, ...]:
    """Return the texts of a type in the list; those of an earlier conflict are not nested in it."""
    listed = _split_conflict(one.native or "") if one.type is Kind.UNKNOWN else ()
    return listed or (format_type(one),)


def _split_conflict(native: str) -> tuple[str, ...]:
    """Split the list of an earlier conflict; empty if the text is a source's own."""
    pieces = native.split(_BETWEEN)
    if not 1 < len(pieces) <= MOST_PIECES:
        return ()
    found: list[str] = []
    left = ""
    for piece in pieces:
        # Names and symbols may contain the separator as well: then the type does not end here.
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


T = TypeVar("T")
Parameters = JsonObject
"""Keys of a `DataType`, for `dataclasses.replace` or a constructor."""

_NAMES = (
    "type", "ref", "precision", "scale", "length", "unit", "timezone", "symbols",
    "symbol_default", "collation", "native", "physical", "key", "element", "value", "fields",
    "branches",
)  # fmt: skip
NO_PARAMETERS: Parameters = {
    **dict.fromkeys(_NAMES), "symbols": (), "fields": (), "branches": (),
}  # fmt: skip
"""Default values of a type's parameters."""

_SIGNED = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64)
_UNSIGNED = (Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64)
_DIGITS = {
    Kind.INT8: 3, Kind.INT16: 5, Kind.INT32: 10, Kind.INT64: 19,
    Kind.UINT8: 3, Kind.UINT16: 5, Kind.UINT32: 10, Kind.UINT64: 20,
}  # fmt: skip
_MOST_DIGITS = 1000
_FLOATS = (Kind.FLOAT16, Kind.FLOAT32, Kind.FLOAT64)
_INTEGERS = frozenset((*_SIGNED, *_UNSIGNED))
_EXACT = _INTEGERS | {Kind.DECIMAL}
_NUMBERS = _EXACT | set(_FLOATS)
_BOUNDED_TEXTS = frozenset((Kind.CHAR, Kind.VARCHAR))
_TEXTS = _BOUNDED_TEXTS | {Kind.STRING, Kind.ENUM, Kind.JSON, Kind.UUID}
_BYTES = frozenset((Kind.BINARY, Kind.FIXED))
_INSTANTS = frozenset((Kind.DATE, Kind.TIMESTAMP))
_COARSE_FIRST = (Unit.SECOND, Unit.MILLISECOND, Unit.MICROSECOND, Unit.NANOSECOND)


def union_scalars(types: Sequence[DataType], *, inferred: bool) -> Parameters:
    """Return the narrowest type for all values; on a conflict UNKNOWN, STRING or JSON.

    Types with equal parameters are returned unchanged, nested ones too.
    """
    known = [one for one in types if one.type is not Kind.NULL] or types
    if len(set(map(format_type, known))) == 1:
        return {**parameters_of(known[0]), **find_common_parameters(known)}
    kinds = {one.type for one in known}
    # Inferred JSON covers all other types; among declared types, JSON is a text.
    if not (inferred and Kind.JSON in kinds):
        for family, unite in _FAMILIES:
            found = unite(known, kinds) if kinds <= family else None
            if found is not None:
                return found
    return resolve_conflict(known, inferred=inferred)


def parameters_of(one: DataType) -> JsonObject:
    """Return the type parameters of a column."""
    return {name: getattr(one, name) for name in NO_PARAMETERS}


def find_common_parameters(types: Sequence[DataType]) -> Parameters:
    """Return the parameters `native` and `physical` that all types share."""
    return {
        "native": find_common_value(one.native for one in types),
        "physical": find_common_value(one.physical for one in types),
    }


def find_common_value(said: Iterable[T]) -> T | None:
    """Return the value that all share; None if they differ."""
    first, *others = said
    return first if all(other == first for other in others) else None


def _numbers(types: Sequence[DataType], kinds: set[Kind]) -> Parameters | None:
    if kinds <= set(_FLOATS):
        return {"type": max(kinds, key=_FLOATS.index)}
    if kinds & set(_FLOATS):
        return {"type": Kind.FLOAT64}
    if Kind.DECIMAL in kinds:
        return _decimal(types)
    return _integer(kinds)


def _integer(kinds: set[Kind]) -> Parameters:
    signed = [kind for kind in kinds if kind in _SIGNED]
    unsigned = [kind for kind in kinds if kind in _UNSIGNED]
    if not signed or not unsigned:
        return {"type": max(kinds, key=(_SIGNED if signed else _UNSIGNED).index)}
    # An unsigned number needs the next wider signed type.
    rank = max(*map(_SIGNED.index, signed), *(_UNSIGNED.index(kind) + 1 for kind in unsigned))
    if rank < len(_SIGNED):
        return {"type": _SIGNED[rank]}
    return {"type": Kind.DECIMAL, "precision": _DIGITS[Kind.UINT64], "scale": 0}


def _decimal(types: Sequence[DataType]) -> Parameters:
    decimals = [one for one in types if one.type is Kind.DECIMAL]
    sizes = [(one.precision or 0, one.scale or 0) for one in decimals]
    sizes += [(_DIGITS[one.type], 0) for one in types if one.type in _INTEGERS]
    scale = max(scale for _, scale in sizes)
    precision = max(precision - scale for precision, scale in sizes) + scale
    if precision > _MOST_DIGITS or any(one.precision is None for one in decimals):
        return {"type": Kind.DECIMAL}
    return {"type": Kind.DECIMAL, "precision": precision, "scale": scale}


def _texts(types: Sequence[DataType], kinds: set[Kind]) -> Parameters | None:
    if kinds == {Kind.ENUM}:
        return _enumeration(types)
    collation = find_common_value(one.collation for one in types)
    if kinds <= _BOUNDED_TEXTS:
        length = max(one.length or 0 for one in types)
        return {"type": Kind.VARCHAR, "length": length, "collation": collation}
    return {"type": Kind.STRING, "collation": collation}


def _enumeration(types: Sequence[DataType]) -> Parameters:
    """Combine the symbols of all; the longest list is first, so that lists that grew keep order."""
    lists = sorted({one.symbols for one in types}, key=lambda symbols: (-len(symbols), symbols))
    return {
        "type": Kind.ENUM,
        "symbols": tuple(dict.fromkeys(symbol for symbols in lists for symbol in symbols)),
        "symbol_default": find_common_value(one.symbol_default for one in types),
    }


def _bytes(_types: Sequence[DataType], _kinds: set[Kind]) -> Parameters:
    return {"type": Kind.BINARY}


def _instants(types: Sequence[DataType], _kinds: set[Kind]) -> Parameters | None:
    """Combine dates and timestamps; None if only some have a time zone, which dates never have."""
    zones = {one.timezone for one in types}
    if None in zones and len(zones) > 1:
        return None
    zone = zones.pop() if len(zones) == 1 else "UTC"
    stamps = [one for one in types if one.type is Kind.TIMESTAMP]
    return {"type": Kind.TIMESTAMP, "unit": _finest(stamps), "timezone": zone}


def _times(types: Sequence[DataType], _kinds: set[Kind]) -> Parameters | None:
    zones = {one.timezone for one in types}
    if len(zones) > 1:
        return None
    return {"type": Kind.TIME, "unit": _finest(types), "timezone": zones.pop()}


def _finest(types: Iterable[DataType]) -> Unit | None:
    units = {one.unit for one in types}
    known = [unit for unit in units if unit is not None]
    if len(known) < len(units):
        return None
    return max(known, key=_COARSE_FIRST.index)


_FAMILIES = (
    (_NUMBERS, _numbers),
    (_TEXTS, _texts),
    (_BYTES, _bytes),
    (_INSTANTS, _instants),
    ({Kind.TIME}, _times),
)


# Shared by text formats: schemas with inferred types, and notes.


MOST_NOTES = 50
"""Maximum number of columns with a note of their own: a file may have thousands."""

_UNNAMED = {
    "utf-8 with a mark": "the text begins with a byte-order mark",
    "utf-8 with damage": "some characters are not valid UTF-8",
}
_HARM = "characters beyond ASCII may be wrong"
_FLAGS = {
    "encoding-detected": "the encoding is detected as {encoding}, not declared",
    "encoding-uncertain": "the encoding is uncertain, read as {encoding}: {harm}",
    "encoding-assumed": "the encoding is unknown, read as {encoding}: {harm}",
    "encoding-no-detector": "the encoding is unknown, read as {encoding}: {harm} "
    "(chardet 7.2 or newer is not installed where files are read)",
    "truncated": "the compressed stream ends early: only its beginning was read",
    "nul-bytes": "it has some NUL bytes, which were left out",
}


def replace_surrogates(name: str) -> str:
    """Replace lone surrogates, which JSON allows, so that a name can be encoded."""
    return name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def describe_text_file(
    fields: Sequence[Field],
    evidence: JsonObject,
    *,
    options: Mapping[str, str],
    notes: Sequence[str],
    flags: Mapping[str, str],
) -> DatasetSchema:
    """Describe a text file, with a note for each flag and doubt."""
    encoding = evidence.get("encoding")
    texts = {**_FLAGS, **flags}
    of_file = [texts[flag].format(encoding=encoding, harm=_HARM) for flag in evidence["flags"]]
    if encoding in _UNNAMED:
        of_file.insert(0, _UNNAMED[encoding])
    more = len(notes) - MOST_NOTES
    rest = [f"{more} more columns have values of several kinds"] if more > 0 else []
    return DatasetSchema(
        Schema(inferred=True, fields=tuple(fields)),
        options=options,
        encoding=None if encoding in _UNNAMED else encoding,
        notes=(*of_file, *notes[:MOST_NOTES], *rest),
    )
