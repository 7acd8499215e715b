"""Checks ↔ assertions, which are separate entities referenced by the dataset."""

import hashlib
from collections.abc import Mapping

import orjson

from lumos_snap.catalogs.datahub.aspect import Aspect, Document, Home, Scope, drop_none
from lumos_snap.catalogs.datahub.custom_properties import (
    PREFIX,
    fill_gaps,
    missing,
    of_texts,
    to_texts,
)
from lumos_snap.catalogs.datahub.urns import field_urn, fits, of_field_urn
from lumos_snap.json_object import JsonObject
from lumos_snap.model.contract import Check

ASPECT = "assertionInfo"
INDEX = f"{PREFIX}assertions"
"""The custom property of a dataset that lists its assertions."""

_NO_TYPE = "check"


def assertions(document: Document, scope: Scope) -> dict[str, Aspect]:
    """Convert the checks of a dataset to assertions, by urn."""
    checks = document.get("quality", {}).get("checks", ())
    return {assertion_urn(one["name"], scope): _info(one, scope) for one in checks}


def assertion_urn(name: str, scope: Scope) -> str:
    """The DataHub urn of the assertion for a check of this name."""
    digest = hashlib.sha256(f"{scope.urn}\n{name}".encode()).hexdigest()
    return f"urn:li:assertion:lumos-{digest[:32]}"


def _info(check: Document, scope: Scope) -> Aspect:
    field = None
    if "field" in check and scope.can_say(check["field"]) and scope.field(check["field"]):
        urn = field_urn(scope.urn, scope.field(check["field"]))
        field = urn if fits(urn) else None
    custom = drop_none(
        type=check.get("type", _NO_TYPE),
        entity=scope.urn,
        field=field,
        nativeType=check.get("type"),
        logic=check.get("expression"),
    )
    info = drop_none(
        customProperties={},
        type="CUSTOM",
        customAssertion=custom,
        source={"type": "EXTERNAL"},
        description=check.get("description"),
        entityUrn=scope.urn,
    )
    info["customProperties"] = to_texts(missing(check, _read_check(info, scope), Check), Check)
    return info


def _read_check(info: Aspect, scope: Scope) -> Document:
    custom = info.get("customAssertion") or {}
    field = of_field_urn(custom.get("field") or "")
    return drop_none(
        type=custom.get("nativeType") or None,
        field=scope.our_field(field[1]) if field and field[1] else None,
        expression=custom.get("logic") or None,
        description=info.get("description") or None,
    )


def our_checks(found: Mapping[str, JsonObject], scope: Scope) -> list[Document]:
    """Convert assertions about a dataset to checks."""
    checks: dict[str, Document] = {}
    for urn, info in found.items():
        if (info.get("entityUrn") or scope.urn) == scope.urn:
            rest = of_texts(info.get("customProperties") or {}, Check)
            check = {"name": urn, **fill_gaps(_read_check(dict(info), scope), rest, Check)}
            checks.setdefault(check["name"], check)
    return list(checks.values())


def assertion_urns_in(texts: Mapping[str, str]) -> tuple[str, ...]:
    """The assertions that the custom properties of a dataset list."""
    try:
        found = orjson.loads(texts.get(INDEX) or "[]")
    except orjson.JSONDecodeError:
        return ()
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


_NOTE = "an assertion of its own"
_PLACES = {
    "type": "customAssertion.nativeType",
    "field": "customAssertion.field",
    "expression": "customAssertion.logic",
    "description": "description",
} | {
    name: f"customProperties[{PREFIX}{name}]"
    for name in ("name", "threshold", "severity", "origin")
}
HOMES = tuple(Home(f"quality.checks[].{ours}", theirs, _NOTE) for ours, theirs in _PLACES.items())
