"""Columns as Spark's catalogs tell them, in the one form that Spark itself writes into files.

Two sources, one form: `DESCRIBE … AS JSON`, which forgets the bounds of texts, with the plain
`DESCRIBE`, which has them; or the schema of a session's own table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Told = Mapping[str, Any]

BOUNDED = "__CHAR_VARCHAR_TYPE_STRING"
COLLATIONS = "__COLLATIONS"
DEFAULT = "CURRENT_DEFAULT"
_KEPT = frozenset(
    ("comment", BOUNDED, COLLATIONS, DEFAULT, "GENERATION_EXPRESSION", "delta.generationExpression")
)
_BOUNDED = re.compile(r"\b(var)?char\(\d+\)")
_PLAIN = "UTF8_BINARY"
_NAMES = {
    "int": "integer",
    "bigint": "long",
    "smallint": "short",
    "tinyint": "byte",
    "timestamp_ltz": "timestamp",
}


def columns_told(told: Sequence[Told], plain: Sequence[str]) -> list[dict[str, Any]]:
    """The columns of `DESCRIBE … AS JSON`; `plain` are their types as `DESCRIBE` writes them."""
    texts = plain if len(plain) == len(told) else [""] * len(told)
    return [_field(one, text) for one, text in zip(told, texts, strict=True)]


def columns_kept(schema: Told) -> list[dict[str, Any]]:
    """The columns of a table that the session has resolved, without what sources note there."""
    return [_kept_field(one) for one in schema["fields"]]


def has_texts(told: object) -> bool:
    """Whether some type may be a text whose bounds are not told."""
    if isinstance(told, Mapping):
        return told.get("name") == "string" or any(map(has_texts, told.values()))
    return isinstance(told, list) and any(map(has_texts, told))


def _field(told: Told, text: str = "") -> dict[str, Any]:
    collations = dict(_collations(told["type"], told["name"]))
    metadata = {
        **({"comment": told["comment"]} if told.get("comment") else {}),
        **({BOUNDED: text} if _BOUNDED.search(text) else {}),
        **({COLLATIONS: collations} if collations else {}),
        **({DEFAULT: told["default"]} if "default" in told else {}),
    }
    return {
        "name": told["name"],
        "type": _type(told["type"]),
        "nullable": told.get("nullable", True),
        "metadata": metadata,
    }


def _type(told: Told) -> Any:
    match told["name"]:
        case "struct":
            return {"type": "struct", "fields": [_field(one) for one in told["fields"]]}
        case "array":
            nullable = told.get("element_nullable", True)
            element = _type(told["element_type"])
            return {"type": "array", "elementType": element, "containsNull": nullable}
        case "map":
            return {
                "type": "map",
                "keyType": _type(told["key_type"]),
                "valueType": _type(told["value_type"]),
                "valueContainsNull": told.get("value_nullable", True),
            }
        case name:
            return _scalar(str(name), told)


def _scalar(name: str, told: Told) -> str:
    if "precision" in told and "scale" in told:
        return f"{name}({told['precision']},{told['scale']})"
    if "length" in told:
        return f"{name}({told['length']})"
    if "start_unit" in told:
        start, end = told["start_unit"], told["end_unit"]
        return f"{name} {start}" if start == end else f"{name} {start} to {end}"
    return _NAMES.get(name, name)


def _collations(told: Told, path: str) -> Iterator[tuple[str, str]]:
    """The rules of each text that a column holds, members of structs aside: they say their own."""
    collation = told.get("collation", _PLAIN)
    if collation != _PLAIN:
        provider = "spark" if collation.startswith("UTF8") else "icu"
        yield path, f"{provider}.{collation}"
    for inside, step in (("element_type", "element"), ("key_type", "key"), ("value_type", "value")):
        if inside in told:
            yield from _collations(told[inside], f"{path}.{step}")


def _kept_field(one: Told) -> dict[str, Any]:
    metadata = one.get("metadata", {})
    return {
        "name": one["name"],
        "type": _kept_type(one["type"]),
        "nullable": one["nullable"],
        "metadata": {name: metadata[name] for name in sorted(metadata) if name in _KEPT},
    }


def _kept_type(given: Any) -> Any:
    match given:
        case {"type": "struct", "fields": fields}:
            return {"type": "struct", "fields": [_kept_field(one) for one in fields]}
        case {"type": "array", "elementType": element}:
            return {**given, "elementType": _kept_type(element)}
        case {"type": "map", "keyType": key, "valueType": value}:
            return {**given, "keyType": _kept_type(key), "valueType": _kept_type(value)}
        case _:
            return given
