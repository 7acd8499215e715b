"""What laws look for, as functions over documents whose structure is right.

They read parsed documents in place: 100,000 files are judged without building a value of any.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lumos_snap.documents.problem import Pointer
from lumos_snap.errors import LumosError
from lumos_snap.model.fieldpath import parse_path
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.shape import keys_of, sortable

Object = Mapping[str, Any]
Found = Iterator[tuple[Pointer, str]]


def repeated(document: Object, cls: type, at: Pointer = ()) -> Found:
    """Items of a set that say the same thing twice, at any depth."""
    for name, item, by, inside in _watched(cls):
        held = document.get(name)
        if not held:
            continue
        if isinstance(held, dict):
            yield from repeated(held, item, (*at, name))
            continue
        if by and len(held) > 1:
            yield from _twice(held, by, (*at, name))
        if inside:
            for index, one in enumerate(held):
                yield from repeated(one, item, (*at, name, index))


@functools.cache
def _watched(cls: type) -> tuple[tuple[str, type, tuple[str, ...] | None, bool], ...]:
    """The keys of `_holding_sets` with what is asked of each for every document."""
    return tuple(
        (name, key.item, key.set_by, bool(_holding_sets(key.item)))
        for name in _holding_sets(cls)
        if (key := keys_of(cls)[name]).item is not None
    )


@functools.cache
def _holding_sets(cls: type, above: tuple[type, ...] = ()) -> tuple[str, ...]:
    """The keys that hold a set of objects, or an object in which there is one."""
    return tuple(
        key.name
        for key in keys_of(cls).values()
        if key.item is not None
        and key.item not in above
        and (key.set_by or _holding_sets(key.item, (*above, cls)))
    )


def _twice(items: Iterable[Object], by: tuple[str, ...], at: Pointer) -> Found:
    seen: set[object] = set()
    for index, item in enumerate(items):
        identity = tuple(sortable(item.get(name)) for name in by)
        if identity in seen:
            shown = ", ".join(f"{n} `{item[n]}`" for n in by if n in item)
            yield (*at, index), f"{shown} stands in `{at[-1]}` more than once"
        seen.add(identity)


def urn(document: Object) -> Found:
    """The urn is well written, and what is derived from it agrees."""
    try:
        parsed = parse_urn(document["urn"])
    except LumosError as exc:
        yield ("urn",), _misspelt(exc)
        return
    for name, expected in (("platform", parsed.platform), ("name", shown_name(parsed))):
        if name in document and document[name] != expected:
            yield (name,), f"the urn says {name} `{expected}`, not `{document[name]}`"


def shown_name(parsed: Urn) -> str:
    """The name of a dataset as JSON can hold it: single bytes stay escaped."""
    if parsed.name.isascii():
        return parsed.name
    has_bytes = any("\ud800" <= char <= "\udfff" for char in parsed.name)
    return str(parsed).rpartition("/")[2] if has_bytes else parsed.name


def _misspelt(exc: LumosError) -> str:
    return f"{exc.message}; {exc.hint}" if exc.hint else exc.message


def references(document: Object) -> Found:
    """Upstream datasets are named by well-written urns."""
    for index, edge in enumerate(section(document, "lineage").get("upstream", ())):
        at: Pointer = ("lineage", "upstream", index)
        try:
            parse_urn(edge["urn"])
        except LumosError as exc:
            yield (*at, "urn"), _misspelt(exc)
        if edge["urn"] == document["urn"]:
            yield at, "the dataset is made from itself"


def paths(document: Object) -> Found:
    """Field paths can be read."""
    for pointer, text in _written_paths(document):
        try:
            parse_path(text)
        except ValueError as exc:
            yield pointer, str(exc)


def _written_paths(document: Object) -> Iterator[tuple[Pointer, str]]:
    for name in ("contract", "governance", "documentation"):
        for index, entry in enumerate(section(document, name).get("fields", ())):
            yield (name, "fields", index, "path"), entry["path"]
    for number, edge in enumerate(section(document, "lineage").get("upstream", ())):
        for index, column in enumerate(edge.get("columns", ())):
            for end in ("to", "from"):
                if end in column:
                    yield ("lineage", "upstream", number, "columns", index, end), column[end]


def key_columns(document: Object) -> Found:
    """The columns of keys exist."""
    schema = section(document, "schema")
    groups = list(_key_groups(schema))
    if not groups or not schema.get("fields"):
        return
    partitions = section(document, "storage").get("partitioning", ())
    names = {one["name"] for one in (*schema["fields"], *partitions)}
    for pointer, columns in groups:
        for column in columns:
            if column not in names and not _leads_into(column, names):
                yield pointer, f"there is no column `{column}`"


def _key_groups(schema: Object) -> Iterator[tuple[Pointer, list[str]]]:
    if "primary_key" in schema:
        yield ("schema", "primary_key"), schema["primary_key"]
    for name in ("unique", "foreign_keys"):
        for index, key in enumerate(schema.get(name, ())):
            yield ("schema", name, index), key["columns"]


def _leads_into(path: str, names: set[str]) -> bool:
    try:
        return parse_path(path)[0].name in names
    except ValueError:
        return False


def partitions(document: Object) -> Found:
    """A partition column that comes from the path is not a field as well."""
    partitioning = section(document, "storage").get("partitioning", ())
    if not partitioning:
        return
    names = {field["name"] for field in section(document, "schema").get("fields", ())}
    for index, partition in enumerate(partitioning):
        if "source" not in partition and partition["name"] in names:
            yield ("storage", "partitioning", index), f"`{partition['name']}` is a field as well"


def section(document: Object, name: str) -> Object:
    """A part of a document, empty where it is absent."""
    found: Object = document.get(name) or {}
    return found
