"""The columns of raw documents: compared as they stand, by a diff only where a name is gone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.flows.history.documents import Document
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path

Root = tuple[str, str]
ROOTS: tuple[Root, ...] = (
    ("schema", "fields"),
    ("schema", "key_fields"),
    ("storage", "partitioning"),
)
"""The lists of a snapshot that hold columns."""

_NESTED = ("element", "key", "value", "fields", "branches")
_WORDS = ("name", "description", "properties")
"""What a column is called, and what its source says of it: no part of its definition."""
_NO_DEFINITION = frozenset((*_NESTED, *_WORDS))
_INSIDE = (("element", Step.ELEMENT), ("key", Step.KEY), ("value", Step.VALUE))

BROKEN = (KeyError, TypeError, AttributeError, ValueError)
"""What a walk over a document meets whose structure is wrong: nothing has validated it."""


class Column(NamedTuple):
    """A column at any depth."""

    path: str
    top: str
    """The name of the column in the list itself that it is, or is inside of."""
    held: Mapping[str, Any]

    @property
    def definition(self) -> dict[str, Any]:
        """What it is, without what is nested in it and without words."""
        return {name: one for name, one in self.held.items() if name not in _NO_DEFINITION}


def listed(document: Document, root: Root) -> Sequence[Mapping[str, Any]]:
    """The list of columns at a place, empty where there is none."""
    section = document.get(root[0])
    found = section.get(root[1]) if isinstance(section, dict) else None
    return found if isinstance(found, list) else ()


def columns_in(document: Document, root: Root) -> Iterator[Column]:
    """Every column of a list with what is nested in it, parents first."""
    yield from columns_of(listed(document, root))


def columns_of(items: Sequence[Mapping[str, Any]]) -> Iterator[Column]:
    """Every column of a list with what is nested in it, parents first."""
    seen: Counter[str] = Counter()
    for one in items:
        name = one["name"]
        seen[name] += 1
        path = (Part(Step.MEMBER, name, seen[name]),)
        yield from _walk(one, path, name)


def _walk(held: Mapping[str, Any], path: FieldPath, top: str) -> Iterator[Column]:
    yield Column(format_path(path), top, held)
    if not any(name in held for name in _NESTED):
        return
    for name, step in _INSIDE:
        if name in held:
            yield from _walk(held[name], (*path, Part(step)), top)
    for name, step in (("fields", Step.MEMBER), ("branches", Step.BRANCH)):
        seen: Counter[str] = Counter()
        for one in held.get(name, ()):
            label = one.get("name") or one["type"]
            seen[label] += 1
            yield from _walk(one, (*path, Part(step, label, seen[label])), top)
