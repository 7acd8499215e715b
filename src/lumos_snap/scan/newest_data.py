"""The newest partition of a dataset, and the marks of fields that it lacks or has otherwise.

A producer that stops writing a column changes no older file: the union of all schemas stays as it
was. The files of the greatest time in their paths tell what is written now.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lumos_snap.model.field_path import FieldPath, Part, Step, format_path, walk
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Field, Kind
from lumos_snap.scan.dataset import DECLARED_FORMATS, Evidence, FileGroup
from lumos_snap.scan.grouping.time_values import TimeValue, format_time, take_newest
from lumos_snap.scan.schemas.match_columns import match_fields
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.schemas.union import union_schemas


@dataclass(frozen=True, slots=True)
class NewestData:
    """The schema of the newest partitions, against which a dataset's fields are compared."""

    schema: Schema
    name: str
    """The newest partitions, as in `the newest partition, 2026-01-03`."""
    last: Mapping[str, str]
    """By path, the last partition with a field that the newest ones lack."""
    is_declared: bool = True
    """Whether all its files name their columns: a JSON object may leave out what it likes."""
    has_types: bool = True
    """Whether all its files declare types."""
    doubt: str = ""
    """Why it may have more columns than are known."""

    def compare(self, schema: Schema, known: Container[str] | None = None) -> Schema:
        """Mark the fields of a schema that the newest partitions lack or have otherwise."""
        marks = _Marks(known, has_types=self.has_types)
        return replace(schema, fields=marks.fields((), schema.fields, self.schema.fields))

    def mark(self, schema: Schema, before: Schema) -> Schema:
        """Mark the fields of a snapshot; where there is a doubt, no mark is added."""
        if not self.is_declared:
            return remove_marks(schema)
        known = {format_path(path) for path, _ in _find_marks(before)} if self.doubt else None
        return self.compare(schema, known)


def remove_marks(schema: Schema) -> Schema:
    """Return a schema without marks."""
    return replace(schema, fields=_Marks(None).fields((), schema.fields, schema.fields))


def find_absent(schema: Schema) -> tuple[str, ...]:
    """Find the paths of absent fields."""
    return tuple(format_path(path) for path, one in _find_marks(schema) if one.absent)


def find_newest_types(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Find the paths of fields with another type in the newest partition, and that type."""
    marks = ((format_path(path), one.newest_type) for path, one in _find_marks(schema))
    return tuple((path, newest) for path, newest in marks if newest is not None)


def _find_marks(schema: Schema) -> Iterator[tuple[FieldPath, Field]]:
    for path, one in walk(schema.fields):
        if isinstance(one, Field) and (one.absent or one.newest_type is not None):
            yield path, one


def find_newest_data(
    evidence: Evidence, kinds: Sequence[tuple[FileGroup, DatasetSchema]], doubt: str
) -> NewestData | None:
    """Find the newest partitions; None for tables, and where no path has a time.

    Files without any column, as some writers leave them for no rows, tell nothing.
    """
    kinds = [(one, kind) for one, kind in kinds if kind.schema.fields]
    if any(kind.table is not None for _, kind in kinds):
        return None
    every = [time for one, _ in kinds for time in one.newest]
    newest = take_newest((*every, *evidence.bad_times), evidence.partitions)
    has_new = [(one, kind) for one, kind in kinds if not set(newest).isdisjoint(one.newest)]
    if not has_new:
        return None
    united = union_schemas([kind.schema for _, kind in has_new]).schema
    if not doubt and not set(newest).isdisjoint(evidence.bad_times):
        doubt = "some of its files cannot be read"
    return NewestData(
        schema=united,
        name=_name_partitions(newest),
        last=_find_last(kinds, united),
        is_declared=all(_names_columns(one, kind) for one, kind in has_new),
        has_types=all(one.format in DECLARED_FORMATS for one, _ in has_new),
        doubt=doubt,
    )


def _name_partitions(newest: Sequence[TimeValue]) -> str:
    first, last = format_time(newest[0]), format_time(newest[-1])
    if len(newest) == 1:
        return f"the newest partition, {first}"
    return f"the {len(newest)} newest partitions, {last} to {first}"


def _names_columns(one: FileGroup, kind: DatasetSchema) -> bool:
    return one.format in DECLARED_FORMATS or kind.options.get("header") == "true"


def _find_last(
    kinds: Iterable[tuple[FileGroup, DatasetSchema]], newest: Schema
) -> Mapping[str, str]:
    there = _paths(newest)
    last: dict[str, TimeValue] = {}
    for one, kind in kinds:
        for path in _paths(kind.schema) - there:
            last[path] = max(last.get(path, ()), *one.newest[:1], ())
    return {path: format_time(time) for path, time in last.items() if time}


def _paths(schema: Schema) -> set[str]:
    return {format_path(path) for path, _ in walk(schema.fields)}


@dataclass(frozen=True, slots=True)
class _Marks:
    """Marks fields by comparison with those of the newest partitions."""

    known: Container[str] | None
    """Paths that may be marked; None: all."""
    has_types: bool = True

    def fields(
        self, at: FieldPath, fields: Sequence[Field], newest: Sequence[Field]
    ) -> tuple[Field, ...]:
        numbers: Counter[str] = Counter()
        found = []
        for told in match_fields([(0, fields), (1, newest)]):
            sides = dict(told)
            if 0 in sides:
                name = sides[0].name
                numbers[name] += 1
                path = (*at, Part(Step.MEMBER, name, numbers[name]))
                found.append(self._field(path, sides[0], sides.get(1)))
        return tuple(found)

    def _field(self, path: FieldPath, one: Field, newest: Field | None) -> Field:
        may_mark = self.known is None or format_path(path) in self.known
        is_other = may_mark and self.has_types and newest is not None and _differ(one, newest)
        return replace(
            one,
            absent=may_mark and newest is None,
            newest_type=format_type(newest) if newest is not None and is_other else None,
            **self._inside(path, one, newest or one),
        )

    def _inside(self, path: FieldPath, one: DataType, newest: DataType) -> dict[str, Any]:
        """Return what is nested in a type; other types are not compared with it."""
        if newest.type != one.type:
            newest = one
        found: dict[str, Any] = {}
        if one.fields:
            found["fields"] = self.fields(path, one.fields, newest.fields)
        for name, step in (("element", Step.ELEMENT), ("key", Step.KEY), ("value", Step.VALUE)):
            held, other = getattr(one, name), getattr(newest, name)
            if held is not None and other is not None:
                found[name] = replace(held, **self._inside((*path, Part(step)), held, other))
        return found


_COMPARED = ("type", "ref", "precision", "scale", "length", "unit", "timezone")


def _differ(one: DataType, newest: DataType) -> bool:
    """Whether a type is another one; members of structs are compared one by one."""
    if Kind.NULL in (one.type, newest.type):
        return False
    if any(getattr(one, name) != getattr(newest, name) for name in _COMPARED):
        return True
    if one.type is Kind.UNKNOWN and one.native != newest.native:
        return True
    if one.type is Kind.UNION:
        return {*map(format_type, one.branches)} != {*map(format_type, newest.branches)}
    nested = ((getattr(one, name), getattr(newest, name)) for name in ("element", "key", "value"))
    return any(held and other and _differ(held, other) for held, other in nested)
