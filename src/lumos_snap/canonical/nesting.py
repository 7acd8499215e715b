"""What laws say of types in types: references lead somewhere, and nesting comes to an end."""

from collections.abc import Iterator

from lumos_snap.documents.problem import Pointer
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import MAX_LEVELS, DataType, Kind

Found = Iterator[tuple[Pointer, str]]

_NESTING = frozenset({Kind.ARRAY, Kind.MAP, Kind.STRUCT, Kind.UNION, Kind.REF})


def undefined_references(snapshot: Snapshot) -> Found:
    """Every name that `REF` uses and nothing has."""
    known = {definition.name for definition in snapshot.schema.definitions}
    for pointer, data_type in _nesting_types(snapshot):
        for ref in sorted(set(_refs(data_type)) - known):
            yield pointer, f"`{ref}` is not defined in `schema.definitions`"


def _refs(data_type: DataType) -> Iterator[str]:
    if data_type.ref is not None:
        yield data_type.ref
    for inner in _inside(data_type):
        yield from _refs(inner)


def too_deep_types(snapshot: Snapshot) -> Found:
    """Every field and definition that nests deeper than any tool has to follow."""
    for pointer, data_type in _nesting_types(snapshot):
        if _levels(data_type) > MAX_LEVELS:
            yield pointer, f"the type is nested over {MAX_LEVELS} levels deep"


def _levels(data_type: DataType) -> int:
    return 1 + max(map(_levels, _inside(data_type)), default=0)


def _inside(data_type: DataType) -> list[DataType]:
    held = (data_type.element, data_type.key, data_type.value)
    return [*(n for n in held if n is not None), *data_type.fields, *data_type.branches]


def _nesting_types(snapshot: Snapshot) -> Iterator[tuple[Pointer, DataType]]:
    """Fields and definitions that may hold or name other types."""
    for name in ("fields", "definitions"):
        for index, data_type in enumerate(getattr(snapshot.schema, name)):
            if data_type.type in _NESTING:
                yield ("schema", name, index), data_type
