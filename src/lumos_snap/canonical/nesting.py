"""What laws say of types in types: references lead somewhere, and nesting comes to an end."""

from lumos_snap.canonical.checks import Found, Object, section
from lumos_snap.documents.problem import Pointer
from lumos_snap.model.types import MAX_LEVELS

TOO_DEEP = f"the type is nested over {MAX_LEVELS} levels deep"

_NESTING = frozenset({"ARRAY", "MAP", "STRUCT", "UNION", "REF"})
_NONE: frozenset[str] = frozenset()


def undefined_references(document: Object) -> Found:
    """What `REF` refers to is defined."""
    naming = [(at, refs) for at, one in _nesting_types(document) if (refs := _refs(one))]
    if not naming:
        return
    known = {one["name"] for one in section(document, "schema").get("definitions", ())}
    for pointer, refs in naming:
        for ref in sorted(refs - known):
            yield pointer, f"`{ref}` is not defined in `schema.definitions`"


def _refs(data_type: Object) -> frozenset[str]:
    if data_type["type"] not in _NESTING:
        return _NONE
    if "ref" in data_type:
        return frozenset((data_type["ref"],))
    return _NONE.union(*map(_refs, _inside(data_type)))


def too_deep_types(document: Object) -> Found:
    """Types nest no deeper than every tool can follow."""
    for pointer, data_type in _nesting_types(document):
        if _levels(data_type) > MAX_LEVELS:
            yield pointer, TOO_DEEP


def _levels(data_type: Object) -> int:
    if data_type["type"] not in _NESTING:
        return 1
    return 1 + max(map(_levels, _inside(data_type)), default=0)


def _inside(data_type: Object) -> list[Object]:
    held = [data_type[name] for name in ("element", "key", "value") if name in data_type]
    return [*held, *data_type.get("fields", ()), *data_type.get("branches", ())]


def _nesting_types(document: Object) -> list[tuple[Pointer, Object]]:
    """Fields and definitions that may hold or name other types."""
    schema = section(document, "schema")
    return [
        (("schema", name, index), data_type)
        for name in ("fields", "key_fields", "definitions")
        for index, data_type in enumerate(schema.get(name, ()))
        if data_type["type"] in _NESTING
    ]
