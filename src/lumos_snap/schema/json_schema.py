"""The published JSON Schema of a stored class, generated from the registry of keys."""

import inspect
from typing import Any

from lumos_snap.schema.base import Value
from lumos_snap.schema.fields import LARGEST_INTEGER, Holds, Key, Scalar, keys_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"
JsonSchema = dict[str, Any]

_FREE: JsonSchema = {"$ref": "#/$defs/Json"}
_FREE_FORM: JsonSchema = {
    "description": "Any JSON; numbers are integers, all others are written as strings.",
    "anyOf": [
        {"type": ["string", "boolean", "null"]},
        {"type": "integer", "minimum": -LARGEST_INTEGER, "maximum": LARGEST_INTEGER},
        {"type": "array", "items": _FREE},
        {"type": "object", "additionalProperties": _FREE},
    ],
}
_NAMES = {str: "string", int: "integer", bool: "boolean"}


def schema_of(cls: type[Value], *, title: str, identity: str) -> JsonSchema:
    """The JSON Schema that accepts exactly the structure which `cls` accepts."""
    definitions: JsonSchema = {}
    stored = _value_classes_in(cls)
    for one in stored:
        definitions |= one.SCHEMA_SHARED
        if one is not cls:
            definitions[one.__name__] = _object(one)
    if any(_is_free(key) for one in stored for key in keys_of(one).values()):
        definitions["Json"] = _FREE_FORM
    head = {"$schema": DIALECT, "$id": identity, "title": title}
    ordered = {name: definitions[name] for name in sorted(definitions)}
    return {**head, **_object(cls), **({"$defs": ordered} if ordered else {})}


def _object(cls: type[Value]) -> JsonSchema:
    keys = keys_of(cls).values()
    required = [key.name for key in keys if key.is_required]
    return {
        "description": inspect.cleandoc(cls.__doc__ or ""),
        "type": "object",
        "properties": {key.name: _property(key) for key in keys},
        **({"required": required} if required else {}),
        "additionalProperties": False,
        **cls.SCHEMA_EXTRA,
    }


def _property(key: Key) -> JsonSchema:
    return {**({"description": key.says} if key.says else {}), **_key_schema(key)}


def _key_schema(key: Key) -> JsonSchema:
    if key.holds is Holds.FREE:
        return {"type": "object", "additionalProperties": _each(key)}
    if key.holds in (Holds.OBJECT, Holds.SCALAR):
        return _each(key)
    return {
        "type": "array",
        "items": _each(key),
        **({"minItems": 1} if key.is_filled else {}),
        **({"uniqueItems": True} if key.set_by == () else {}),
        **({} if key.set_by is None else {"x-lumos-set": list(key.set_by)}),
    }


def _each(key: Key) -> JsonSchema:
    if key.item is not None:
        return {"$ref": f"#/$defs/{key.item.__name__}"}
    return _FREE if key.scalar is None else _scalar(key.scalar)


def _scalar(scalar: Scalar) -> JsonSchema:
    if scalar.choices:
        return {"enum": list(scalar.choices)}
    schema: JsonSchema = {"type": _NAMES[scalar.type]}
    if scalar.type is int:
        schema |= {"minimum": scalar.range.least, "maximum": scalar.range.most}
    if scalar.chars.least:
        schema["minLength"] = scalar.chars.least
    if scalar.chars.pattern:
        schema["pattern"] = scalar.chars.pattern
    return schema


def _is_free(key: Key) -> bool:
    return key.item is None and key.scalar is None


def _value_classes_in(cls: type[Value]) -> tuple[type[Value], ...]:
    """A class and every stored class that it contains, at any depth."""
    seen: dict[type[Value], None] = {}
    pending: list[type] = [cls]
    while pending:
        one = pending.pop()
        if one not in seen and issubclass(one, Value):
            seen[one] = None
            pending += [key.item for key in keys_of(one).values() if key.item is not None]
    return tuple(seen)
