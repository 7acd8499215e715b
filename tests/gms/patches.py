"""Patches as DataHub applies them: RFC 6902 on a value whose arrays became maps.

Parents that are missing are made, so adding never fails for that, and removing what is not there
changes nothing. Aspects without a template can be patched only with `arrayPrimaryKeys`.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.gms import array_keys
from tests.gms.array_keys import EDGES, Keys
from tests.gms.refusals import Dropped

Json = Any
ANY = "*"
_STAMP = {"time": 0, "actor": "urn:li:corpuser:__datahub_system"}
_TEMPLATES: Mapping[str, Keys] = {
    "globalTags": {"tags": ("tag",)},
    "glossaryTerms": {"terms": ("urn",)},
    "ownership": {"owners": ("owner", "type")},
    "domains": {"domains": ()},
    "documentation": {"documentations": (f"attribution{array_keys.SEPARATOR}source",)},
    "structuredProperties": {"properties": ("propertyUrn",)},
    "siblings": {"siblings": ()},
    "upstreamLineage": {"upstreams": ("dataset",)},
    "editableSchemaMetadata": {"editableSchemaFieldInfo": ("fieldPath",)},
    "datasetProperties": {},
    "editableDatasetProperties": {},
    "status": {},
    "versionProperties": {},
}
_INSIDE = {"globalTags": {"tags": ("tag",)}, "glossaryTerms": {"terms": ("urn",)}}
"""What stands as maps inside the fields of `editableSchemaMetadata`."""
_DEFAULTS: Mapping[str, Json] = {"glossaryTerms": {"auditStamp": _STAMP}}


def is_generic(patch: Json) -> bool:
    """Whether a patch brings its own keys, and so goes past headers and system metadata."""
    return isinstance(patch, dict) and bool(patch.get("arrayPrimaryKeys"))


def patched(aspect: str, value: Json | None, patch: Json) -> Json:
    """A value with a patch applied; `Dropped` where the patch does not fit."""
    ops = patch.get("patch") if isinstance(patch, dict) else patch
    if is_generic(patch):
        keys: Keys = patch["arrayPrimaryKeys"]
    elif aspect in _TEMPLATES:
        keys = _TEMPLATES[aspect]
    else:
        raise Dropped(f"No patch template for aspect {aspect}")
    if not isinstance(ops, list):
        raise Dropped(f"A patch of {aspect} is no list of operations")
    found = copy.deepcopy(value) if value is not None else {**_DEFAULTS.get(aspect, {})}
    return _applied(found, ops, keys, is_schema=aspect == "editableSchemaMetadata")


def _applied(found: Json, ops: Sequence[Json], keys: Keys, *, is_schema: bool) -> Json:
    found = _turned(found, keys, array_keys.as_map)
    if EDGES in found or "upstreams" in keys:
        found[EDGES] = array_keys.edges_as_map(found.get(EDGES, ()))
    inner = found.get("editableSchemaFieldInfo", {}) if is_schema else {}
    for path, field in inner.items():
        inner[path] = _nested(field, array_keys.as_map)
    for op in ops:
        _apply(found, op)
    if is_schema and isinstance(inner := found["editableSchemaFieldInfo"], dict):
        for path, field in inner.items():
            inner[path] = _nested({"fieldPath": path, **field}, array_keys.as_array)
    if EDGES in found:
        found[EDGES] = array_keys.edges_as_array(found[EDGES])
    return _turned(found, keys, array_keys.as_array)


def _turned(found: Json, keys: Keys, turn: Callable[[Json, Sequence[str]], Json]) -> Json:
    return {**found, **{name: turn(found.get(name, []), one) for name, one in keys.items()}}


def _nested(field: Json, turn: Callable[[Json, Sequence[str]], Json]) -> Json:
    turned = {
        name: _turned(field[name], keys, turn) for name, keys in _INSIDE.items() if name in field
    }
    if "glossaryTerms" in turned:
        turned["glossaryTerms"].setdefault("auditStamp", _STAMP)
    return {**field, **turned}


def _apply(found: Json, op: Json) -> None:
    kind, path = op.get("op"), str(op.get("path", ""))
    if kind not in ("add", "remove", "replace") or not path.startswith("/"):
        raise Dropped(f"Unsupported PATCH operation: {op!r:.200}")
    *outer, last = [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
    for parent in _parents(found, outer, expands=kind == "remove"):
        if kind == "remove":
            _remove(parent, last)
        elif kind == "replace" and last not in parent:
            raise Dropped(f"Nothing to replace at {path}")
        else:
            _put(parent, last, op.get("value"))


def _parents(found: Json, outer: Sequence[str], *, expands: bool) -> list[Json]:
    level = [found]
    for part in outer:
        if expands and part == ANY:
            level = [inner for one in level for inner in one.values()]
        else:
            level = [_child(one, part) for one in level]
    return level


def _child(parent: Json, part: str) -> Json:
    if isinstance(parent, dict):
        return parent.setdefault(part, {})
    if isinstance(parent, list) and part.isdigit() and int(part) < len(parent):
        return parent[int(part)]
    raise Dropped(f"Nothing of that name to patch: {part}")


def _remove(parent: Json, part: str) -> None:
    if isinstance(parent, list) and part.isdigit() and int(part) < len(parent):
        del parent[int(part)]
    elif isinstance(parent, dict) and part == ANY:
        parent.clear()
    elif isinstance(parent, dict):
        parent.pop(part, None)
    else:
        raise Dropped(f"Nothing of that name to remove: {part}")


def _put(parent: Json, part: str, value: Json) -> None:
    if isinstance(parent, dict):
        parent[part] = value
    elif isinstance(parent, list) and (part == "-" or part.isdigit()):
        parent.insert(len(parent) if part == "-" else int(part), value)
    else:
        raise Dropped(f"Nothing to put at {part}")
