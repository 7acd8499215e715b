"""Compare our aspects with those of a catalog, and merge them: foreign content stays unchanged.

DataHub replaces an aspect as a whole, so foreign content must be written again. Content is removed
only if it was ours before (`before`: the last confirmed state) and is unchanged; where an aspect
records who added an item, only items that we added are removed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lumos_snap.catalogs.datahub.custom_properties import PREFIX
from lumos_snap.catalogs.datahub.field_paths import read
from lumos_snap.catalogs.datahub.lineage import is_marked
from lumos_snap.json_object import JsonObject

# Equality of two aspects, ignoring defaults, audit stamps and additions by the server.


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


def same_aspect(one: JsonObject | None, other: JsonObject | None) -> bool:
    """Whether two values of one aspect are equal; a missing aspect equals an empty one."""
    return canonical(one or {}) == canonical(other or {})


def canonical(aspect: JsonObject) -> JsonObject:
    """Normalize an aspect for comparison; never write the result."""
    found = _canonical(aspect)
    assert isinstance(found, dict)  # noqa: S101 - an object stays one
    return found


def _canonical(held: object) -> object:
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


def _without_nothing(held: object) -> object:
    if isinstance(held, dict):
        return {name: _without_nothing(one) for name, one in held.items() if one is not None}
    if isinstance(held, list):
        return [_without_nothing(one) for one in held]
    return held


Aspects = Mapping[str, JsonObject]
_NOTHING: JsonObject = {}
_NO_ASPECTS: Aspects = {}


def _by(*names: str) -> Callable[[JsonObject], object]:
    return lambda item: tuple(repr(item.get(name)) for name in names)


_ITEMS: Mapping[str, Callable[[JsonObject], object]] = {
    "tags": _by("tag"),
    "terms": _by("urn"),
    "owners": lambda item: (item.get("owner"), item.get("typeUrn") or item.get("type")),
    "elements": _by("url"),
    "upstreams": _by("dataset"),
    "fineGrainedLineages": _by("upstreams", "downstreams"),
    "properties": _by("propertyUrn"),
    "editableSchemaFieldInfo": lambda item: read(item.get("fieldPath", "")),
}
"""The keys that identify the items of a list. Other lists are ours as a whole."""

_NAMES = frozenset(
    {
        "domains", "groups", "members", "typeNames", "inputDatasets", "outputDatasets",
        "isRelatedTerms", "relatedTerms",
    }
)  # fmt: skip
"""Lists of names."""
_KEYS = frozenset({"primaryKeys", "foreignKeys"})
"""Keys that belong to the columns: always ours, and removed if ours has none."""
_EITHER = frozenset({"type", "platformSchema", "value"})
"""Objects with alternatives: two of them cannot be merged."""
_OF_COLUMNS = frozenset({"description", "jsonProps", "isPartitioningKey"})
"""Keys of a column that only we write."""
# Keys that an aspect requires even after we take ours back: kept from before, and reset.
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "deprecation": ("actor",),
    "schemaMetadata": ("schemaName", "platform", "version", "hash", "platformSchema"),
    "viewProperties": ("materialized", "viewLanguage"),
}
_TAKEN_BACK: Mapping[str, JsonObject] = {
    "deprecation": {"deprecated": False, "note": ""},
    "schemaMetadata": {"fields": []},
    "viewProperties": {"viewLogic": ""},
}


def merge_aspects(
    existing: Aspects, ours: Aspects, source: str, before: Aspects = _NO_ASPECTS
) -> dict[str, JsonObject]:
    """Build the aspects to write: ours merged with foreign content; `source` marks our items."""
    merge = _Merge(source)
    names = [*ours, *(name for name in before if name not in ours and name in existing)]
    return {
        name: merge.joined(
            existing.get(name, _NOTHING),
            ours[name] if name in ours else _empty_aspect(name, before[name]),
            before.get(name, _NOTHING),
        )
        for name in names
    }


def _empty_aspect(name: str, before: JsonObject) -> JsonObject:
    kept = {key: before[key] for key in _REQUIRED.get(name, ()) if key in before}
    return {**kept, **_TAKEN_BACK.get(name, {})}


@dataclass(frozen=True, slots=True)
class _Merge:
    source: str

    def joined(self, existing: JsonObject, ours: JsonObject, before: JsonObject) -> JsonObject:
        """Merge an object of several authors, key by key."""
        pairs = (
            (name, self._key(name, existing.get(name), ours.get(name), before.get(name)))
            for name in dict.fromkeys((*existing, *ours))
        )
        return {name: one for name, one in pairs if one is not None}

    def _key(self, name: str, existing: Any, ours: Any, before: Any) -> Any:
        if name in _KEYS:
            return ours
        if existing is None or name in STAMPS:
            return ours if existing is None else existing
        if name == "customProperties":
            return _texts(existing, ours or {}, before or {})
        if isinstance(existing, list):
            return self._list(name, existing, ours, before)
        if isinstance(existing, Mapping) and name not in _EITHER:
            return self.joined(existing, ours or {}, before or {})
        is_gone = ours is None and existing == before
        return None if is_gone else existing if ours is None else ours

    def _list(self, name: str, existing: list[Any], ours: Any, before: Any) -> Any:
        if name == "fields" and ours is not None:
            return self._columns(existing, ours)
        mine, past = ours or [], before or []
        if name in _NAMES:
            return [*mine, *(one for one in existing if one not in mine and one not in past)]
        if name in _ITEMS and all(isinstance(one, Mapping) for one in (*existing, *mine)):
            return self._items(_ITEMS[name], existing, mine, past)
        is_gone = ours is None and existing == before
        return None if is_gone else existing if ours is None else ours

    def _columns(self, existing: Iterable[JsonObject], ours: Iterable[JsonObject]) -> list[Any]:
        """Columns are ours; foreign metadata of a column (tags, terms) stays with it."""
        known = {read(one.get("fieldPath", "")): one for one in existing}
        found = []
        for one in ours:
            theirs = known.get(read(one["fieldPath"]), _NOTHING)
            kept = {name: held for name, held in theirs.items() if name not in _OF_COLUMNS}
            found.append(self.joined(kept, one, _NOTHING))
        return found

    def _items(
        self,
        identify: Callable[[JsonObject], object],
        existing: Sequence[JsonObject],
        ours: Sequence[JsonObject],
        before: Sequence[JsonObject],
    ) -> list[JsonObject]:
        """Our items in our order, then the foreign ones in theirs."""
        mine = {identify(one): one for one in ours}
        past = {identify(one): one for one in before}
        there: dict[object, list[JsonObject]] = {}
        for one in existing:
            there.setdefault(identify(one), []).append(one)
        found: list[JsonObject] = []
        for place in dict.fromkeys((*mine, *there)):
            first, *more = there.get(place, [None])
            one = self._item(first, mine.get(place), past.get(place))
            found += [*([] if one is None else [one]), *(other for other in more if other)]
        return found

    def _item(
        self, existing: JsonObject | None, ours: JsonObject | None, before: JsonObject | None
    ) -> Any:
        if existing is None:
            return ours
        if ours is None:
            return existing if before is None else self._left(existing, before)
        if "attribution" in ours and not self._is_ours(existing):
            return _add_detail(existing, ours)
        if ours == before and is_marked(ours) and not is_marked(existing):
            return existing  # a foreign edge, to which we add nothing new
        return self.joined(existing, ours, before or _NOTHING)

    def _left(self, existing: JsonObject, before: JsonObject) -> JsonObject | None:
        """The rest of an item after our part is removed; None if nothing remains."""
        if "attribution" in before:
            return None if self._is_ours(existing) else existing
        if is_marked(before) and not is_marked(existing):
            return existing
        if "fieldPath" not in before:
            return None
        rest = self.joined(existing, {"fieldPath": existing["fieldPath"]}, before)
        is_empty = all(one in ({"tags": []}, {"terms": []}) for one in _marks(rest))
        return None if is_empty else rest

    def _is_ours(self, item: JsonObject) -> bool:
        return (item.get("attribution") or {}).get("source") == self.source


def _marks(info: JsonObject) -> list[Any]:
    """The content of a field's entry without its path and stamps."""
    held = [one for name, one in info.items() if name != "fieldPath"]
    return [
        {name: each for name, each in one.items() if name not in STAMPS}
        if isinstance(one, Mapping)
        else one
        for one in held
    ]


def _add_detail(existing: JsonObject, ours: JsonObject) -> JsonObject:
    """Foreign items stay foreign; our details are added to their attribution."""
    detail = ours["attribution"].get("sourceDetail")
    if not detail:
        return existing
    held = existing.get("attribution") or {"time": 0, "actor": ours["attribution"]["actor"]}
    said = {**(held.get("sourceDetail") or {}), **detail}
    return {**existing, "attribution": {**held, "sourceDetail": said}}


def _texts(
    existing: Mapping[str, str], ours: Mapping[str, str], before: Mapping[str, str]
) -> dict[str, str]:
    """Custom properties: ours have our prefix, or were ours before and are unchanged."""
    kept = {
        name: one
        for name, one in existing.items()
        if not name.startswith(PREFIX) and before.get(name) != one
    }
    return {**kept, **ours}
