"""Conditions of rules about readers: named predicates over a fact and its case."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.diff import Action, Fact
from lumos_snap.documents.position import once, places
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, has_column, parse_path
from lumos_snap.rules.case import Case
from lumos_snap.rules.default_values import is_applied
from lumos_snap.rules.rule import Condition
from lumos_snap.rules.type_changes import SORTS, sort_of_change
from lumos_snap.schema import Document

# Finds the column of a fact: in the new document by path, in the old one by position.


_ROOTS = (("schema",), ("contract",))


def field_of(side: Document, fact: Fact) -> Document | None:
    """Find the column, element or value of a fact on one side, by its path."""
    if fact.at[:1] not in _ROOTS:
        return None
    root = fact.at[1] if fact.at[0] == "schema" else "fields"
    held: JsonObject = {"fields": side.get("schema", {}).get(str(root), ())}
    try:
        parts = parse_path(fact.path)
    except ValueError:  # a validation rule reports it
        return None
    for part in parts:
        found = _step(held, part)
        if found is None:
            return None
        held = found
    return held


def _step(held: JsonObject, part: Part) -> JsonObject | None:
    inside = {"[]": "element", "{}": "value", "{key}": "key"}.get(part.step.value)
    if inside:
        return held.get(inside)
    key = "fields" if part.step.value == "member" else "branches"
    inner = held.get(key, ())
    named = places(inner, part.name, _label)
    return inner[named[part.number - 1]] if len(named) >= part.number else None


def namesakes(side: Document, fact: Fact, spelled: Callable[[str], str]) -> int:
    """Count the sibling columns that have a fact's new name, including its own."""
    name = fact.new if fact.action is Action.RENAMED else fact.new.get("name", "")
    label = _NAMES[spelled]
    return len(places(_siblings(side, fact), spelled(str(name)), label))


_NAMES: Mapping[Callable[[str], str], Callable[[Any], str]] = {
    str: lambda column: str(column.get("name")),
    str.casefold: lambda column: str(column.get("name")).casefold(),
}
"""One function per spelling, because the cache of places is keyed by it."""


def _siblings(side: Document, fact: Fact) -> Sequence[Document]:
    """The list that contains a column."""
    parts = parse_path(fact.path)
    held: JsonObject | None = {"fields": side.get("schema", {}).get(str(fact.at[1]), ())}
    for part in parts[:-1]:
        held = _step(held, part) if held else None
    found: Sequence[Document] = (held or {}).get("fields", ())
    return found


def is_followed_by_kept(
    column: Document, fields: Sequence[Document], facts: Sequence[Fact]
) -> bool:
    """Whether a column that was not removed follows this one."""
    last = once(facts, "last that is kept", lambda: _last_kept(fields, facts))
    return places(fields, orjson.dumps(column), orjson.dumps)[0] < last


def _last_kept(fields: Sequence[Document], facts: Sequence[Fact]) -> int:
    gone = {orjson.dumps(one.old) for one in facts if one.action is Action.REMOVED}
    return max((at for at, one in enumerate(fields) if orjson.dumps(one) not in gone), default=-1)


def old_field(side: Document, fact: Fact) -> Document | None:
    """Find the column of a fact in the old snapshot, whatever its name was."""
    held: Any = side
    column: Document | None = None
    for step in fact.at:
        held = held.get(step) if isinstance(step, str) else _find_by_label(held, *step)
        if held is None:
            break
        if isinstance(held, Mapping) and "type" in held:
            column = held
    return column


def _find_by_label(held: Sequence[object], name: object, number: int = 1) -> object:
    named = places(held, name, _label)
    return held[named[number - 1]] if len(named) >= number else None


def _label(held: object) -> object:
    return held.get("name", held.get("type")) if isinstance(held, Mapping) else held


_TEXT_FORMATS = frozenset({"csv", "tsv", "psv", "text", "txt", "json", "jsonl", "ndjson", "xml"})
_READ_AT_ONCE = frozenset({"gs", "gcs"})  # regardless of the tier's name
_HIDDEN = frozenset({"iceberg"})
"""Table formats that hide their partitioning from readers."""


def condition(says: str) -> Callable[[Callable[[Fact, Case], bool]], Condition]:
    """Make a condition of a predicate; `says` completes "where …"."""
    return lambda holds: Condition(says, holds)


# Value changes


@condition("the column may be null")
def is_nullable(fact: Fact, _case: Case) -> bool:
    """An added column that may be null, so that rows without it are valid."""
    return bool(fact.new.get("nullable"))


@condition("the column may be null, and readers take null for rows without it")
def is_filled_with_null(fact: Fact, case: Case) -> bool:
    """An added column that stored data lacks, and that no engine refuses."""
    is_filled = all(one.traits.fills_nulls for one in case.profiles)
    return bool(fact.new.get("nullable")) and is_filled


