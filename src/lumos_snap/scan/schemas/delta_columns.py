"""The columns of a Delta table: Spark's types, with what Delta keeps beside each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey
from lumos_snap.scan.schemas.avro_words import identity, storable
from lumos_snap.scan.schemas.delta_types import Parameters, bounded, scalar
from lumos_snap.scan.schemas.sql_literals import as_json

Stored = Mapping[str, Any]

_ID, _PHYSICAL = "delta.columnMapping.id", "delta.columnMapping.physicalName"
_NESTED_IDS = "delta.columnMapping.nested.ids"
_GENERATED, _DEFAULT, _COMMENT = "delta.generationExpression", "CURRENT_DEFAULT", "comment"
_INVARIANTS, _CHANGES = "delta.invariants", "delta.typeChanges"
_TEXT, _COLLATIONS = "__CHAR_VARCHAR_TYPE_STRING", "__COLLATIONS"
_UNDERSTOOD = frozenset(
    (_ID, _PHYSICAL, _NESTED_IDS, _GENERATED, _COMMENT, _INVARIANTS, _CHANGES, _COLLATIONS)
)
_DEEPEST = 16
_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"


class Columns:
    """The columns of one table, and what was met on the way."""

    def __init__(self, *, is_mapped: bool) -> None:
        self.is_mapped = is_mapped
        self.is_deep = False
        self.invariants: dict[str, str] = {}
        """By path of the column: what its values must hold to."""

    def notes(self) -> tuple[str, ...]:
        """What could not be described."""
        return (_DEEP,) if self.is_deep else ()

    def members(self, fields: Sequence[Stored], level: int, at: FieldPath) -> tuple[Field, ...]:
        """The columns of a table or struct."""
        return tuple(self._field(one, level, at) for one in fields)

    def _field(self, one: Stored, level: int, at: FieldPath) -> Field:
        said: Stored = one["metadata"]
        name = one["name"]
        path = (*at, Part(Step.MEMBER, name))
        physical = _text(said.get(_PHYSICAL)) if self.is_mapped else None
        ids = _Ids(said.get(_NESTED_IDS) if self.is_mapped else None, physical or name)
        made = self._type(one["type"], level, path, ids)
        self._note_invariant(said, path)
        left = {
            key: storable(held, _DEEPEST) for key, held in said.items() if key not in _UNDERSTOOD
        }
        default = as_json(said.get(_DEFAULT))
        for key, is_told in ((_DEFAULT, default is not None), (_TEXT, _is_bounded(made))):
            if is_told:
                left.pop(key, None)
        return Field(
            name=name,
            nullable=one["nullable"],
            id=identity(said.get(_ID)) if self.is_mapped else None,
            physical_name=physical,
            description=_text(said.get(_COMMENT)),
            write_default=default,
            generated=_text(said.get(_GENERATED)),
            properties=left,
            **bounded(made, said.get(_TEXT), _collation(said, name)),
        )

    def _note_invariant(self, said: Stored, path: FieldPath) -> None:
        """Stored as JSON in JSON: `{"expression": {"expression": "x > 3"}}`."""
        try:
            expression = json.loads(said[_INVARIANTS])["expression"]["expression"]
        except (KeyError, TypeError, ValueError):
            return
        if isinstance(expression, str) and expression:
            self.invariants[format_path(path)] = expression

    def _type(self, held: Any, level: int, at: FieldPath, ids: "_Ids") -> Parameters:
        kind = held if isinstance(held, str) else held["type"]
        if kind == "udt" and not isinstance(held, str):
            return {**self._type(held["sqlType"], level, at, ids), "native": held["class"]}
        if kind not in _NESTED or isinstance(held, str):
            return scalar(kind)
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "struct":
            return {"type": Kind.STRUCT, "fields": self.members(held["fields"], level + 1, at)}
        if kind == "array":
            flag = held["containsNull"]
            element = self._element(held["elementType"], level, at, ids.of("element"), flag)
            return {"type": Kind.ARRAY, "element": element}
        key = self._type(held["keyType"], level + 1, (*at, Part(Step.KEY)), ids.of("key"))
        flag = held["valueContainsNull"]
        value = self._element(held["valueType"], level, at, ids.of("value"), flag)
        return {"type": Kind.MAP, "key": MapKey(id=ids.of("key").own, **key), "value": value}

    def _element(self, held: Any, level: int, at: FieldPath, ids: "_Ids", nullable: Any) -> Element:
        step = Step.VALUE if ids.path.endswith(".value") else Step.ELEMENT
        made = self._type(held, level + 1, (*at, Part(step)), ids)
        return Element(nullable=bool(nullable), id=ids.own, **made)


_NESTED = frozenset(("struct", "array", "map"))


class _Ids:
    """The ids of what is inside lists and maps, which stand beside the nearest column."""

    def __init__(self, held: Any, path: str) -> None:
        self.held: Stored = held if isinstance(held, dict) else {}
        self.path = path

    def of(self, name: str) -> "_Ids":
        """Those one level deeper."""
        return _Ids(self.held, f"{self.path}.{name}")

    @property
    def own(self) -> int | None:
        """The id of what stands here."""
        return identity(self.held.get(self.path))


def _is_bounded(made: Parameters) -> bool:
    return made["type"] is Kind.STRING


def _collation(said: Stored, name: str) -> str | None:
    held = said.get(_COLLATIONS)
    return _text(held.get(name)) if isinstance(held, dict) else None


def _text(held: Any) -> str | None:
    return held if isinstance(held, str) and held else None
