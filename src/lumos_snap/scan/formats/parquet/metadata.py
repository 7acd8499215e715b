"""Metadata of writers in a Parquet footer, reduced to what the Parquet schema lacks.

`about` is a description, `type` the writer's own name of a type, `in` the inner trees by name
(`element`, `key` and `value` of lists and maps). Empty values are left out, so that equal schemas
have equal trees.
"""

import binascii
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.formats.arrow import probe as arrow_probe
from lumos_snap.scan.formats.parquet import thrift
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables.text_bounds import EMPTY, TextBounds, parse_bounds

MOST_NODES = 100_000
MOST_LEVELS = 64
MOST_TEXT = 4096
"""Longer descriptions are truncated."""

Tree = JsonObject


class UnreadableError(Exception):
    """The metadata of a writer is not valid."""


class NodeBudget:
    """The number of nodes that may still be read: named types let a short text mean a huge tree."""

    def __init__(self) -> None:
        self.left = MOST_NODES

    def spend(self, level: int) -> None:
        """Count one node."""
        self.left -= 1
        if self.left < 0 or level > MOST_LEVELS:
            raise UnreadableError


def make_node(
    about: object, named: str = "", inside: Mapping[str, Tree] | None = None
) -> dict[str, object]:
    """Build a node of a tree, without empty values."""
    found: dict[str, object] = {}
    if isinstance(about, str) and about:
        found["about"] = clip_text(about)
    if named:
        found["type"] = clip_text(named)
    kept = {name: one for name, one in (inside or {}).items() if one}
    if kept:
        found["in"] = kept
    return found


def clip_text(given: str) -> str:
    """Truncate a text, and escape lone surrogates, which JSON may contain."""
    return given[:MOST_TEXT].encode("utf-8", "backslashreplace").decode()


def index_members(listed: Sequence[tuple[str, Tree]]) -> dict[str, Tree]:
    """Index members by name; a duplicate name gets an empty tree, as it is ambiguous."""
    found: dict[str, Tree] = {}
    for name, one in listed:
        found[name] = {} if name in found else one
    return found


def require_object(given: object) -> JsonObject:
    """Return a JSON object, or reject the metadata of this writer."""
    if not isinstance(given, dict):
        raise UnreadableError
    return given


def require_objects(given: object) -> list[JsonObject]:
    """Return a list of JSON objects, or reject the metadata of this writer."""
    if not isinstance(given, list):
        raise UnreadableError
    return [require_object(one) for one in given]


def arrow_tree(text: bytes) -> Tree:
    """Reduce an Arrow schema in base64 to what the Parquet schema lacks."""
    try:
        fields = arrow_probe.decode_fields(binascii.a2b_base64(text))
    except (binascii.Error, BadFileError) as error:
        raise UnreadableError from error
    return make_node(None, "", index_members([_member(field) for field in fields]))


def _member(field: JsonObject) -> tuple[str, Tree]:
    return field["name"], _node(field)


def _node(field: JsonObject) -> Tree:
    inside = index_members([_member(one) for one in field.get("members", ())])
    inside |= {name: _node(field[name]) for name in ("element", "key", "value") if name in field}
    found = make_node(field.get("about"), "", inside)
    adds: dict[str, object] = {name: field[name] for name in ("extension", "zone") if name in field}
    if field["type"] == "duration":
        adds |= {"type": "duration", "unit": field["unit"]}
    if field["type"] == "fixed_size_list":
        adds |= {"length": field["length"]}
    return {**found, **adds}


MOST_SYMBOLS = 10_000
_NAMED = ("record", "error", "enum", "fixed")


def avro_tree(words: bytes) -> Tree:
    """Reduce an Avro schema to what the Parquet schema lacks."""
    return _Schema().type(json.loads(words), None, 0)


