"""Equality of two aspects, ignoring defaults, audit stamps and additions by the server."""

from collections.abc import Mapping
from typing import Any

import orjson

SERVER_MADE = frozenset(
    {
        "aliases", "browsePaths", "browsePathsV2", "corpGroupKey", "corpUserKey", "dataJobKey",
        "datasetKey", "domainKey", "glossaryTermKey", "assertionKey", "structuredPropertyKey",
        "tagKey",
    }
)  # fmt: skip
"""Aspects that the server generates: neither written nor compared."""

# Audit stamps, and keys that the server adds to what it receives.
STAMPS = frozenset(
    {
        "auditStamp", "created", "createStamp", "lastModified", "lastUpdated", "updateStamp",
        "deleted", "lifecycleLastUpdated", "ownerTypes", "domainAssociations", "matchType",
        "actor", "impersonator",
    }
)  # fmt: skip
_DEFAULTS: Mapping[str, object] = {
    "nullable": False,
    "recursive": False,
    "isPartOfKey": False,
    "isPartitioningKey": False,
    "cardinality": "SINGLE",
    "immutable": False,
    "removed": False,
    "system": False,
    "isSupportUser": False,
    "confidenceScore": 1.0,
    "showInAssetPreview": False,
    "version": 0,
}
_UNORDERED = frozenset(
    {
        "tags", "terms", "owners", "elements", "upstreams", "fineGrainedLineages", "properties",
        "editableSchemaFieldInfo", "groups", "members", "inputDatasets", "outputDatasets",
        "relatedTerms", "allowedValues",
    }
)  # fmt: skip
"""Lists whose order is irrelevant."""
_CLASS = "com.linkedin."
"""The prefix of class names: such a key is significant even if its value is empty."""
_AVATAR = "default_avatar.png"
_FREE = frozenset({"customProperties", "nativeParameters", "sourceDetail", "properties"})
"""Maps with arbitrary keys: nothing in them is a stamp or a default."""


def same_aspect(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    """Whether two values of one aspect are equal; a missing aspect equals an empty one."""
    return canonical(one or {}) == canonical(other or {})


def canonical(aspect: Mapping[str, Any]) -> dict[str, Any]:
    """Normalize an aspect for comparison; never write the result."""
    found = _canonical(aspect)
    assert isinstance(found, dict)  # noqa: S101 - an object stays one
    return found


def _canonical(held: Any) -> Any:
    if isinstance(held, dict):
        pairs = (
            (name, _canonical_value(name, one)) for name, one in held.items() if name not in STAMPS
        )
        return {name: one for name, one in pairs if one is not None}
    if isinstance(held, list | tuple):
        return [_canonical(one) for one in held]
    return held


def _canonical_value(name: str, held: Any) -> Any:
    """The normalized value of a key; None if it is insignificant."""
    if name == "attribution":
        detail = (held or {}).get("sourceDetail")
        return {"sourceDetail": dict(detail)} if detail else None
    if name in _FREE and isinstance(held, dict):
        return {key: one for key, one in held.items() if one is not None} or None
    if name == "confidenceScore" and held is not None:
        held = round(held, 5)
    if name in _DEFAULTS and held == _DEFAULTS[name] and type(held) is type(_DEFAULTS[name]):
        return None
    if name == "pictureLink" and str(held).endswith(_AVATAR):
        return None
    found = _canonical(held)
    if name in _UNORDERED and isinstance(found, list):
        found.sort(key=repr)
    return None if found in (None, [], {}) and not name.startswith(_CLASS) else found


def without_nothing(held: Any) -> Any:
    """Remove `null` from JSON at any depth, for reading.

    Most documents have no `null`, and searching the text for it is ten times faster than walking.
    """
    try:
        text = orjson.dumps(held)
    except orjson.JSONEncodeError:
        return _without_nothing(held)
    return _without_nothing(held) if any(one in text for one in _NOTHINGS) else held


_NOTHINGS = (b":null", b"[null", b",null")


def _without_nothing(held: Any) -> Any:
    if isinstance(held, dict):
        return {name: _without_nothing(one) for name, one in held.items() if one is not None}
    if isinstance(held, list):
        return [_without_nothing(one) for one in held]
    return held
