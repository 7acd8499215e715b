"""One type for many: what files that disagree about a column agree on.

The answer is a function of the set of types: no order of files and no way of splitting work can
change it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lumos_snap.model.kinds import Kind, Unit
from lumos_snap.model.notation import format_type
from lumos_snap.model.types import Branch, DataType

Parameters = Mapping[str, Any]
"""Keys of a `DataType`, for `dataclasses.replace` or a constructor."""

_NAMES = (
    "type", "ref", "precision", "scale", "length", "unit", "timezone", "symbols",
    "symbol_default", "collation", "native", "physical", "key", "element", "value", "fields",
    "branches",
)  # fmt: skip
NO_PARAMETERS: Parameters = {
    **dict.fromkeys(_NAMES), "symbols": (), "fields": (), "branches": (),
}  # fmt: skip
"""What a type says of itself where it says nothing."""

_SIGNED = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64)
_UNSIGNED = (Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64)
_DIGITS = {
    Kind.INT8: 3, Kind.INT16: 5, Kind.INT32: 10, Kind.INT64: 19,
    Kind.UINT8: 3, Kind.UINT16: 5, Kind.UINT32: 10, Kind.UINT64: 20,
}  # fmt: skip
_FLOATS = (Kind.FLOAT16, Kind.FLOAT32, Kind.FLOAT64)
_INTEGERS = frozenset((*_SIGNED, *_UNSIGNED))
_EXACT = _INTEGERS | {Kind.DECIMAL}
_NUMBERS = _EXACT | set(_FLOATS)
_BOUNDED_TEXTS = frozenset((Kind.CHAR, Kind.VARCHAR))
_TEXTS = _BOUNDED_TEXTS | {Kind.STRING, Kind.ENUM, Kind.JSON, Kind.UUID}
_BYTES = frozenset((Kind.BINARY, Kind.FIXED))
_INSTANTS = frozenset((Kind.DATE, Kind.TIMESTAMP))
_COARSE_FIRST = (Unit.SECOND, Unit.MILLISECOND, Unit.MICROSECOND, Unit.NANOSECOND)
NESTED = frozenset((Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF, Kind.VARIANT))


def united_scalar(types: Sequence[DataType], *, inferred: bool) -> Parameters:
    """The narrowest scalar that holds the values of all; a conflict is UNKNOWN, or STRING."""
    kinds = {one.type for one in types}
    for family, unite in _FAMILIES:
        if kinds <= family:
            found = unite(types, kinds)
            if found is not None:
                return found
    return conflict(types, inferred=inferred)


def conflict(types: Iterable[DataType], *, inferred: bool) -> Parameters:
    """What holds values that no type holds together."""
    listed = tuple(types)
    if inferred:
        nested = any(one.type in NESTED for one in listed)
        return {"type": Kind.JSON if nested else Kind.STRING}
    texts = sorted({format_type(one) for one in listed})
    return {"type": Kind.UNKNOWN, "native": " | ".join(texts)}


def agreed(types: Sequence[DataType]) -> Parameters:
    """What else all types say alike."""
    names = {getattr(one, "native", None) for one in types}
    physical = {one.physical for one in types}
    return {
        "native": names.pop() if len(names) == 1 else None,
        "physical": physical.pop() if len(physical) == 1 else None,
    }


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
    # An unsigned number needs the next wider signed one.
    rank = max(*map(_SIGNED.index, signed), *(_UNSIGNED.index(kind) + 1 for kind in unsigned))
    if rank < len(_SIGNED):
        return {"type": _SIGNED[rank]}
    return {"type": Kind.DECIMAL, "precision": _DIGITS[Kind.UINT64], "scale": 0}


def _decimal(types: Sequence[DataType]) -> Parameters:
    decimals = [one for one in types if one.type is Kind.DECIMAL]
    if any(one.precision is None for one in decimals):
        return {"type": Kind.DECIMAL}
    sizes = [(one.precision or 0, one.scale or 0) for one in decimals]
    sizes += [(_DIGITS[one.type], 0) for one in types if one.type in _INTEGERS]
    scale = max(scale for _, scale in sizes)
    whole = max(precision - scale for precision, scale in sizes)
    return {"type": Kind.DECIMAL, "precision": max(whole + scale, 1), "scale": scale}


def _texts(types: Sequence[DataType], kinds: set[Kind]) -> Parameters | None:
    if kinds <= _BOUNDED_TEXTS:
        return {"type": Kind.VARCHAR, "length": max(one.length or 0 for one in types)}
    if kinds == {Kind.ENUM}:
        return _enumeration(types)
    return {"type": Kind.STRING}


def _enumeration(types: Sequence[DataType]) -> Parameters:
    """Every symbol that any of them has; the longest list leads, so lists that grew keep order."""
    lists = sorted({one.symbols for one in types}, key=lambda symbols: (-len(symbols), symbols))
    defaults = {one.symbol_default for one in types}
    return {
        "type": Kind.ENUM,
        "symbols": tuple(dict.fromkeys(symbol for symbols in lists for symbol in symbols)),
        "symbol_default": defaults.pop() if len(defaults) == 1 else None,
    }


def _bytes(_types: Sequence[DataType], _kinds: set[Kind]) -> Parameters:
    return {"type": Kind.BINARY}


def _instants(types: Sequence[DataType], _kinds: set[Kind]) -> Parameters | None:
    """Local time and instants do not mix: no conversion is right."""
    stamps = [one for one in types if one.type is Kind.TIMESTAMP]
    zones = {one.timezone for one in stamps}
    if None in zones and len(zones) > 1:
        return None
    zone = zones.pop() if len(zones) == 1 else "UTC"
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


def united_branches(types: Sequence[DataType]) -> Parameters:
    """Every alternative that any of the unions has, the longest list first."""
    lists = sorted(
        (one.branches for one in types),
        key=lambda branches: (-len(branches), [_known(branch) for branch in branches]),
    )
    found: dict[tuple[str, str], Branch] = {}
    for branches in lists:
        for branch in branches:
            found.setdefault(_known(branch), branch)
    return {"type": Kind.UNION, "branches": tuple(found.values())}


def _known(branch: Branch) -> tuple[str, str]:
    return (branch.name or "", format_type(branch))