class _Schema:
    """One schema: a named type may be referred to again by its name."""

    def __init__(self) -> None:
        self.budget = NodeBudget()
        self.named: dict[str, JsonObject] = {}

    def type(self, given: Any, about: object, level: int) -> Tree:
        self.budget.spend(level)
        if isinstance(given, list):
            real = [one for one in given if one != "null"]
            # Several alternatives become a group in Parquet, whose member names Avro does not have.
            return self.type(real[0], about, level + 1) if len(real) == 1 else make_node(about)
        if isinstance(given, str):
            known = self.named.get(given)
            return make_node(about) if known is None else self.type(known, about, level + 1)
        if not isinstance(given, dict):
            raise UnreadableError
        return self._complex(given, about, level)

    def _complex(self, given: JsonObject, about: object, level: int) -> Tree:
        kind = given.get("type")
        if kind in _NAMED:
            self._name(given)
        if kind in ("record", "error"):
            return make_node(about, "", self._fields(given.get("fields"), level))
        if kind == "array":
            return make_node(about, "", {"element": self.type(given.get("items"), None, level + 1)})
        if kind == "map":
            return make_node(about, "", {"value": self.type(given.get("values"), None, level + 1)})
        if kind == "enum":
            return {**make_node(about), "symbols": _symbols(given.get("symbols"))}
        return (
            self.type(kind, about, level + 1) if isinstance(kind, dict | list) else make_node(about)
        )

    def _name(self, given: JsonObject) -> None:
        name, space = str(given.get("name")), given.get("namespace")
        self.named[name] = given
        self.named[name.rpartition(".")[2]] = given
        if isinstance(space, str) and space:
            self.named[f"{space}.{name}"] = given

    def _fields(self, fields: object, level: int) -> dict[str, Tree]:
        if not isinstance(fields, list) or not all(isinstance(one, dict) for one in fields):
            raise UnreadableError
        listed = [
            (str(one.get("name")), self.type(one.get("type"), one.get("doc"), level + 1))
            for one in fields
        ]
        return index_members(listed)


def _symbols(given: object) -> list[str]:
    if not isinstance(given, list) or len(given) > MOST_SYMBOLS:
        raise UnreadableError
    return [clip_text(one) for one in given if isinstance(one, str)]


_TYPES = re.compile(r"interval .*|timestamp|variant", re.DOTALL)
_TEXTS = re.compile(r"(var)?char\(\d{1,9}\)")


def spark_tree(words: bytes) -> Tree:
    """Reduce Spark's schema to what the Parquet schema lacks."""
    return _type(require_object(json.loads(words)), None, NodeBudget(), 0)


def _type(given: Any, about: object, budget: NodeBudget, level: int) -> dict[str, object]:
    budget.spend(level)
    if isinstance(given, str):
        return make_node(about, given if _TYPES.fullmatch(given) else "")
    match require_object(given):
        case {"type": "struct", "fields": fields}:
            listed = [
                (str(f.get("name")), _field(f, budget, level)) for f in require_objects(fields)
            ]
            return make_node(about, "", index_members(listed))
        case {"type": "array", "elementType": element}:
            return make_node(about, "", {"element": _type(element, None, budget, level + 1)})
        case {"type": "map", "keyType": key, "valueType": held}:
            inside = {"key": key, "value": held}
            found = {n: _type(one, None, budget, level + 1) for n, one in inside.items()}
            return make_node(about, "", found)
        case {"type": "udt", "sqlType": stored} as udt:
            inner = _type(stored, about, budget, level + 1)
            known = udt.get("class") or udt.get("pyClass")
            return {**inner, "type": clip_text(f"udt {known}")} if known else inner
        case _:
            raise UnreadableError


def _field(field: JsonObject, budget: NodeBudget, level: int) -> Tree:
    metadata = require_object(field.get("metadata") or {})
    found = _type(field.get("type"), metadata.get("comment"), budget, level + 1)
    text = metadata.get("__CHAR_VARCHAR_TYPE_STRING")
    if isinstance(text, str):
        _add_lengths(found, parse_bounds(text, field.get("type")), budget, level)
    collations = metadata.get("__COLLATIONS")
    if isinstance(collations, dict):
        _add_collations(found, f"{field.get('name')}", collations, budget)
    return found


def _add_lengths(found: Any, bounds: TextBounds, budget: NodeBudget, level: int) -> None:
    """Add the lengths of texts at any depth."""
    budget.spend(level)
    if _TEXTS.fullmatch(bounds.text):
        found["type"] = bounds.text
    for name, inner in bounds.held.items():
        if inner != EMPTY:
            inside = found.setdefault("in", {}).setdefault(name, {})
            _add_lengths(inside, inner, budget, level + 1)


def _add_collations(
    found: Any, name: str, collations: Mapping[object, object], budget: NodeBudget
) -> None:
    """Add the collations of a column, by their paths in it, such as `tags.element`."""
    for path, collation in collations.items():
        steps = f"{path}.".removeprefix(f"{name}.").split(".")[:-1]
        is_own = f"{path}.".startswith(f"{name}.") and _STEPS.issuperset(steps)
        if not (is_own and isinstance(collation, str) and collation):
            continue
        node = found
        for level, step in enumerate(steps):
            budget.spend(level)
            node = node.setdefault("in", {}).setdefault(step, {})
        node["collation"] = clip_text(collation)


