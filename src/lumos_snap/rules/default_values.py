"""Whether a default is a value that its column can have: readers refuse a schema otherwise."""

from collections.abc import Callable, Mapping

import orjson

from lumos_snap.json_object import JsonObject

_BITS = {"INT8": 7, "INT16": 15, "INT32": 31, "INT64": 63}
_MOST = {"UINT8": 8, "UINT16": 16, "UINT32": 32, "UINT64": 64}
_FIRST_WITH_DEFAULTS = 3


def is_applied(column: JsonObject, text: object, storage: JsonObject) -> bool:
    """Whether readers take this default for rows that lack the column."""
    if str(storage.get("format", "")).lower() == "iceberg" and not _has_initial_defaults(storage):
        return False
    try:
        value = orjson.loads(str(text))
    except orjson.JSONDecodeError:
        return False
    if value is None:
        return bool(column.get("nullable", False))
    return fits(column, value)


def _has_initial_defaults(storage: JsonObject) -> bool:
    """Iceberg has them from version 3 of its format; where no version is known, it is not sure."""
    version = str(storage.get("reader_version", ""))
    return version.isdecimal() and int(version) >= _FIRST_WITH_DEFAULTS


def fits(given: JsonObject, value: object) -> bool:
    """Whether a JSON value is one of a type, in any of the spellings that formats have."""
    if given["type"] == "UNION":
        return any(fits(branch, value) for branch in given.get("branches", ()))
    check = _CHECKS.get(given["type"])
    return check is not None and check(given, value)


def _integer(given: JsonObject, value: object) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    signed, most = _BITS.get(given["type"]), _MOST.get(given["type"], 64)
    return -(1 << signed) <= value < 1 << signed if signed else 0 <= value < 1 << most


def _number(_given: JsonObject, value: object) -> bool:
    """Formats write decimals, and what JSON has no number for, as texts."""
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _text(given: JsonObject, value: object) -> bool:
    length = given.get("length")
    return isinstance(value, str) and (length is None or len(value) <= length)


def _symbol(given: JsonObject, value: object) -> bool:
    symbols = given.get("symbols", ())
    return isinstance(value, str) and (not symbols or value in symbols)


def _array(given: JsonObject, value: object) -> bool:
    element = given.get("element")
    return isinstance(value, list) and all(
        element is not None and (one is None or fits(element, one)) for one in value
    )


def _of(*classes: type) -> Callable[[JsonObject, object], bool]:
    return lambda _given, value: isinstance(value, classes)


_CHECKS: Mapping[str, Callable[[JsonObject, object], bool]] = {
    "BOOLEAN": _of(bool),
    **dict.fromkeys((*_BITS, *_MOST), _integer),
    **dict.fromkeys(("FLOAT16", "FLOAT32", "FLOAT64", "DECIMAL"), _number),
    **dict.fromkeys(("STRING", "CHAR", "VARCHAR"), _text),
    **dict.fromkeys(("BINARY", "FIXED", "UUID"), _of(str)),
    **dict.fromkeys(("DATE", "TIME", "TIMESTAMP", "INTERVAL"), _of(str, int)),
    "ENUM": _symbol,
    "JSON": _of(str, int, float, bool, list, dict),
    "ARRAY": _array,
    "MAP": _of(dict, list),
    "STRUCT": _of(dict, list),
    "REF": _of(dict, list, str),
}
"""By kind; VARIANT, NULL and UNKNOWN have no value but null."""