@condition("the column has a default that readers take")
def has_default(fact: Fact, case: Case) -> bool:
    """An added column with a default for older rows that all engines apply."""
    promised = case.promised(case.new, fact.path)
    text = fact.new.get("default", promised.get("default"))
    storage = case.new.get("storage", {})
    return (
        text is not None
        and is_applied(fact.new, text, storage)
        and all(one.traits.fills_defaults for one in case.profiles)
    )


@condition("it became true")
def became_true(fact: Fact, _case: Case) -> bool:
    """A flag that was set."""
    return fact.new is True


@condition("the field is required")
def is_required_field(fact: Fact, case: Case) -> bool:
    """A required column of the new schema."""
    field = field_of(case.new, fact)
    return field is not None and not field.get("nullable", True)


# Columns


_DELIMITED = frozenset({"csv", "tsv", "psv", "text", "txt"})


def is_delimited(side: JsonObject) -> bool:
    """Whether files are delimited text, whose columns Spark finds by position."""
    return str(side.get("storage", {}).get("format", "")).lower() in _DELIMITED


@condition("another column has exactly the same name")
def is_repeated(fact: Fact, case: Case) -> bool:
    """Two columns with identical names."""
    return namesakes(case.new, fact, str) > 1


@condition("a name differs from another only in its letter case, which a reader ignores")
def collides(fact: Fact, case: Case) -> bool:
    """Two names that an engine cannot distinguish."""
    alike = namesakes(case.new, fact, str.casefold)
    return alike > 1 and any(one.traits.ignores_case for one in case.profiles)


@condition("only letter case differs, and a reader that looks by name tells case apart")
def case_matters(fact: Fact, case: Case) -> bool:
    """A renaming by letter case after which some engine no longer finds the column."""
    is_ignored = all(one.traits.ignores_case for one in case.profiles)
    return only_case(fact) and not is_ignored and not is_followed.holds(fact, case)


@condition("only letter case differs, and no reader tells case apart")
def case_is_ignored(fact: Fact, case: Case) -> bool:
    """A renaming by letter case after which every engine still finds the column."""
    is_ignored = all(one.traits.ignores_case for one in case.profiles)
    return only_case(fact) and (is_ignored or is_delimited(case.new))


def only_case(fact: Fact) -> bool:
    """Whether only the letter case of a name changed."""
    return str(fact.old).casefold() == str(fact.new).casefold()


@condition("readers find columns by id, by position, by an alias, or by the name in files")
def is_followed(fact: Fact, case: Case) -> bool:
    """A renamed column whose stored data is found under its new name."""
    if is_delimited(case.new):
        return True  # by its position
    field = field_of(case.new, fact) or {}
    has_alias = fact.old in field.get("aliases", ())
    physical = field.get("physical_name")
    was = old_field(case.old, fact) or {}
    stored = was.get("physical_name") or was.get("name")  # its name where nothing was mapped yet
    if physical and physical == stored and _is_mapped(case.old, case.new):
        return True
    return all(
        (one.traits.finds_fields == "id" and fact.id is not None)
        or (one.traits.follows_aliases and has_alias)
        for one in case.profiles
    )


@condition("a reader finds columns by id")
def finds_by_id(_fact: Fact, case: Case) -> bool:
    """Whether any engine uses field ids; every reader of Iceberg does."""
    by_id = any(one.traits.finds_fields == "id" for one in case.profiles)
    return by_id or not _HIDDEN.isdisjoint(_formats(case))


@condition("a reader follows aliases")
def follows_aliases(_fact: Fact, case: Case) -> bool:
    """Whether any engine uses aliases."""
    return any(one.traits.follows_aliases for one in case.profiles)


@condition("columns are mapped to other names in files")
def is_mapped(_fact: Fact, case: Case) -> bool:
    """Whether physical names are used."""
    return _is_mapped(case.old)


def _is_mapped(*sides: Document) -> bool:
    return any(side.get("storage", {}).get("column_mapping") for side in sides)


@condition("the day after which it may go has passed")
def is_past_sunset(fact: Fact, case: Case) -> bool:
    """An announced sunset in the past."""
    if fact.subject == "dataset":
        promised = case.old.get("contract", {})
    else:
        promised = case.promised(case.old, fact.path)
    return "sunset" in promised and str(promised["sunset"]) < case.today.isoformat()


@condition("new data lacks it, and the day after which it may go has passed")
def is_absent_past_sunset(fact: Fact, case: Case) -> bool:
    """A column that its producer stops writing when it was announced."""
    return fact.new is True and is_past_sunset.holds(fact, case)


