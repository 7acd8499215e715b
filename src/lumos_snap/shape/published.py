"""The JSON Schema of a stored class, as it is published."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from lumos_snap.shape.keys import keys_of
from lumos_snap.shape.markers import FREE_FORM_MARK, FREE_FORM_SCHEMA
from lumos_snap.shape.validation import adapter
from lumos_snap.shape.value import Value

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(cls: type[Value], *, title: str, identity: str) -> dict[str, Any]:
    """The JSON Schema that accepts exactly the structure which `cls` accepts."""
    generated = adapter(cls).json_schema(schema_generator=_Generator, mode="validation")
    definitions: dict[str, Any] = {**generated.pop("$defs", {})}
    for one in _stored_in(cls):
        if one.__name__ in definitions:
            definitions[one.__name__] = {**definitions[one.__name__], **one.SCHEMA_EXTRA}
        definitions.update(one.SCHEMA_SHARED)
    if _holds_free_form([generated, definitions]):
        definitions["Json"] = FREE_FORM_SCHEMA
    body = _plain({**generated, **cls.SCHEMA_EXTRA})
    head = {"$schema": DIALECT, "$id": identity, "title": title}
    ordered = {name: _plain(definitions[name]) for name in sorted(definitions)}
    return {**head, **body, **({"$defs": ordered} if ordered else {})}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, where absent keys have no default and titles say nothing new."""

    def default_schema(self, schema: Any) -> Any:
        """The schema of a key that may be left out, without its default."""
        return self.generate_inner(schema["schema"])


def _plain(schema: Any) -> Any:
    """Without the titles that pydantic derives from names, and with references to free JSON."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema == FREE_FORM_MARK:
        return {"$ref": "#/$defs/Json"}
    return {
        name: _plain_each(held) if name == "properties" else _plain(held)
        for name, held in schema.items()
        if name != "title"
    }


def _plain_each(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(held) for name, held in properties.items()}


def _holds_free_form(schema: Any) -> bool:
    if isinstance(schema, dict):
        return schema == FREE_FORM_MARK or any(map(_holds_free_form, schema.values()))
    return isinstance(schema, list) and any(map(_holds_free_form, schema))


def _stored_in(cls: type[Value]) -> tuple[type[Value], ...]:
    """A class and every stored class that it holds, at any depth."""
    seen: dict[type[Value], None] = {}
    pending: list[type] = [cls]
    while pending:
        one = pending.pop()
        if one not in seen and issubclass(one, Value):
            seen[one] = None
            pending += [key.item for key in keys_of(one).values() if key.item is not None]
    return tuple(seen)
