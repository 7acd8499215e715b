"""Properties that the catalog knows by type ↔ `structuredProperties`."""

from typing import Any

from lumos_snap.catalogs.datahub.codec import Aspect, Codec, Document, Home, Scope, listed, within
from lumos_snap.catalogs.datahub.identity import fits

_KIND = "structuredProperty"
_EXACT = 2**53


def _structured(document: Document, scope: Scope) -> Aspect | None:
    known = scope.identity.naming.structured
    found = []
    for name, one in document.get("properties", {}).items():
        values = _values(one)
        urn = scope.identity.entity(_KIND, name) if name in known else ""
        if urn and fits(urn) and _ours(values) == one:
            found.append({"propertyUrn": urn, "values": values, "attribution": scope.attribution()})
    return {"properties": found} if found else None


def _values(one: Any) -> list[Aspect]:
    held = one if isinstance(one, list) else [one]
    return [_value(each) for each in held]


def _value(one: Any) -> Aspect:
    if isinstance(one, int) and not isinstance(one, bool):
        return {"double": float(one)}
    return {"string": one} if isinstance(one, str) else {}


def _ours(values: list[Aspect]) -> Any:
    """One value stands for itself, several for a list; a number that is no integer is a text."""
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
        for one in listed(aspect, "properties")
        if one.get("values")
    }
    return within("properties", value=found)


STRUCTURED = Codec(
    "structuredProperties",
    (Home("properties", "properties[]", "those that the settings name as known by type"),),
    _structured,
    _our_properties,
)
