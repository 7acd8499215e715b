"""Matching of columns in raw documents; a diff runs only where names disappear."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.history.versions import Document
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.snapshot import Snapshot

if TYPE_CHECKING:
    from lumos_snap.diff import Fact


Root = tuple[str, str]
ROOTS: tuple[Root, ...] = (
    ("schema", "fields"),
    ("schema", "key_fields"),
    ("storage", "partitioning"),
)
"""The lists of a snapshot that contain columns."""

_NESTED = ("element", "key", "value", "fields", "branches")
_TEXT_KEYS = ("name", "description", "properties")
"""Name and source metadata of a column, which are not part of its definition."""
_NO_DEFINITION = frozenset((*_NESTED, *_TEXT_KEYS))
_INSIDE = (("element", Step.ELEMENT), ("key", Step.KEY), ("value", Step.VALUE))

BROKEN = (KeyError, TypeError, AttributeError, ValueError)
"""Errors on documents with an invalid structure, which were not validated."""


class HistoryColumn(NamedTuple):
    """A column at any depth."""

    path: str
    top: str
    """The name of the top-level column that it is or is nested in."""
    held: JsonObject

    @property
    def definition(self) -> JsonObject:
        """The definition, without nested columns and descriptions."""
        return {name: one for name, one in self.held.items() if name not in _NO_DEFINITION}


def read_columns(document: Document, root: Root) -> Sequence[JsonObject]:
    """The list of columns at a path; empty where there is none."""
    section = document.get(root[0])
    found = section.get(root[1]) if isinstance(section, dict) else None
    return found if isinstance(found, list) else ()


def columns_in(document: Document, root: Root) -> Iterator[HistoryColumn]:
    """All columns of a list, including nested ones, parents first."""
    yield from columns_of(read_columns(document, root))


def columns_of(items: Sequence[JsonObject]) -> Iterator[HistoryColumn]:
    """All columns of a list, including nested ones, parents first."""
    seen: Counter[str] = Counter()
    for one in items:
        name = one["name"]
        seen[name] += 1
        path = (Part(Step.MEMBER, name, seen[name]),)
        yield from _walk(one, path, name)


def _walk(held: JsonObject, path: FieldPath, top: str) -> Iterator[HistoryColumn]:
    yield HistoryColumn(format_path(path), top, held)
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


@dataclass(slots=True)
class OpenColumn:
    """A column with unknown origin, under its name in the last visited version."""

    number: int
    root: Root
    path: str
    top: str
    is_settled: bool = False
    """Whether its last change is known; then only its first commit is open."""


@dataclass(frozen=True, slots=True)
class ColumnTrace:
    """A column in the previous version; absent if the path is empty."""

    column: OpenColumn
    path: str
    top: str
    is_same: bool


def is_alike(old: Document, new: Document) -> bool:
    """Whether all columns of two versions are equal."""
    if all(old.get(section) == new.get(section) for section in _SECTIONS):
        return True
    return all(read_columns(old, root) == read_columns(new, root) for root in ROOTS)


_SECTIONS = tuple(dict.fromkeys(section for section, _ in ROOTS))


def trace_columns(
    old: Document, new: Document, columns: Sequence[OpenColumn]
) -> Iterator[ColumnTrace]:
    """Find columns of the new version in the old one."""
    for root in ROOTS:
        asked = [column for column in columns if column.root == root]
        before, after = read_columns(old, root), read_columns(new, root)
        if before == after:
            yield from (_keep_column(column) for column in asked)
        elif asked:
            yield from _in_list(_Lists(old, new, root), asked)


def _keep_column(column: OpenColumn) -> ColumnTrace:
    return ColumnTrace(column, column.path, column.top, is_same=True)


class _Lists:
    """One list of columns in two versions."""

    def __init__(self, old: Document, new: Document, root: Root) -> None:
        self.old, self.new, self.root = old, new, root
        self.before, self.after = (
            _by_name(read_columns(old, root)),
            _by_name(read_columns(new, root)),
        )
        self._facts: tuple[Fact, ...] | None = None

    @property
    def facts(self) -> "tuple[Fact, ...]":
        """All differences; the diff runs once, and only if needed."""
        if self._facts is None:
            from lumos_snap.diff import diff  # noqa: PLC0415 - most columns need none

            sides = (canonical_document(one, Snapshot) for one in (self.old, self.new))
            self._facts = diff(*sides)
        return self._facts

    def is_new(self, top: str) -> bool:
        """Whether a top-level column is certainly new: no name disappeared, and no id matches."""
        held = self.after[top]
        is_sure = held is not None and "id" not in held and top not in self.before
        return is_sure and self.before.keys() <= self.after.keys() and not _declares(self.new)


def _declares(document: Document) -> bool:
    """Whether a contract declares a former name for any column."""
    contract = document.get("contract")
    promised = contract.get("fields", ()) if isinstance(contract, dict) else ()
    return any("renamed_from" in one for one in promised)


def _by_name(items: Sequence[JsonObject]) -> dict[str, JsonObject | None]:
    """Columns by name; None for repeated names, which need a diff."""
    counts = Counter(one["name"] for one in items)
    return {one["name"]: one if counts[one["name"]] == 1 else None for one in items}


def _in_list(lists: _Lists, columns: Iterable[OpenColumn]) -> Iterator[ColumnTrace]:
    by_top: dict[str, list[OpenColumn]] = {}
    for column in columns:
        by_top.setdefault(column.top, []).append(column)
    for top, inside in by_top.items():
        old, new = lists.before.get(top), lists.after.get(top)
        if lists.is_new(top):
            yield from (ColumnTrace(column, "", "", is_same=False) for column in inside)
        elif old is None or new is None:
            yield from _by_diff(lists, inside)
        elif old == new:
            yield from (_keep_column(column) for column in inside)
        else:
            yield from _by_path(lists, old, new, inside)


def _by_path(
    lists: _Lists, old: JsonObject, new: JsonObject, columns: Iterable[OpenColumn]
) -> Iterator[ColumnTrace]:
    """Columns inside one with an unchanged name: most names are unchanged."""
    before = {one.path: one for one in columns_of([old])}
    after = {one.path: one for one in columns_of([new])}
    unclear = []
    for column in columns:
        one, other = before.get(column.path), after[column.path]
        if one is None or not _may_be_one(one, other):
            unclear.append(column)
        else:
            yield ColumnTrace(column, one.path, one.top, one.definition == other.definition)
    yield from _by_diff(lists, unclear)


def _may_be_one(old: HistoryColumn, new: HistoryColumn) -> bool:
    """Whether two columns with the same path may be the same, according to their field ids."""
    one, other = old.held.get("id"), new.held.get("id")
    return one is None or other is None or one == other


def _by_diff(lists: _Lists, columns: Sequence[OpenColumn]) -> Iterator[ColumnTrace]:
    """Columns that were renamed or added."""
    if not columns:
        return
    from lumos_snap.history.renames import is_renamed, path_before  # noqa: PLC0415 - as above

    before = {one.path: one for one in columns_of(read_columns(lists.old, lists.root))}
    after = {one.path: one for one in columns_of(read_columns(lists.new, lists.root))}
    changed = {fact.path for fact in lists.facts if is_renamed(fact, lists.root)}
    for column in columns:
        was = path_before(lists.facts, column.path, lists.root)
        found = before.get(was)
        if found is None:
            yield ColumnTrace(column, "", "", is_same=False)
            continue
        is_same = found.definition == after[column.path].definition
        yield ColumnTrace(column, found.path, found.top, is_same and column.path not in changed)
