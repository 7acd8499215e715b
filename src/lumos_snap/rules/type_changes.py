"""Classifies type changes by name, without judging them."""

from collections.abc import Callable, Mapping

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import Kind

Type = JsonObject

# Value bits of signed and unsigned integers; mantissa bits of floats.
_SIGNED = {"INT8": 7, "INT16": 15, "INT32": 31, "INT64": 63}
_UNSIGNED = {"UINT8": 8, "UINT16": 16, "UINT32": 32, "UINT64": 64}
_INTEGERS = {**_SIGNED, **_UNSIGNED}
_DIGITS = {
    "INT8": 3, "INT16": 5, "INT32": 10, "INT64": 19,
    "UINT8": 3, "UINT16": 5, "UINT32": 10, "UINT64": 20,
}  # fmt: skip
_MANTISSA = {"FLOAT16": 11, "FLOAT32": 24, "FLOAT64": 53}
_TEXTS = ("STRING", "VARCHAR", "CHAR")
_BYTES = ("BINARY", "FIXED")
_CLOCKS = ("DATE", "TIME", "TIMESTAMP")
_NESTED = ("ARRAY", "MAP", "STRUCT", "UNION", "REF")
_UNBOUNDED = 10**9
_MOST = 19  # decimal digits that a machine integer may hold


def sort_of_change(old: Type, new: Type) -> str:
    """Name the change from one type to another: the slug of its rule."""
    one, other = old["type"], new["type"]
    if one == other:
        return _SAME_KIND.get(one, _other_parameter)(old, new)
    if Kind.NULL in (one, other):
        return "null-typed" if one == Kind.NULL else "became-null"
    if Kind.UNION in (one, other):
        return "union-crossed"
    if one in _NESTED or other in _NESTED:
        return "type-kind-changed"
    for family, sort in _FAMILIES:
        if family(one) and family(other):
            return sort(old, new)
    return _CROSSINGS.get((_class(one), _class(other)), "type-family-changed")


def _decimal(old: Type, new: Type) -> str:
    same = _scale(old) == _scale(new)
    if _digits_fit(old, new):
        return "decimal-widened" if same else "decimal-scale-raised"
    if _digits_fit(new, old):
        return "decimal-narrowed" if same else "decimal-digits-lost"
    return "decimal-digits-traded"


def _digits_fit(old: Type, new: Type) -> bool:
    """Whether a decimal type has all digits of another, on both sides of the point."""
    return _decimal_digits(old) <= _decimal_digits(new) and _scale(old) <= _scale(new)


def _decimal_digits(one: Type) -> int:
    """The number of digits before the point."""
    precision: int | None = one.get("precision")
    return _UNBOUNDED if precision is None else precision - one["scale"]


def _scale(one: Type) -> int:
    scale: int = one.get("scale", _UNBOUNDED)
    return scale


def _clock(old: Type, new: Type) -> str:
    if ("timezone" in old) != ("timezone" in new):
        return "timezone-flipped"
    return "time-unit-changed" if old.get("unit") != new.get("unit") else "timezone-renamed"


def _length_change(old: Type, new: Type) -> str:
    before, after = (one.get("length", _UNBOUNDED) for one in (old, new))
    return "length-raised" if after > before else "length-lowered"


def _other_parameter(_old: Type, _new: Type) -> str:
    return "type-parameter-changed"


Sort = Callable[[Type, Type], str]

_SAME_KIND: Mapping[str, Sort] = {
    "DECIMAL": _decimal,
    "TIME": _clock,
    "TIMESTAMP": _clock,
    "VARCHAR": _length_change,
    "BINARY": _length_change,
    "CHAR": lambda _old, _new: "fixed-length-changed",
    "FIXED": lambda _old, _new: "fixed-length-changed",
    "INTERVAL": lambda _old, _new: "time-unit-changed",
    "UNKNOWN": lambda _old, _new: "native-type-changed",
    "REF": lambda _old, _new: "type-kind-changed",
}


def _numbers(old: Type, new: Type) -> str:
    one, other = old["type"], new["type"]
    if _number_fits(old, new):
        return "type-widened"
    if other in _MANTISSA and one not in _MANTISSA:
        return "type-widened-lossy"
    return "type-narrowed" if one in _MANTISSA or _number_fits(new, old) else "type-crossed"


