"""The checks of validation rules, for documents with a valid structure.

They read parsed documents in place: 100,000 files are checked without building values.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping

from lumos_snap.documents.position import Pointer
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import has_column, parse_path
from lumos_snap.model.types import MAX_LEVELS
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.schema import Key, NameKind, keys_of, sortable

Violations = Iterator[tuple[Pointer, str]]


def find_repeated_items(document: JsonObject, cls: type, at: Pointer = ()) -> Violations:
    """Find repeated items of sets, at any depth."""
    for name, item, by, inside in _set_keys(cls):
        held = document.get(name)
        if not held:
            continue
        if isinstance(held, dict):
            yield from find_repeated_items(held, item, (*at, name))
            continue
        if by and len(held) > 1:
            yield from _find_twice(held, by, (*at, name))
        if inside:
            for index, one in enumerate(held):
                yield from find_repeated_items(one, item, (*at, name, index))


@functools.cache
def _set_keys(cls: type) -> tuple[tuple[str, type, tuple[str, ...] | None, bool], ...]:
    """The keys of `_holding_sets` with their properties, cached for use by every document."""
    return tuple(
        (name, key.item, key.set_by, bool(_holding_sets(key.item)))
        for name in _holding_sets(cls)
        if (key := keys_of(cls)[name]).item is not None
    )


@functools.cache
def _holding_sets(cls: type, above: tuple[type, ...] = ()) -> tuple[str, ...]:
    """The keys that hold a set of objects, directly or in nested objects."""
    return tuple(
        key.name
        for key in keys_of(cls).values()
        if key.item is not None
        and key.item not in above
        and (key.set_by or _holding_sets(key.item, (*above, cls)))
    )


def _find_twice(items: Iterable[JsonObject], by: tuple[str, ...], at: Pointer) -> Violations:
    seen: set[object] = set()
    for index, item in enumerate(items):
        identity = tuple(sortable(item.get(name)) for name in by)
        if identity in seen:
            shown = ", ".join(f"{n} `{item[n]}`" for n in by if n in item)
            yield (*at, index), f"{shown} stands in `{at[-1]}` more than once"
        seen.add(identity)


LONGEST_URN = 1000


def check_urn(document: JsonObject) -> Violations:
    """Check that the urn is valid, and that `platform` and `name` agree with it."""
    if len(document["urn"]) > LONGEST_URN:
        yield ("urn",), f"is longer than {LONGEST_URN} characters, which no path can hold"
        return
    try:
        parsed = parse_urn(document["urn"])
    except LumosError as exc:
        yield ("urn",), _spelling_fault(exc)
        return
    for name, expected in (("platform", parsed.platform), ("name", displayable_name(parsed))):
        if name in document and document[name] != expected:
            yield (name,), f"the urn says {name} `{expected}`, not `{document[name]}`"


def displayable_name(parsed: Urn) -> str:
    """The name of a dataset as JSON can store it: bytes that are not UTF-8 stay escaped."""
    if parsed.name.isascii():
        return parsed.name
    has_bytes = any("\ud800" <= char <= "\udfff" for char in parsed.name)
    return str(parsed).rpartition("/")[2] if has_bytes else parsed.name


def _spelling_fault(exc: LumosError) -> str:
    return f"{exc.message}; {exc.hint}" if exc.hint else exc.message


def find_bad_names(
    document: JsonObject, cls: type, at: Pointer = ()
) -> Iterator[tuple[Pointer, NameKind, str]]:
    """Find invalid urns and field paths, anywhere in a document."""
    for name, item, names in _naming(cls):
        held = document.get(name)
        if not held:
            continue
        if names is not None:
            yield from _find_misspelt(held, names, (*at, name))
        elif isinstance(held, dict):
            yield from find_bad_names(held, item, (*at, name))
        else:
            watched = _names_in(item)
            for index, one in enumerate(held):
                if not watched.isdisjoint(one):  # most columns of a schema contain none
                    yield from find_bad_names(one, item, (*at, name, index))


def _find_misspelt(
    held: str | list[str], names: NameKind, at: Pointer
) -> Iterator[tuple[Pointer, NameKind, str]]:
    fault = _FAULTS[names]
    if isinstance(held, str):
        if message := fault(held):
            yield at, names, message
        return
    for index, one in enumerate(held):
        if message := fault(one):
            yield (*at, index), names, message


@functools.cache
def _naming(cls: type) -> tuple[tuple[str, type, NameKind | None], ...]:
    """The keys that hold names, directly or in nested objects."""
    return tuple(
        (key.name, key.item or str, key.scalar.names if key.scalar else None)
        for key in keys_of(cls).values()
        if _holds_names(key)
    )


@functools.cache
def _names_in(cls: type) -> frozenset[str]:
    return frozenset(name for name, _, _ in _naming(cls))


def _holds_names(key: Key, above: tuple[type, ...] = ()) -> bool:
    if key.scalar is not None:
        return key.scalar.names is not None
    if key.item is None or key.item in above:
        return False
    inside = (*above, key.item)
    return any(_holds_names(inner, inside) for inner in keys_of(key.item).values())


@functools.lru_cache(maxsize=65536)
def _urn_fault(text: str) -> str:
    try:
        parse_urn(text)
    except LumosError as exc:
        return _spelling_fault(exc)
    return ""


@functools.lru_cache(maxsize=65536)
def _path_fault(text: str) -> str:
    try:
        parse_path(text)
    except ValueError as exc:
        return str(exc)
    return ""


_FAULTS: Mapping[NameKind, Callable[[str], str]] = {
    NameKind.DATASET: _urn_fault,
    NameKind.FIELD: _path_fault,
}


def check_key_columns(document: JsonObject) -> Violations:
    """Check that the columns of keys, partitions, buckets and sort orders exist."""
    schema = section(document, "schema")
    groups = [*_key_groups(schema), *_layout_groups(section(document, "storage"))]
    if not groups or not schema.get("fields"):
        return
    for pointer, columns in groups:
        for column in columns:
            if not has_column(document, column):
                yield pointer, f"there is no column `{column}`"


def _key_groups(schema: JsonObject) -> Iterator[tuple[Pointer, list[str]]]:
    if "primary_key" in schema:
        yield ("schema", "primary_key"), schema["primary_key"]
    for name in ("unique", "foreign_keys"):
        for index, key in enumerate(schema.get(name, ())):
            yield ("schema", name, index), key["columns"]


def _layout_groups(storage: JsonObject) -> Iterator[tuple[Pointer, list[str]]]:
    for name, key in (("partitioning", "source"), ("sorting", "field")):
        for index, one in enumerate(storage.get(name, ())):
            if key in one:
                yield ("storage", name, index), [one[key]]
    if "bucketing" in storage:
        yield ("storage", "bucketing"), storage["bucketing"].get("columns", [])


_OPEN_FORMATS = frozenset(
    {
        *("csv", "tsv", "psv", "text", "txt"),
        *("parquet", "orc", "avro", "arrow", "feather", "ipc"),
        *("delta", "iceberg", "hudi"),
    }
)
"""Formats whose files or logs may contain two columns of one name, even if engines refuse them."""


def find_repeated_columns(document: JsonObject) -> Violations:
    """Find repeated column names in a table, and repeated member names in a struct."""
    form = section(document, "storage").get("format", "")
    if form.lower() in _OPEN_FORMATS:
        return
    schema = section(document, "schema")
    for name in ("fields", "key_fields"):
        yield from _find_repeated_names(schema.get(name, ()), ("schema", name))


def _find_repeated_names(fields: list[JsonObject], at: Pointer) -> Violations:
    names = {one["name"] for one in fields}
    if len(names) < len(fields):
        seen: set[str] = set()
        for index, one in enumerate(fields):
            if one["name"] in seen:
                yield (*at, index), f"there are two columns `{one['name']}`"
            seen.add(one["name"])
    for index, one in enumerate(fields):
        if "fields" in one:
            yield from _find_repeated_names(one["fields"], (*at, index, "fields"))


def check_partitions(document: JsonObject) -> Violations:
    """Check that a partition column from the path is not also a field."""
    partitioning = section(document, "storage").get("partitioning", ())
    if not partitioning:
        return
    names = {field["name"] for field in section(document, "schema").get("fields", ())}
    for index, partition in enumerate(partitioning):
        if "source" not in partition and partition["name"] in names:
            yield ("storage", "partitioning", index), f"`{partition['name']}` is a field as well"


def section(document: JsonObject, name: str) -> JsonObject:
    """A section of a document, empty if absent."""
    found: JsonObject = document.get(name) or {}
    return found


TOO_DEEP = f"the type is nested over {MAX_LEVELS} levels deep"

_NESTING = frozenset({"ARRAY", "MAP", "STRUCT", "UNION", "REF"})
_NONE: frozenset[str] = frozenset()


def find_undefined_refs(document: JsonObject) -> Violations:
    """Find `REF` types whose definition is missing."""
    naming = [(at, refs) for at, one in _nesting_types(document) if (refs := _refs(one))]
    if not naming:
        return
    known = {one["name"] for one in section(document, "schema").get("definitions", ())}
    for pointer, refs in naming:
        for ref in sorted(refs - known):
            yield pointer, f"`{ref}` is not defined in `schema.definitions`"


def _refs(data_type: JsonObject) -> frozenset[str]:
    if data_type["type"] not in _NESTING:
        return _NONE
    if "ref" in data_type:
        return frozenset((data_type["ref"],))
    return _NONE.union(*map(_refs, _inside(data_type)))


def find_deep_types(document: JsonObject) -> Violations:
    """Find types that are nested too deep for some tools."""
    for pointer, data_type in _nesting_types(document):
        if _levels(data_type) > MAX_LEVELS:
            yield pointer, TOO_DEEP


def _levels(data_type: JsonObject) -> int:
    if data_type["type"] not in _NESTING:
        return 1
    return 1 + max(map(_levels, _inside(data_type)), default=0)


def _inside(data_type: JsonObject) -> list[JsonObject]:
    held = [data_type[name] for name in ("element", "key", "value") if name in data_type]
    return [*held, *data_type.get("fields", ()), *data_type.get("branches", ())]


def _nesting_types(document: JsonObject) -> list[tuple[Pointer, JsonObject]]:
    """Fields and definitions that may contain or refer to other types."""
    schema = section(document, "schema")
    return [
        (("schema", name, index), data_type)
        for name in ("fields", "key_fields", "definitions")
        for index, data_type in enumerate(schema.get(name, ()))
        if data_type["type"] in _NESTING
    ]
