"""Documents that branches make of one another: snapshots with the edits that people make."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.rules import find_violations
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import Field
from lumos_snap.schema import document_of
from lumos_snap.schema.validation import misfits
from tests.strategies.documents import snapshots
from tests.strategies.texts import short_texts
from tests.strategies.types import types

Document = dict[str, Any]
Edit = Callable[[st.DrawFn, Document], None]

NAMES = st.sampled_from(("a", "b", "c", "d", "e"))
BARE = {
    "lumos_version": FORMAT_VERSION,
    "urn": "lumos://s3/lake/clicks",
    "name": "clicks",
    "platform": "s3",
}
TAGS = st.sampled_from(("pii", "tier-1", "raw", "gold"))
IDS = st.none() | st.integers(1, 6)


@st.composite
def fields(draw: st.DrawFn) -> Document:
    """A column, with a name and an id that others may have too."""
    field = document_of(draw(types(Field, draw(st.sampled_from((0, 0, 2))))))
    field.pop("id", None)
    identity = draw(IDS)
    return {**field, "name": draw(NAMES), **({"id": identity} if identity else {})}


@st.composite
def starts(draw: st.DrawFn) -> Document:
    """A snapshot with some columns, and at times with anything else that a snapshot may have.

    Only a file may have two columns of one name.
    """
    columns = {"schema": {"fields": draw(st.lists(fields(), max_size=4))}}
    if draw(st.integers(0, 3)):
        of_file = {**BARE, **columns, "storage": {"format": "parquet"}}
        return _sound({**BARE, **columns}) or canonical_document(of_file, Snapshot)
    document = document_of(draw(snapshots))
    return _sound({**document, **columns}) or _sound(document) or BARE


@st.composite
def edited(draw: st.DrawFn, document: Document, edits: Sequence[Edit] = ()) -> Document:
    """What a document became after some edits, each of which left it sound."""
    for edit in draw(st.lists(st.sampled_from(edits or EDITS), max_size=5)):
        changed = copy.deepcopy(document)
        edit(draw, changed)
        document = _sound(changed) or document
    return document


@st.composite
def branches(draw: st.DrawFn, edits: Sequence[Edit] = ()) -> tuple[Document, Document, Document]:
    """A document, and what two branches made of it."""
    base = draw(starts())
    return base, draw(edited(base, edits)), draw(edited(base, edits))


def without_ids(held: Any) -> Any:
    """The same without field ids, by which what one side dropped and added may be a rename."""
    if isinstance(held, dict):
        return {name: without_ids(value) for name, value in held.items() if name != "id"}
    return [without_ids(one) for one in held] if isinstance(held, list) else held


def is_ambiguous(document: Document) -> bool:
    """Whether columns of one list share a name or an id: then only their place tells them apart."""
    return _repeats(document.get("schema", {}).get("fields", []))


def _repeats(columns: list[Document]) -> bool:
    names = [column.get("name") for column in columns]
    ids = [column["id"] for column in columns if "id" in column]
    nested = [held for column in columns for held in _nested(column)]
    return len({*names}) < len(names) or len({*ids}) < len(ids) or any(map(_repeats, nested))


def _nested(column: Document) -> list[list[Document]]:
    inner = [column[name] for name in ("element", "key", "value") if name in column]
    return [column.get("fields", []), column.get("branches", []), inner and inner[:1]]


def _sound(document: Document) -> Document | None:
    if misfits(document, Snapshot) or find_violations(document, Snapshot):
        return None
    return canonical_document(document, Snapshot)


def _columns(draw: st.DrawFn, document: Document) -> list[Any]:
    """The columns of the table, or of a struct in it."""
    at: list[Any] = document.setdefault("schema", {}).setdefault("fields", [])
    inner = [one["fields"] for one in at if one.get("fields")]
    return draw(st.sampled_from([at, *inner]))


def _add(draw: st.DrawFn, document: Document) -> None:
    columns = _columns(draw, document)
    columns.insert(draw(st.integers(0, len(columns))), draw(fields()))


def _append(draw: st.DrawFn, document: Document) -> None:
    _columns(draw, document).append(draw(fields()))


def _drop(draw: st.DrawFn, document: Document) -> None:
    if columns := _columns(draw, document):
        del columns[draw(st.integers(0, len(columns) - 1))]


def _move(draw: st.DrawFn, document: Document) -> None:
    columns = _columns(draw, document)
    columns[:] = draw(st.permutations(columns))


def _part(name: str, value: st.SearchStrategy[Any]) -> Edit:
    def edit(draw: st.DrawFn, document: Document) -> None:
        if columns := _columns(draw, document):
            draw(st.sampled_from(columns))[name] = draw(value)

    return edit


def _retype(draw: st.DrawFn, document: Document) -> None:
    columns = _columns(draw, document)
    if columns:
        place = draw(st.integers(0, len(columns) - 1))
        old, new = columns[place], draw(fields())
        kept = {name: old[name] for name in ("name", "id", "description") if name in old}
        columns[place] = {**new, **kept}


def _tag(draw: st.DrawFn, document: Document) -> None:
    document.setdefault("governance", {})["tags"] = draw(st.lists(TAGS, unique=True))


def _own(draw: st.DrawFn, document: Document) -> None:
    owner = {"user": draw(NAMES), "description": draw(short_texts)}
    owners = document.setdefault("ownership", {}).setdefault("owners", [])
    owners[:] = [one for one in owners if one.get("user") != owner["user"]]
    if draw(st.booleans()):
        owners.append(owner)


def _describe(draw: st.DrawFn, document: Document) -> None:
    key = draw(st.sampled_from(("title", "description", "business_context")))
    document.setdefault("documentation", {})[key] = draw(short_texts)


def _describe_field(draw: st.DrawFn, document: Document) -> None:
    words = document.setdefault("documentation", {}).setdefault("fields", [])
    path, identity = draw(NAMES), draw(IDS)
    words[:] = [one for one in words if one["path"] != path]
    said = {"path": path, "description": draw(short_texts)}
    words.append({**said, **({"id": identity} if identity else {})})


def _set_property(draw: st.DrawFn, document: Document) -> None:
    held: Mapping[str, Any] = draw(
        st.dictionaries(NAMES, st.one_of(short_texts, st.dictionaries(NAMES, st.integers(0, 2))))
    )
    document["properties"] = {**document.get("properties", {}), **held}


def _key(draw: st.DrawFn, document: Document) -> None:
    document.setdefault("schema", {})["primary_key"] = draw(st.lists(NAMES, max_size=2))


_comment = _part("description", short_texts)
LINE_EDITS: tuple[Edit, ...] = (_add, _append, _drop, _move, _comment, _tag, _own, _describe, _key)
"""Edits of which each adds, removes or changes whole lines of the flat text of a document."""

EDITS: tuple[Edit, ...] = (
    *LINE_EDITS,
    _retype,
    _part("name", NAMES),
    _part("nullable", st.booleans()),
    _describe_field,
    _set_property,
)

WORDS: tuple[Edit, ...] = (_tag, _own, _describe, _describe_field, _set_property)
"""Edits of what people say."""
