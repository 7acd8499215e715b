"""Union of schemas, with the differences between them as values for reports."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

import orjson

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Branch, DataType, Definition, Element, Field, Kind, MapKey
from lumos_snap.scan.schemas.match_columns import (
    Listings,
    find_contested_ids,
    match_branches,
    match_fields,
)
from lumos_snap.scan.schemas.supertype import (
    NO_PARAMETERS,
    Parameters,
    find_common_parameters,
    find_common_value,
    parameters_of,
    union_scalars,
)
from lumos_snap.schema import document_of

T = TypeVar("T", bound=DataType)
SchemaItems: TypeAlias = Sequence[tuple[int, T]]
"""Types with the number of their schema."""


class Opinion(NamedTuple):
    """A property of a column, such as its type, and the schemas that have it."""

    says: str
    schemas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A column whose type differs between schemas, or whose name differs for the same id."""

    path: str
    opinions: tuple[Opinion, ...]
    became: DataType | None = None
    """The common type; None if only names differ."""


@dataclass(slots=True)
class Differences:
    """All differences found in one union."""

    disagreements: list[Disagreement] = field(default_factory=list)
    lacking: dict[tuple[int, ...], list[str]] = field(default_factory=dict)
    renumbered: list[str] = field(default_factory=list)

    def in_type(self, path: FieldPath, told: SchemaItems[DataType], became: Parameters) -> None:
        """Record different types of a column."""
        opinions = _opinions((which, format_type(one)) for which, one in told)
        if len(opinions) > 1:
            found = Disagreement(format_path(path), opinions, DataType(**became))
            self.disagreements.append(found)

    def in_name(self, path: FieldPath, told: SchemaItems[Field]) -> None:
        """Record different names of a column that its id identifies."""
        if len({one.name for _, one in told}) > 1:
            opinions = _opinions((which, f"called {one.name}") for which, one in told)
            self.disagreements.append(Disagreement(format_path(path), opinions))

    def in_id(self, path: FieldPath, told: SchemaItems[Field], contested: Collection[int]) -> None:
        """Record a column with several ids, or with an id that means another column elsewhere."""
        ids = {one.id for _, one in told if one.id is not None}
        if len(ids) > 1 or not ids.isdisjoint(contested):
            self.renumbered.append(format_path(path))

    def in_presence(
        self, path: FieldPath, told: SchemaItems[Field], everybody: Iterable[int]
    ) -> None:
        """Record the schemas that lack a column."""
        lacking = set(everybody).difference(which for which, _ in told)
        if lacking:
            self.lacking.setdefault(tuple(sorted(lacking)), []).append(format_path(path))


def _opinions(told: Iterable[tuple[int, str]]) -> tuple[Opinion, ...]:
    said: dict[str, set[int]] = {}
    for which, says in told:
        said.setdefault(says, set()).add(which)
    return tuple(Opinion(says, tuple(sorted(who))) for says, who in sorted(said.items()))


Values = Sequence[Any]
"""The values of an attribute in all schemas with the column, the leading one first."""


def _take_leading(said: Values) -> object:
    return said[0]


def _take_first(said: Values) -> object:
    return next((one for one in said if one is not None), None)


def _collect_all(said: Values) -> tuple[Any, ...]:
    return tuple(sorted({one for some in said for one in some}))


def _common_items(said: Values) -> JsonObject:
    first, *others = said
    return {
        name: held
        for name, held in first.items()
        if all(name in other and other[name] == held for other in others)
    }


COMBINERS: Mapping[str, Callable[[Values], Any]] = {
    "name": _take_leading,
    "nullable": any,
    # Marks of a whole dataset: `newest.py` sets them at the end.
    "absent": _take_leading,
    "newest_type": _take_leading,
    # Values that only some files share are dropped.
    "id": find_common_value,
    "physical_name": find_common_value,
    "generated": find_common_value,
    "properties": _common_items,
    # Descriptions and defaults apply to the column, whichever file has them.
    "description": _take_first,
    "default": _take_first,
    "write_default": _take_first,
    "aliases": _collect_all,
}
"""For each attribute, the function that combines its values."""


