"""What people said of columns, under the names that the columns have now.

An entry goes along as it stands, with who added what to it and when.
"""

from collections.abc import Mapping
from typing import Any

from lumos_snap.catalogs.datahub.codec import Aspect
from lumos_snap.catalogs.datahub.fieldpaths import read as read_path
from lumos_snap.catalogs.datahub.fieldpaths import to_v1
from lumos_snap.catalogs.datahub.words import FIELDS
from lumos_snap.model.field_path import format_path, parse_path

_ENTRIES = "editableSchemaFieldInfo"
_LISTS = (("globalTags", "tags", "tag"), ("glossaryTerms", "terms", "urn"))


def renamed(aspects: Mapping[str, Aspect], moved: Mapping[str, str]) -> Mapping[str, Aspect]:
    """Aspects in which entries stand at their present paths; `moved` has these by former ones."""
    held = aspects.get(FIELDS.aspect)
    if not moved or held is None:
        return aspects
    found: dict[str, Aspect] = {}
    for entry in held.get(_ENTRIES) or ():
        path = format_path(read_path(entry["fieldPath"]))
        now = moved.get(path, path)
        one = {**entry, "fieldPath": to_v1(parse_path(now))} if now != path else entry
        found[now] = _united(found[now], one) if now in found else one
    return {**aspects, FIELDS.aspect: {**held, _ENTRIES: list(found.values())}}


def _united(one: Aspect, other: Aspect) -> Aspect:
    """Two entries about one column, which do not contradict each other."""
    found: dict[str, Any] = {**other, **{name: held for name, held in one.items() if held}}
    for name, items, key in _LISTS:
        marks = [*_items(one, name, items), *_items(other, name, items)]
        if marks:
            by_key = {mark.get(key): mark for mark in reversed(marks)}
            found[name] = {**found[name], items: list(reversed(by_key.values()))}
    return found


def _items(entry: Aspect, name: str, items: str) -> list[Any]:
    return (entry.get(name) or {}).get(items) or []
