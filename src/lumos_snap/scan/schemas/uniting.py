"""Many schemas become one: every column that any file has, in a type that holds all values.

Where files do not agree it is said, column by column, with who says what. The result is a
function of the set of schemas: neither the order of files nor how work was split plays a part.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import orjson

from lumos_snap.model.fieldpath import FieldPath, Part, Step, format_path
from lumos_snap.model.kinds import Kind
from lumos_snap.model.notation import format_type
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import DataType, Definition, Element, Field, MapKey
from lumos_snap.scan.schemas.columns import matched
from lumos_snap.scan.schemas.types import (
    NO_PARAMETERS,
    Parameters,
    agreed,
    conflict,
    united_branches,
    united_scalar,
)
from lumos_snap.shape import document_of

Told: TypeAlias = tuple[int, DataType]
"""A type, and which of the schemas says it."""


class Opinion(NamedTuple):
    """What some of the schemas say of a column."""

    says: str
    schemas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A column that files do not describe alike."""

    path: str
    opinions: tuple[Opinion, ...]
    became: DataType | None = None
    """What holds the values of all; nothing where some files only lack the column."""


@dataclass(frozen=True, slots=True)
class United:
    """One schema for many, and what they do not agree on."""

    schema: Schema
    order: tuple[int, ...]
    """The schemas as they were given, the leading one first."""
    disagreements: tuple[Disagreement, ...] = ()


LACKS = "lacks it"


def united(schemas: Sequence[Schema], *, leading: bool = False) -> United:
    """The union of at least one schema.

    With `leading`, the first of them gives the order of columns; without, the widest.
    """
    order = tuple(range(len(schemas)))
    if not leading:
        order = tuple(sorted(order, key=lambda which: _rank(schemas[which])))
    if len(schemas) == 1:
        return United(schemas[0], order)
    inferred = any(schema.inferred for schema in schemas)
    union = _Union(inferred=inferred)
    fields = union.fields((), [(which, schemas[which].fields) for which in order])
    definitions = union.definitions([(which, schemas[which].definitions) for which in order])
    descriptions = (schemas[which].description for which in order)
    schema = Schema(
        inferred=inferred,
        description=_first(descriptions),
        fields=fields,
        definitions=definitions,
    )
    return United(schema, order, tuple(union.disagreements))


def _rank(schema: Schema) -> tuple[int, bytes]:
    """The widest first; of equally wide ones, any one, but always the same."""
    return (-len(schema.fields), orjson.dumps(document_of(schema)))


def _first(said: Iterable[Any]) -> Any:
    return next((one for one in said if one is not None), None)


