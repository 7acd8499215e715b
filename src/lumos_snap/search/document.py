"""The index entry of a snapshot: the words of its fields, and tokens for filters.

Names are split in the same way in an index and in a query.
"""

import base64
import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.model.types import Kind

# Splitting of names and words, equal for indexing and for queries.


LINE, FORM = "\n", "\t"
"""Separators in the index: between items of a field, and between forms of an item."""

OPEN, CLOSE, MARK = "\ue000", "\ue001", "\ue002"
"""Delimiters of a match, and prefix of marks; they are removed from indexed text."""

_CONTROL = re.compile(f"[\x00-\x1f\x7f{OPEN}{CLOSE}{MARK}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER = re.compile(r"(?<=[^\W\d_])(?=[0-9])")
_OLD = unicodedata.ucd_3_2_0
_BETWEEN = re.compile(r"[\W_]+")


def clean(text: str) -> str:
    """Clean a text for SQLite: one line, without control characters and lone surrogates."""
    plain = _CONTROL.sub(" ", text)
    if plain.isascii():
        return plain
    whole = plain.encode("utf-8", "replace").decode()
    return "".join(f" {char} " if _is_odd_sign(char) else char for char in whole)


def _is_odd_sign(char: str) -> bool:
    """Whether SQLite may treat a character as a letter that is none: a newer or private one."""
    return not char.isalnum() and _OLD.category(char) in ("Cn", "Co")


def split_humps(text: str) -> str:
    """Split camel case: `userClicks` becomes `user Clicks`."""
    return _CAMEL.sub(" ", text)


def join_parts(text: str) -> str:
    """A name without the separators between its parts."""
    return _BETWEEN.sub("", text)


def line(name: str) -> str:
    """The indexed forms of a name: unchanged, split, and without separators."""
    plain = clean(name)
    forms = (plain, _NUMBER.sub(" ", split_humps(plain)), join_parts(plain))
    return FORM.join(dict.fromkeys(form for form in forms if form))


def lines(names: "list[str]") -> str:
    """The indexed forms of several names, one line each."""
    return LINE.join(line(name) for name in dict.fromkeys(names))


def name_of_line(line_of_index: str) -> str:
    """The name of an indexed line."""
    return line_of_index.partition(FORM)[0]


FIELDS: Mapping[str, float] = {
    "name": 10,
    "urn": 2,
    "column": 4,
    "words": 2,
    "owner": 3,
    "tag": 5,
    "term": 5,
    "domain": 4,
    "platform": 3,
}
"""The searchable fields, with their weights."""

TYPES: Mapping[str, str] = {kind.value: f"{number:02}" for number, kind in enumerate(Kind)}
"""Suffix of a column's mark, by its type."""

WEIGHTS = (*FIELDS.values(), 10, 0)
"""Weights of the fields, of a whole name, and of marks."""

_LEVELS = 64
_MARK_LENGTH = 12


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The index entry of one snapshot."""

    texts: tuple[str, ...]
    """The text of each of `FIELDS`."""
    whole: str
    """The name as one token: a match of the whole name ranks higher than a part."""
    marks: str
    """Tokens for exact filters."""


@dataclass(frozen=True, slots=True)
class _Column:
    path: str
    name: str
    type: str
    description: str


def build_entry(document: JsonObject) -> IndexEntry:
    """Build the index entry of a document with a valid structure."""
    columns = list(_columns(document))
    governance = document.get("governance", {})
    documented = document.get("documentation", {})
    domain = governance.get("domain")
    texts = {
        "name": lines([document["name"], *_iter_texts(documented, "title")]),
        "urn": clean(document["urn"].removeprefix("lumos://")),
        "column": lines([column.path for column in columns]),
        "words": LINE.join(map(clean, _document_texts(document, columns))),
        "owner": lines(list(owners(document))),
        "tag": lines(_collect_names(governance, "tags")),
        "term": lines(_collect_names(governance, "terms")),
        "domain": lines([domain] if domain else []),
        "platform": document["platform"],
    }
    return IndexEntry(
        texts=tuple(texts[name] for name in FIELDS),
        whole=join_parts(clean(document["name"])),
        marks=" ".join(sorted(_marks(document, columns))),
    )


def owners(document: JsonObject) -> tuple[str, ...]:
    """The users and groups that own a dataset, without duplicates."""
    held = document.get("ownership", {}).get("owners", ())
    return tuple(dict.fromkeys(owner.get("user") or owner["group"] for owner in held))


@functools.lru_cache(maxsize=65536)
def mark(kind: str, value: str) -> str:
    """A unique token for an exact value, which no tokenizer splits."""
    said = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(said, digest_size=10).digest()
    return MARK + base64.b32encode(digest)[:_MARK_LENGTH].decode().lower()


def column_mark(name: str, type_name: str = "") -> str:
    """The mark of a column with this name and type; without a type, the prefix of its marks."""
    return mark("column", name.casefold()) + (TYPES[type_name] if type_name else "")


def _marks(document: JsonObject, columns: list[_Column]) -> Iterator[str]:
    governance = document.get("governance", {})
    found = {
        ("platform", document["platform"]),
        ("domain", governance.get("domain", "")),
        ("kind", document.get("kind", "").casefold()),
        ("format", document.get("storage", {}).get("format", "").casefold()),
        *(("owner", owner) for owner in owners(document)),
        *(("tag", tag) for tag in governance.get("tags", ())),
        *(("type", column.type) for column in columns),
    }
    yield from (mark(*one) for one in found)
    named = {(name, one.type) for one in columns for name in (one.path, one.name)}
    yield from (column_mark(*one) for one in named)


def _columns(document: JsonObject) -> Iterator[_Column]:
    """All fields at any depth, also of named types, and partition columns outside the files."""
    schema = document.get("schema", {})
    for field in (*schema.get("fields", ()), *schema.get("key_fields", ())):
        yield from _field(field, ())
    for partition in document.get("storage", {}).get("partitioning", ()):
        if "source" not in partition:
            yield from _field(partition, ())
    for named in schema.get("definitions", ()):
        yield from _inside(named, (Part(Step.MEMBER, named["name"]),))


def _field(field: JsonObject, above: tuple[Part, ...]) -> Iterator[_Column]:
    here = (*above, Part(Step.MEMBER, field["name"]))
    yield _Column(format_path(here), field["name"], field["type"], field.get("description", ""))
    yield from _inside(field, here)


def _inside(held: JsonObject, above: tuple[Part, ...]) -> Iterator[_Column]:
    if len(above) > _LEVELS:
        return
    for field in held.get("fields", ()):
        yield from _field(field, above)
    for step, name in ((Step.ELEMENT, "element"), (Step.KEY, "key"), (Step.VALUE, "value")):
        if name in held:
            yield from _inside(held[name], (*above, Part(step)))
    for branch in held.get("branches", ()):
        name = branch.get("name", branch["type"])
        yield from _inside(branch, (*above, Part(Step.BRANCH, name)))


def _document_texts(document: JsonObject, columns: list[_Column]) -> Iterator[str]:
    documented = document.get("documentation", {})
    yield from _iter_texts(documented, "description", "business_context")
    yield from _iter_texts(document.get("storage", {}), "description")
    yield from _iter_texts(document.get("schema", {}), "description")
    for field in documented.get("fields", ()):
        yield from _iter_texts(field, "title", "description")
    yield from dict.fromkeys(column.description for column in columns if column.description)


def _iter_texts(held: JsonObject, *names: str) -> Iterator[str]:
    return (held[name] for name in names if name in held)


def _collect_names(governance: JsonObject, name: str) -> list[str]:
    """Tags or terms of the dataset and of its fields."""
    fields = (one for field in governance.get("fields", ()) for one in field.get(name, ()))
    return [*governance.get(name, ()), *fields]