def _number_fits(old: Type, new: Type) -> bool:
    """Whether a type holds every number of another."""
    one, other = old["type"], new["type"]
    if one == "DECIMAL":
        return _decimal_fits(old, {**_SIGNED, **_MANTISSA}.get(other, 0))
    if other == "DECIMAL":
        return one in _INTEGERS and _DIGITS[one] <= _decimal_digits(new) and _scale(new) >= 0
    if one in _SIGNED and other in _UNSIGNED:
        return False
    sizes = {**_INTEGERS, **_MANTISSA}
    return sizes[one] <= sizes[other] and not (one in _MANTISSA and other in _INTEGERS)


def _decimal_fits(old: Type, bits: int) -> bool:
    """Whether so many bits hold every decimal of these digits without a fraction."""
    digits = _decimal_digits(old)
    return _scale(old) <= 0 and digits <= _MOST and 10**digits <= 2**bits


def _length_or_fixed_change(old: Type, new: Type) -> str:
    if new["type"] in ("CHAR", "FIXED"):
        return "fixed-length-changed"
    return _length_change(old, new) if old.get("length") != new.get("length") else "length-raised"


_FAMILIES: tuple[tuple[Callable[[str], bool], Sort], ...] = (
    (lambda kind: kind in _INTEGERS or kind in _MANTISSA or kind == "DECIMAL", _numbers),
    (lambda kind: kind in _TEXTS, _length_or_fixed_change),
    (lambda kind: kind in _BYTES, _length_or_fixed_change),
)


def _class(kind: str) -> str:
    """The class of a kind, for the lookup of crossings."""
    if kind in _TEXTS:
        return "text"
    if kind in _BYTES:
        return "bytes"
    if kind in _INTEGERS:
        return "integer"
    return kind


_CROSSINGS = {
    ("text", "bytes"): "text-bytes-changed",
    ("bytes", "text"): "text-bytes-changed",
    ("text", "ENUM"): "became-enum",
    ("ENUM", "text"): "no-longer-enum",
    ("DATE", "TIMESTAMP"): "date-to-timestamp",
    **{(clock, "integer"): "type-reinterpreted" for clock in _CLOCKS},
    **{("integer", clock): "type-reinterpreted" for clock in _CLOCKS},
}

SORTS: Mapping[str, str] = {
    "type-widened": "the new type holds every number of the old one",
    "type-widened-lossy": "integers become floating-point numbers that hold only some of them",
    "type-narrowed": "the new type of number holds only some of the old one's",
    "type-crossed": "neither of two types of number holds all of the other's",
    "type-family-changed": "a scalar type becomes one of another family",
    "type-kind-changed": "a scalar, list, map, struct or named type becomes another of these",
    "union-crossed": "one type becomes a choice of several, or the other way round",
    "decimal-widened": "a decimal gains digits before the point, and keeps its scale",
    "decimal-narrowed": "a decimal loses digits before the point, and keeps its scale",
    "decimal-scale-raised": "a decimal gains digits after the point, and loses none before it",
    "decimal-digits-lost": "a decimal loses digits after the point, and gains none before it",
    "decimal-digits-traded": "a decimal gains digits on one side of the point and loses others",
    "time-unit-changed": "the unit of a time or interval changes",
    "timezone-flipped": "a time gains a zone, or loses it",
    "timezone-renamed": "the zone of an instant changes, and nothing else",
    "date-to-timestamp": "a date becomes a timestamp",
    "type-reinterpreted": "a date or time becomes an integer, or the other way round",
    "text-bytes-changed": "text becomes bytes, or the other way round",
    "fixed-length-changed": "a length that every value has comes, or changes",
    "length-raised": "longer texts or bytes may be stored, or as long ones",
    "length-lowered": "only shorter texts or bytes may be stored",
    "became-enum": "text becomes an enumeration",
    "no-longer-enum": "an enumeration becomes text",
    "null-typed": "a column of nothing but nulls gains a type",
    "became-null": "a column that had a type holds nothing but nulls",
    "native-type-changed": "a type that only the source knows becomes another",
    "type-parameter-changed": "another parameter of the type changes",
}
"""Every sort of type change, with its description."""