@dataclass(slots=True)
class _Union:
    """One uniting, and what was found on the way."""

    inferred: bool
    disagreements: list[Disagreement] = field(default_factory=list)

    def fields(
        self, at: FieldPath, listings: Sequence[tuple[int, Sequence[Field]]]
    ) -> tuple[Field, ...]:
        """The columns of several structs as those of one."""
        everybody = tuple(which for which, _ in listings)
        return tuple(
            self._field((*at, Part(Step.MEMBER, told[0][1].name, key[2])), told, everybody)
            for key, told in matched(listings).items()
        )

    def definitions(
        self, listings: Sequence[tuple[int, Sequence[Definition]]]
    ) -> tuple[Definition, ...]:
        """Named types, those of one name as one."""
        found: dict[str, list[tuple[int, Definition]]] = {}
        for which, definitions in listings:
            for one in definitions:
                found.setdefault(one.name, []).append((which, one))
        return tuple(
            replace(told[0][1], **self._type((Part(Step.MEMBER, name),), told))
            for name, told in sorted(found.items())
        )

    def _field(
        self, path: FieldPath, told: Sequence[tuple[int, Field]], everybody: tuple[int, ...]
    ) -> Field:
        first = told[0][1]
        has = {which for which, _ in told}
        lacking = tuple(which for which in everybody if which not in has)
        if lacking:
            there = Opinion(format_type(first), tuple(sorted(has)))
            self._note(path, (there, Opinion(LACKS, tuple(sorted(lacking)))))
        return replace(
            first,
            **self._type(path, told),
            nullable=bool(lacking) or any(one.nullable for _, one in told),
            description=_first(one.description for _, one in told),
            default=_first(one.default for _, one in told),
            write_default=_first(one.write_default for _, one in told),
            aliases=tuple({alias for _, one in told for alias in one.aliases}),
        )

    def _type(self, path: FieldPath, told: Sequence[Told]) -> Parameters:
        """The parameters of the one type for all: of nested ones, level by level."""
        known = [(which, one) for which, one in told if one.type is not Kind.NULL]
        if not known:
            return {}
        types = [one for _, one in known]
        parameters = {**NO_PARAMETERS, **self._united(path, known, types), **agreed(types)}
        if parameters["type"] is Kind.UNKNOWN and parameters["native"] is None:
            parameters["native"] = conflict(types, inferred=False)["native"]
        return parameters

    def _united(
        self, path: FieldPath, told: Sequence[Told], types: Sequence[DataType]
    ) -> Parameters:
        kinds = {one.type for one in types}
        nested = {Kind.STRUCT: self._struct, Kind.ARRAY: self._array, Kind.MAP: self._map}
        if len(kinds) == 1 and types[0].type in nested:
            return nested[types[0].type](path, told)
        if len({_bare(one) for one in types}) == 1:
            return _parameters(types[0])
        found = self._different(path, told, types)
        self._differ(path, told, found)
        return found

    def _different(
        self, path: FieldPath, told: Sequence[Told], types: Sequence[DataType]
    ) -> Parameters:
        kinds = {one.type for one in types}
        if kinds == {Kind.UNION}:
            return united_branches(types)
        if self.inferred and kinds == {Kind.STRUCT, Kind.MAP}:
            return self._as_map(path, told)
        return united_scalar(types, inferred=self.inferred)

    def _struct(self, path: FieldPath, told: Sequence[Told]) -> Parameters:
        listings = [(which, one.fields) for which, one in told]
        return {"type": Kind.STRUCT, "fields": self.fields(path, listings)}

    def _array(self, path: FieldPath, told: Sequence[Told]) -> Parameters:
        elements = [(which, one.element) for which, one in told if one.element is not None]
        lengths = {one.length for _, one in told}
        return {
            "type": Kind.ARRAY,
            "element": self._element((*path, Part(Step.ELEMENT)), elements),
            "length": lengths.pop() if len(lengths) == 1 else None,
        }

    def _map(self, path: FieldPath, told: Sequence[Told]) -> Parameters:
        keys = [(which, one.key) for which, one in told if one.key is not None]
        values = [(which, one.value) for which, one in told if one.value is not None]
        key = replace(keys[0][1], **self._type((*path, Part(Step.KEY)), keys))
        value = self._element((*path, Part(Step.VALUE)), values)
        return {"type": Kind.MAP, "key": key, "value": value}

    def _as_map(self, path: FieldPath, told: Sequence[Told]) -> Parameters:
        """Objects whose keys are data in one file are so in all."""
        members: list[tuple[int, Element]] = []
        for which, one in told:
            if one.value is not None:
                members.append((which, one.value))
            members += [
                (which, Element(**_parameters(member), nullable=True)) for member in one.fields
            ]
        value = self._element((*path, Part(Step.VALUE)), members)
        return {"type": Kind.MAP, "key": MapKey(type=Kind.STRING), "value": value}

    def _element(self, path: FieldPath, told: Sequence[tuple[int, Element]]) -> Element:
        first = told[0][1]
        return replace(
            first,
            **self._type(path, told),
            nullable=any(one.nullable for _, one in told),
            description=_first(one.description for _, one in told),
        )

    def _differ(self, path: FieldPath, told: Sequence[Told], became: Parameters) -> None:
        said: dict[str, set[int]] = {}
        for which, one in told:
            said.setdefault(format_type(one), set()).add(which)
        if len(said) > 1:
            found = (Opinion(says, tuple(sorted(who))) for says, who in sorted(said.items()))
            self._note(path, tuple(found), DataType(**became))

    def _note(
        self, path: FieldPath, opinions: tuple[Opinion, ...], became: DataType | None = None
    ) -> None:
        self.disagreements.append(Disagreement(format_path(path), opinions, became))


def _parameters(one: DataType) -> dict[str, Any]:
    return {name: getattr(one, name) for name in NO_PARAMETERS}


def _bare(one: DataType) -> tuple[str, str | None, str | None]:
    return (format_type(one), one.native, one.physical)