def combine_attributes(cls: type[DataType], held: Sequence[DataType]) -> dict[str, Any]:
    """Combine the attributes of one column of this class."""
    own = (one.name for one in fields(cls) if one.name not in NO_PARAMETERS)
    return {name: COMBINERS[name]([getattr(one, name) for one in held]) for name in own}


__all__ = ["Disagreement", "Opinion", "SchemaUnion", "union_schemas"]


@dataclass(frozen=True, slots=True)
class SchemaUnion:
    """The union of schemas, and their differences."""

    schema: Schema
    order: tuple[int, ...]
    """The numbers of the schemas, the leading one first."""
    disagreements: tuple[Disagreement, ...] = ()
    lacking: Mapping[tuple[int, ...], tuple[str, ...]] = field(default_factory=dict)
    """By schemas that lack columns of others, the paths that exactly these lack."""
    renumbered: tuple[str, ...] = ()
    """The paths of columns that lost their id because schemas contradict each other about it."""


def union_schemas(schemas: Sequence[Schema], *, leading: bool = False) -> SchemaUnion:
    """Return the union of at least one schema.

    With `leading`, the first one determines the order of columns; otherwise the widest.
    """
    order = tuple(range(len(schemas)))
    if not leading:
        order = tuple(sorted(order, key=lambda which: _rank(schemas[which])))
    first, *others = (schemas[which] for which in order)
    if all(other == first for other in others):
        return SchemaUnion(first, order)
    inferred = any(schema.inferred for schema in schemas)
    union = _Union(inferred=inferred)
    descriptions = (one.description for one in (first, *others))
    schema = Schema(
        inferred=inferred,
        description=next((one for one in descriptions if one is not None), None),
        fields=union.fields((), [(which, schemas[which].fields) for which in order]),
        definitions=union.definitions([(which, schemas[which].definitions) for which in order]),
    )
    noticed = union.noticed
    return SchemaUnion(
        schema,
        order,
        disagreements=tuple(noticed.disagreements),
        lacking={who: tuple(paths) for who, paths in noticed.lacking.items()},
        renumbered=tuple(noticed.renumbered),
    )


def _rank(schema: Schema) -> tuple[int, bytes]:
    """Sort key: the widest first, with a deterministic order among equals."""
    return (-len(schema.fields), orjson.dumps(document_of(schema)))