@condition("its column is gone as well, or was never there")
def goes_with_column(fact: Fact, case: Case) -> bool:
    """Metadata of a column that was removed, or that never existed."""
    return case.is_gone(fact.path) or not has_column(case.old, fact.path)


@condition("a declared engine has no such type")
def is_unreadable(fact: Fact, case: Case) -> bool:
    """An added column that contains a type that an engine does not have, or does not read."""
    return isinstance(fact.new, Mapping) and any(
        engine.refuses(one) or engine.cannot_read(one)
        for one in _types_in(fact.new)
        for engine in case.profiles
    )


def _types_in(held: JsonObject) -> Iterator[JsonObject]:
    yield held
    for name in ("element", "key", "value"):
        if name in held:
            yield from _types_in(held[name])
    for one in (*held.get("fields", ()), *held.get("branches", ())):
        yield from _types_in(one)


@condition("it names the same columns, which were renamed")
def follows_rename(fact: Fact, case: Case) -> bool:
    """A reference to a column that was renamed."""
    if fact.action is not Action.CHANGED:
        return False
    if isinstance(fact.old, list):
        return bool([case.now(path) for path in fact.old] == fact.new)
    return isinstance(fact.old, str) and bool(case.now(fact.old) == fact.new)


def sort_is(sort: str) -> Condition:
    """Whether a type change is of this sort."""
    return Condition(
        SORTS[sort],
        lambda fact, _case: (
            fact.action is Action.CHANGED and sort_of_change(fact.old, fact.new) == sort
        ),
    )


@condition("a reader of the other schema has a symbol to take for it")
def has_symbol_default(fact: Fact, case: Case) -> bool:
    """A symbol that unaware readers replace by the default symbol."""
    came = fact.action is Action.ADDED
    held = old_field(case.old, fact) if came else field_of(case.new, fact)
    return "symbol_default" in (held or {})


# Storage


@condition("only the scheme of the address differs, or its last slash")
def is_scheme_only(fact: Fact, _case: Case) -> bool:
    """`s3` and `s3a` address the same data, and so does a path with or without trailing slash."""
    if fact.action is not Action.CHANGED:
        return False
    (one, path), (other, there) = map(_address, (fact.old, fact.new))
    return path == there and (
        one == other or any(one in group and other in group for group in _SAME_STORES)
    )


def _address(location: str) -> tuple[str, str]:
    """Split a location into its scheme and the rest."""
    scheme, colon, rest = location.rpartition("://")
    return scheme + colon, rest.rstrip("/")


_SAME_STORES = (
    frozenset({"s3://", "s3a://", "s3n://"}),
    frozenset({"abfs://", "abfss://"}),
    frozenset({"wasb://", "wasbs://"}),
    frozenset({"gs://", "gcs://"}),
)


@condition("the format is text")
def is_text(_fact: Fact, case: Case) -> bool:
    """Text formats, whose content cannot be read without the right options."""
    formats = _formats(case)
    return bool(formats) and formats <= _TEXT_FORMATS


@condition("it rose")
def rose(fact: Fact, _case: Case) -> bool:
    """A number that increased or was added."""
    return bool(fact.new is not None and (fact.old is None or fact.new > fact.old))


@condition("the new tier is an archive whose data must be restored")
def is_archive(fact: Fact, case: Case) -> bool:
    """A tier that needs a restore before reading; Glacier Instant Retrieval does not."""
    tier = str(fact.new).lower()
    is_offline = "archive" in tier or tier in ("glacier", "glacier_flexible_retrieval")
    return is_offline and case.new["platform"] not in _READ_AT_ONCE


@condition("readers do not see how the table is divided")
def is_hidden(fact: Fact, case: Case) -> bool:
    """A partition derived from a column, in a table format that hides partitioning."""
    return _formats(case) == _HIDDEN and all("source" in one for one in _partition(case, fact))


def _formats(case: Case) -> set[str]:
    """The formats stated on either side."""
    sides = (side.get("storage", {}).get("format") for side in (case.old, case.new))
    return {str(one).lower() for one in sides if one}


@condition("its values come from the path")
def is_from_path(fact: Fact, case: Case) -> bool:
    """A partition column that is not stored in the files."""
    return all("source" not in one for one in _partition(case, fact))


def _partition(case: Case, fact: Fact) -> Sequence[JsonObject]:
    """The partition column of a fact; all of them for a new order."""
    listed = (*_partitions(case.new), *_partitions(case.old))
    if not fact.path:
        return listed
    name = parse_path(fact.path)[0].name
    return [one for one in listed if one["name"] == name][:1]


def _partitions(side: JsonObject) -> Any:
    return side.get("storage", {}).get("partitioning", ())