_STEPS = frozenset(("element", "key", "value"))


def iceberg_tree(words: bytes) -> Tree:
    """Reduce Iceberg's schema to its descriptions: the Parquet schema has the rest."""
    return _iceberg(require_object(json.loads(words)), None, NodeBudget(), 0)


def _iceberg(given: object, about: object, budget: NodeBudget, level: int) -> Tree:
    budget.spend(level)
    if isinstance(given, str):
        return make_node(about)
    match require_object(given):
        case {"type": "struct", "fields": fields}:
            listed = [
                (str(f.get("name")), _iceberg(f.get("type"), f.get("doc"), budget, level + 1))
                for f in require_objects(fields)
            ]
            return make_node(about, "", index_members(listed))
        case {"type": "list", "element": element}:
            return make_node(about, "", {"element": _iceberg(element, None, budget, level + 1)})
        case {"type": "map", "key": key, "value": held}:
            inside = {"key": key, "value": held}
            found = {n: _iceberg(one, None, budget, level + 1) for n, one in inside.items()}
            return make_node(about, "", found)
        case _:
            raise UnreadableError


MOST_METADATA = 2 * 1024 * 1024
"""Longer metadata is ignored."""
MOST_CHANCES = 16
"""Maximum number of false matches of an entry's bytes."""
MOST_KNOWN = 32
LARGEST_KNOWN = 64 * 1024

_known: dict[tuple[str, bytes], Any] = {}
"""Cache of reduced metadata, by writer and text."""


def read_writer_metadata(footer: bytes, start: int) -> dict[str, object]:
    """Read the metadata of each writer, in the key-value metadata somewhere after `start`."""
    found: dict[str, Any] = {}
    unread = []
    for writer, (keys, read) in _READERS.items():
        text = next((text for key in keys if (text := _find_entry(footer, start, key))), b"")
        if not text:
            continue
        try:
            reduced = _reduce(writer, text, read)
        except (UnreadableError, ValueError, RecursionError):
            unread.append(writer)
        else:
            found |= {writer: reduced} if reduced else {}
    return {**found, "unread": unread} if unread else found


def _reduce(writer: str, text: bytes, read: Callable[[bytes], object]) -> object:
    if len(text) > MOST_METADATA:
        raise UnreadableError
    key = (writer, text)
    found = _known.get(key)
    if found is None:
        found = read(text)
        if len(text) <= LARGEST_KNOWN:
            if len(_known) >= MOST_KNOWN:
                _known.pop(next(iter(_known)), None)
            _known[key] = found
    return found


def _find_entry(footer: bytes, start: int, key: bytes) -> bytes:
    """Return the value of a key: the last match that is framed as a metadata entry."""
    framed = b"\x18" + bytes((len(key),)) + key + b"\x18"
    end = len(footer)
    for _ in range(MOST_CHANCES):
        place = footer.rfind(framed, start, end)
        if place < 0:
            break
        text = _read_framed_value(footer, place + len(framed))
        if text is not None:
            return text
        end = place + len(framed) - 1
    return b""


def _read_framed_value(footer: bytes, place: int) -> bytes | None:
    reader = thrift.CompactReader(footer, place)
    try:
        text = reader.binary()
        return text if footer[reader.at] == thrift.STOP else None
    except (thrift.ThriftError, IndexError):
        return None  # a false match


def _pandas(text: bytes) -> list[str]:
    """Return the index columns, without ranges; pandas' other metadata depends on the data."""
    columns = require_object(json.loads(text)).get("index_columns")
    return [one for one in columns if isinstance(one, str)] if isinstance(columns, list) else []


_READERS: Mapping[str, tuple[tuple[bytes, ...], Callable[[bytes], Any]]] = {
    "spark": ((b"org.apache.spark.sql.parquet.row.metadata",), spark_tree),
    "arrow": ((b"ARROW:schema",), arrow_tree),
    "avro": ((b"parquet.avro.schema", b"avro.schema"), avro_tree),
    "iceberg": ((b"iceberg.schema",), iceberg_tree),
    "pandas": ((b"pandas",), _pandas),
}
