"""`lumos snap textconv`: a document as flat text, for line-based diffs in git.

One line for each column at any depth, with its path and type; one line for each other value.
Nothing is validated: git calls this for every version of every file that it shows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Branch, DataType
from lumos_snap.schema import Holds, Key, keys_of, value_of
from lumos_snap.schema.fast_check import fits
from lumos_snap.text import sanitize_text

_NAMES = {
    "schema.fields": "column",
    "schema.key_fields": "key column",
    "schema.definitions": "definition",
    "storage.partitioning": "partition",
    "governance.tags": "tag",
    "governance.terms": "term",
    "ownership.owners": "owner",
    "lineage.upstream": "upstream",
    "contract.readers": "reader",
    "quality.checks": "check",
    "documentation.links": "link",
}
"""Short labels for items of a list, instead of their path."""

_TYPE_KEYS = frozenset(
    {"type", "ref", "precision", "scale", "length", "unit", "timezone", "symbols",
     "symbol_default", "collation", "nullable"}
)  # fmt: skip
_CONTAINED = (("element", Step.ELEMENT), ("key", Step.KEY), ("value", Step.VALUE))
_NESTED = frozenset({"fields", "branches", *(name for name, _ in _CONTAINED)})


def flat_file(path: Path) -> bytes:
    """Convert a file's document to flat text; other content is unchanged."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as exc:
        raise LumosError(f"{path}: there is no such file") from exc
    except OSError as exc:
        raise OutsideError(f"{path}: cannot be read: {exc.strerror}") from exc
    return flat(raw)


def flat(raw: bytes) -> bytes:
    """Convert a document to flat text; other content is unchanged."""
    try:
        lines = list(_document(loads(raw)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return raw  # an unvalidated document may have any error, and git must still show it
    return "".join(f"{sanitize_text(line)}\n" for line in lines).encode("utf-8", "backslashreplace")


def _document(document: JsonObject) -> Iterator[str]:
    may_be = [kind.cls for kind in KINDS if keys_of(kind.cls).keys() >= document.keys()]
    if not may_be or not document:
        raise ValueError("no document of a tree")
    # Several kinds may have its keys: use the kind with its structure, or else the first.
    cls = next((cls for cls in may_be if fits(document, cls)), may_be[0])
    yield from _object(document, cls, "", "")


def _object(held: JsonObject, cls: type, at: str, head: str) -> Iterator[str]:
    """The keys of an object in order; `head` is the prefix of lines, `at` the path."""
    keys = keys_of(cls)
    for name, value in held.items():
        where = f"{at}.{name}" if at else name
        yield from _value(value, keys[name], where, f"{head}{name}")


def _value(held: Any, key: Key, at: str, head: str) -> Iterator[str]:
    name = _NAMES.get(at, head)
    if key.holds is Holds.OBJECT and key.item is not None:
        yield from _object(held, key.item, at, f"{head}.")
    elif key.holds is Holds.OBJECTS and key.item is not None:
        is_typed = issubclass(key.item, DataType)
        yield from _columns(held, key.item, name, ()) if is_typed else _items(held, key, name)
    elif key.holds is Holds.SCALARS and key.set_by is not None:
        yield from (f"{name}: {one}" for one in held)
    elif key.holds is Holds.FREE:
        yield from (f"{head} {inner}: {_plain(value)}" for inner, value in held.items())
    else:
        yield f"{name}: {_plain(held)}"


def _items(items: Iterable[JsonObject], key: Key, name: str) -> Iterator[str]:
    """A line for each item, and one for each further value of the item."""
    assert key.item is not None  # noqa: S101 - a list of objects has a class
    for item in items:
        by = key.set_by or tuple(item)
        label = _plain(item[by[0]]) if len(by) == 1 else _pairs(item, by)
        yield f"{name}: {label}"
        rest = {inner: value for inner, value in item.items() if inner not in by}
        yield from _object(rest, key.item, "", f"{name} {label} ")


def _pairs(item: JsonObject, names: Iterable[str]) -> str:
    return ", ".join(f"{name} {_plain(item[name])}" for name in names if name in item)


def _columns(
    columns: Iterable[JsonObject], cls: type[DataType], name: str, above: FieldPath
) -> Iterator[str]:
    """A line for each column and each nested column, with its path."""
    step = Step.BRANCH if issubclass(cls, Branch) else Step.MEMBER
    seen: Counter[str] = Counter()
    for column in columns:
        label = column.get("name", column["type"])
        seen[label] += 1
        yield from _column(column, cls, name, (*above, Part(step, label, seen[label])))


def _column(column: JsonObject, cls: type[DataType], name: str, path: FieldPath) -> Iterator[str]:
    keys = keys_of(cls)
    head = f"{name} {format_path(path)}"
    required = " NOT NULL" if column.get("nullable") is False else ""
    yield f"{head}: {_type(column)}{required}"
    for key, value in column.items():
        if key not in _TYPE_KEYS and key not in _NESTED and key != "name":
            yield from _value(value, keys[key], "", f"{head} {key}")
    for key, step in _CONTAINED:
        inner = keys[key].item
        if key in column and inner is not None:
            yield from _column(column[key], inner, name, (*path, Part(step)))
    for key in ("fields", "branches"):
        inner = keys[key].item
        if inner is not None:
            yield from _columns(column.get(key, ()), inner, name, path)


def _type(column: JsonObject) -> str:
    """A type in the notation, without nested columns, which have their own lines."""
    if not _NESTED.isdisjoint(column):
        length = f"({column['length']})" if "length" in column else ""
        return f"{column['type']}{length}"
    known = keys_of(DataType)
    return format_type(value_of({k: v for k, v in column.items() if k in known}, DataType))


def _plain(held: object) -> str:
    if isinstance(held, str):
        return held
    if isinstance(held, list) and all(isinstance(one, str) for one in held):
        return ", ".join(held)
    return orjson.dumps(held).decode()
