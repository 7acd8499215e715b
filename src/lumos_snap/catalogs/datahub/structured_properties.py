"""Properties that are defined with a type in the catalog ↔ `structuredProperties`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.catalogs.datahub.aspect import (
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    get_list,
    within,
)
from lumos_snap.catalogs.datahub.settings import PropertyDefinition
from lumos_snap.catalogs.datahub.urns import fits

_KIND = "structuredProperty"
_EXACT = 2**53
_DAY = re.compile("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")


def _write_structured(document: Document, scope: Scope) -> Aspect | None:
    known = scope.identity.naming.structured
    found = []
    for name, one in document.get("properties", {}).items():
        values = _values(one)
        urn = scope.identity.entity(_KIND, name) if name in known else ""
        if urn and fits(urn) and _ours(values) == one and _suits(one, known[name]):
            found.append({"propertyUrn": urn, "values": values, "attribution": scope.attribution()})
    return {"properties": found} if found else None


def _suits(one: object, definition: PropertyDefinition) -> bool:
    """Whether the catalog accepts a value: a wrong one would fail the whole dataset."""
    held = one if isinstance(one, list) else [one]
    is_right = _IS_RIGHT.get(definition.type, _is_text)
    return (
        all(map(is_right, held))
        and (definition.is_multiple or len(held) == 1)
        and (not definition.allowed or definition.allowed.issuperset(map(str, held)))
    )


def _is_text(one: object) -> bool:
    return isinstance(one, str)


_IS_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda one: isinstance(one, int),
    "date": lambda one: _is_text(one) and _DAY.fullmatch(one) is not None,
    "urn": lambda one: _is_text(one) and one.startswith("urn:li:"),
}


def _values(one: object) -> list[Aspect]:
    held = one if isinstance(one, list) else [one]
    return [_value(each) for each in held]


def _value(one: object) -> Aspect:
    if isinstance(one, int) and not isinstance(one, bool):
        return {"double": float(one)}
    return {"string": one} if isinstance(one, str) else {}


def _ours(values: list[Aspect]) -> Any:
    """A single value as itself, several as a list; a non-integer number as text."""
    found = [_our_value(one) for one in values]
    return found[0] if len(found) == 1 else found


def _our_value(one: Aspect) -> str | int:
    if "double" not in one:
        text: str = one.get("string", "")
        return text
    number = one["double"]
    is_exact = number == int(number) and abs(number) <= _EXACT
    return int(number) if is_exact else str(number)


def _our_properties(aspect: Aspect, scope: Scope) -> Document:
    found = {
        scope.identity.of_entity(one["propertyUrn"]): _ours(one["values"])
        for one in get_list(aspect, "properties")
        if one.get("values")
    }
    return within("properties", value=found)


STRUCTURED = Codec(
    "structuredProperties",
    (
        Home(
            "properties",
            "properties[]",
            "those that the tree defines, where the value fits; else as text",
        ),
    ),
    _write_structured,
    _our_properties,
)