@dataclass(slots=True)
class _Union:
    """The computation of one union, with the differences found."""

    inferred: bool
    noticed: Differences = field(default_factory=Differences)

    def fields(self, at: FieldPath, listings: Listings[Field]) -> tuple[Field, ...]:
        """Combine the columns of several structs."""
        columns = match_fields(listings)
        everybody = {which for which, _ in listings}
        contested = find_contested_ids(columns)
        numbers: Counter[str] = Counter()
        found = []
        for told in columns:
            name = told[0][1].name
            numbers[name] += 1
            path = (*at, Part(Step.MEMBER, name, numbers[name]))
            self.noticed.in_presence(path, told, everybody)
            self.noticed.in_name(path, told)
            self.noticed.in_id(path, told, contested)
            one = self._one(Field, path, told, contested)
            found.append(replace(one, nullable=True) if len(told) < len(listings) else one)
        return tuple(found)

    def definitions(self, listings: Listings[Definition]) -> tuple[Definition, ...]:
        """Combine named types by name."""
        found: dict[str, list[tuple[int, Definition]]] = {}
        for which, definitions in listings:
            for one in definitions:
                found.setdefault(one.name, []).append((which, one))
        return tuple(
            self._one(Definition, (Part(Step.MEMBER, f"{Kind.REF}({name})"),), told)
            for name, told in sorted(found.items())
        )

    def _one(
        self,
        cls: type[T],
        path: FieldPath,
        told: SchemaItems[T],
        contested: frozenset[int] = frozenset(),
    ) -> T:
        """Combine one column, element, key, branch or definition."""
        held = [one for _, one in told]
        own = combine_attributes(cls, held)
        if own.get("id") in contested:
            own["id"] = None
        if "nullable" in own and len({one.type is Kind.NULL for one in held}) > 1:
            own["nullable"] = True
        return cls(**own, **self._type(path, told))

    def _type(self, path: FieldPath, told: SchemaItems[DataType]) -> Parameters:
        """Return the parameters of the common type; nested types are combined level by level."""
        known = [(which, one) for which, one in told if one.type is not Kind.NULL] or told
        types = [one for _, one in known]
        return {
            **NO_PARAMETERS,
            **find_common_parameters(types),
            **self._united(path, known, types),
        }

    def _united(
        self, path: FieldPath, told: SchemaItems[DataType], types: Sequence[DataType]
    ) -> Parameters:
        kinds = {one.type for one in types}
        nested = {
            Kind.STRUCT: self._struct,
            Kind.ARRAY: self._array,
            Kind.MAP: self._map,
            Kind.UNION: self._alternatives,
        }
        if len(kinds) == 1 and types[0].type in nested:
            return nested[types[0].type](path, told)
        if self.inferred and kinds == {Kind.STRUCT, Kind.MAP}:
            found = self._map(path, told)
        else:
            found = union_scalars(types, inferred=self.inferred)
        self.noticed.in_type(path, told, {**NO_PARAMETERS, **found})
        return found

    def _struct(self, path: FieldPath, told: SchemaItems[DataType]) -> Parameters:
        listings = [(which, one.fields) for which, one in told]
        if self.inferred and _names_are_data(listings):
            return self._map(path, told)
        return {"type": Kind.STRUCT, "fields": self.fields(path, listings)}

    def _array(self, path: FieldPath, told: SchemaItems[DataType]) -> Parameters:
        elements = [(which, one.element) for which, one in told if one.element is not None]
        lengths = {one.length for _, one in told}
        united = {
            "type": Kind.ARRAY,
            "element": self._one(Element, (*path, Part(Step.ELEMENT)), elements),
            "length": find_common_value(lengths),
        }
        if len(lengths) > 1:
            self.noticed.in_type(path, told, united)
        return united

    def _map(self, path: FieldPath, told: SchemaItems[DataType]) -> Parameters:
        """Combine maps. An object whose names are data in one schema is a map in all."""
        keys = [(which, one.key or _MEMBER_NAME) for which, one in told]
        values = [(which, value) for which, one in told for value in _values(one)]
        return {
            "type": Kind.MAP,
            "key": self._one(MapKey, (*path, Part(Step.KEY)), keys),
            "value": self._one(Element, (*path, Part(Step.VALUE)), values),
        }

    def _alternatives(self, path: FieldPath, told: SchemaItems[DataType]) -> Parameters:
        """Combine the alternatives of all unions."""
        matched = match_branches([(which, one.branches) for which, one in told])
        contested = find_contested_ids(matched)
        numbers: Counter[str] = Counter()
        found = []
        for branches in matched:
            label = branches[0][1].name or branches[0][1].type.value
            numbers[label] += 1
            inside = (*path, Part(Step.BRANCH, label, numbers[label]))
            found.append(self._one(Branch, inside, branches, contested))
        united = {"type": Kind.UNION, "branches": tuple(found)}
        if any(len(branches) < len(told) for branches in matched):
            self.noticed.in_type(path, told, united)
        return united


_FEWEST_FILES, _FEWEST_NAMES, _USUAL_SHARE = 3, 20, 0.25


def _names_are_data(listings: Listings[Field]) -> bool:
    """Whether objects have many names that differ between files: ids and dates, not columns."""
    distinct = {one.name for _, fields in listings for one in fields}
    if len(listings) < _FEWEST_FILES or len(distinct) < _FEWEST_NAMES:
        return False
    held = sum(len(fields) for _, fields in listings)
    return held <= len(distinct) * len(listings) * _USUAL_SHARE


_MEMBER_NAME = MapKey(type=Kind.STRING)


def _values(one: DataType) -> Iterable[Element]:
    """Yield the value of a map, or the members of an object as values."""
    if one.value is not None:
        yield one.value
    for member in one.fields:
        yield Element(**parameters_of(member), nullable=True)
