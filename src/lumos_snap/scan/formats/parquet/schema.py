"""Parquet schemas as portable types, including all historic layouts of nested columns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.formats.parquet.spark_metadata import WRITERS, WriterMetadata
from lumos_snap.scan.schemas.supertype import DatasetSchema

# Parquet's scalar types as portable types, by physical type and annotation.
#
# An annotation that does not match the physical type is ignored: readers fall back to the physical
# type, and so does the schema.


Parameters = JsonObject
Stored = JsonObject
"""A schema element of a footer."""

INT32, INT64, INT96, BYTES, FIXED = 1, 2, 3, 6, 7
LIST, MAP, VARIANT, INTERVAL, NULL = 3, 2, 16, 9, 11
_NAMES = (
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
)  # fmt: skip
_PHYSICAL: Mapping[int, Parameters] = {
    0: {"type": Kind.BOOLEAN},
    INT32: {"type": Kind.INT32},
    INT64: {"type": Kind.INT64},
    INT96: {"type": Kind.TIMESTAMP, "unit": Unit.NANOSECOND, "physical": "INT96"},
    4: {"type": Kind.FLOAT32},
    5: {"type": Kind.FLOAT64},
    BYTES: {"type": Kind.BINARY},
}
_UNITS = {"1": Unit.MILLISECOND, "2": Unit.MICROSECOND, "3": Unit.NANOSECOND}
_MILLIS: Parameters = {"1": {}}
_MICROS: Parameters = {"2": {}}
_CONVERTED: Mapping[int, tuple[int, Parameters]] = {
    0: (1, {}),
    1: (MAP, {}),
    2: (MAP, {}),
    3: (LIST, {}),
    4: (4, {}),
    6: (6, {}),
    7: (7, {"1": True, "2": _MILLIS}),
    8: (7, {"1": True, "2": _MICROS}),
    9: (8, {"1": True, "2": _MILLIS}),
    10: (8, {"1": True, "2": _MICROS}),
    **{11 + i: (10, {"1": 8 << i, "2": False}) for i in range(4)},
    **{15 + i: (10, {"1": 8 << i, "2": True}) for i in range(4)},
    19: (12, {}),
    20: (13, {}),
    21: (INTERVAL, {}),
    24: (NULL, {}),  # of the first writers of parquet-cpp
}
_DECIMAL = 5
_ALGORITHMS = ("spherical", "vincenty", "thomas", "andoyer", "karney")
_LONGEST = 200


def annotation(one: Stored) -> tuple[int, Parameters] | None:
    """Return the annotation of a column or group, by its number among the logical types."""
    converted = one.get("converted", -1)
    older = _CONVERTED.get(converted)
    if converted == _DECIMAL:
        older = _DECIMAL, {"1": one.get("scale", 0), "2": one.get("precision", 0)}
    for number, said in one.get("logical", {}).items():
        if older is None or int(number) in _ANNOTATED or int(number) in (LIST, MAP, VARIANT):
            return int(number), said if isinstance(said, dict) else {}
    return older


def scalar_type(one: Stored) -> tuple[Parameters, str]:
    """Convert the type of a column; return it with a note if its annotation is irregular."""
    annotated = annotation(one)
    if annotated is None:
        return physical_type(one), ""
    number, said = annotated
    read = _ANNOTATED.get(number)
    if read is not None:
        made = read(said, one)
        return (made, "") if made else (physical_type(one), "an annotation that does not fit it")
    if number in (LIST, MAP, VARIANT):
        return physical_type(one), "the annotation of a group"
    native = f"logical type {number} ({_physical_name(one)})"
    return {"type": Kind.UNKNOWN, "native": native}, "an annotation that is not known yet"


def physical_type(one: Stored) -> Parameters:
    """Convert the physical type of a column."""
    number, length = one["type"], one.get("length", -1)
    if number == FIXED and length >= 0:
        return {"type": Kind.FIXED, "length": length}
    return dict(_PHYSICAL.get(number, {"type": Kind.UNKNOWN, "native": _physical_name(one)}))


def _physical_name(one: Stored) -> str:
    number, length = one["type"], one.get("length", -1)
    name = _NAMES[number] if 0 <= number < len(_NAMES) else f"physical type {number}"
    return f"{name}({length})" if number == FIXED and length >= 0 else name


def _number(said: Parameters, name: str, otherwise: int = 0) -> int:
    number = said.get(name)
    return number if isinstance(number, int) else otherwise


def _is_fixed(one: Stored, length: int) -> bool:
    return bool(one["type"] == FIXED and one.get("length") == length)


def _read_bytes(**made: Any) -> Callable[[Parameters, Stored], Parameters | None]:
    return lambda _said, one: dict(made) if one["type"] == BYTES else None


def _read_fixed(length: int, kind: Kind) -> Callable[[Parameters, Stored], Parameters | None]:
    return lambda _said, one: {"type": kind} if _is_fixed(one, length) else None


def _date(_said: Parameters, one: Stored) -> Parameters | None:
    return {"type": Kind.DATE} if one["type"] == INT32 else None


def _decimal(said: Parameters, one: Stored) -> Parameters | None:
    precision, scale = _number(said, "2"), _number(said, "1")
    if 0 <= scale <= precision and 0 < precision <= _most_digits(one):
        return {"type": Kind.DECIMAL, "precision": precision, "scale": scale}
    return None


def _most_digits(one: Stored) -> int:
    """Return how many digits always fit into the physical type."""
    number = one["type"]
    if number == FIXED:
        bits = 8 * min(one.get("length", 0), 500) - 1
        return min(len(str(2**bits)) - 1, 1000) if bits > 0 else 0
    return {INT32: 9, INT64: 18, BYTES: 1000}.get(number, 0)


def _unit(said: Parameters) -> Unit | None:
    unit = said.get("2")
    return next((_UNITS[n] for n in unit if n in _UNITS), None) if isinstance(unit, dict) else None


def _clock(kind: Kind, said: Parameters) -> Parameters:
    zone = {"timezone": "UTC"} if said.get("1") is True else {}
    return {"type": kind, "unit": _unit(said), **zone}


def _time(said: Parameters, one: Stored) -> Parameters | None:
    unit = _unit(said)
    held = INT32 if unit is Unit.MILLISECOND else INT64
    return _clock(Kind.TIME, said) if unit and one["type"] == held else None


def _timestamp(said: Parameters, one: Stored) -> Parameters | None:
    return _clock(Kind.TIMESTAMP, said) if _unit(said) and one["type"] == INT64 else None


def _integer(said: Parameters, one: Stored) -> Parameters | None:
    bits = said.get("1")
    if bits not in (8, 16, 32, 64) or one["type"] != (INT64 if bits == 64 else INT32):  # noqa: PLR2004
        return None
    return {"type": Kind(f"INT{bits}" if said.get("2") is True else f"UINT{bits}")}


def _shape(name: str) -> Callable[[Parameters, Stored], Parameters | None]:
    def read(said: Parameters, one: Stored) -> Parameters | None:
        if one["type"] != BYTES:
            return None
        algorithm = _number(said, "2", -1)
        crs = said.get("1")
        sizes = [crs[:_LONGEST]] if isinstance(crs, str) and crs else []
        if 0 <= algorithm < len(_ALGORITHMS):
            sizes.append(_ALGORITHMS[algorithm])
        native = f"{name}({', '.join(sizes)})" if sizes else name
        return {"type": Kind.UNKNOWN, "native": native}

    return read


_ANNOTATED: Mapping[int, Callable[[Parameters, Stored], Parameters | None]] = {
    1: _read_bytes(type=Kind.STRING),
    4: _read_bytes(type=Kind.ENUM),
    _DECIMAL: _decimal,
    6: _date,
    7: _time,
    8: _timestamp,
    INTERVAL: _read_fixed(12, Kind.INTERVAL),
    10: _integer,
    NULL: lambda _said, _one: {"type": Kind.NULL},
    12: _read_bytes(type=Kind.JSON),
    13: _read_bytes(type=Kind.BINARY, native="BSON"),
    14: _read_fixed(16, Kind.UUID),
    15: _read_fixed(2, Kind.FLOAT16),
    17: _shape("geometry"),
    18: _shape("geography"),
}


REQUIRED, REPEATED = 0, 2
MOST_NOTES = 20

_ENCRYPTED = "columns are encrypted: their types are known all the same"
_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
_UNREAD = "what {} says of the columns cannot be read"
_MORE = "more is odd in the same way"
_VARIANT = {"value", "metadata"}


class Node(NamedTuple):
    """A column, or a group with its members."""

    said: Stored
    held: "list[Node]"

    @property
    def name(self) -> str:
        """The name in the file."""
        name: str = self.said["name"]
        return name

    @property
    def is_repeated(self) -> bool:
        """Whether it is repeated."""
        return bool(self.said.get("repetition") == REPEATED)

    @property
    def is_nullable(self) -> bool:
        """Whether it may be null; a repeated column is empty instead."""
        return bool(self.said.get("repetition") not in (REQUIRED, REPEATED))

    @property
    def is_group(self) -> bool:
        """Whether it is a group."""
        return bool(self.held) or "type" not in self.said

    @property
    def id(self) -> int | None:
        """The field id; some writers use a negative one for none."""
        number: int = self.said.get("id", -1)
        return number if number >= 0 else None


class ColumnPlace(NamedTuple):
    """The place of a type: its path, and the writers' metadata."""

    path: FieldPath
    words: WriterMetadata

    def inside(self, step: Step, word: str, number: int = 1) -> "ColumnPlace":
        """Return the place one level deeper."""
        part = Part(step, word, number) if step is Step.MEMBER else Part(step)
        return ColumnPlace((*self.path, part), self.words.inside(word))


def schema_of(evidence: Any) -> DatasetSchema:
    """Convert the evidence of a Parquet footer."""
    reading = _SchemaReader()
    words = WriterMetadata({name: evidence[name] for name in WRITERS if name in evidence})
    indexes = frozenset(evidence.get("pandas", ()))
    fields = reading.members(_build_tree(evidence["columns"]), ColumnPlace((), words), indexes)
    notes = reading.notes
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [_MORE]
    notes += [_DEEP] if reading.is_deep else []
    notes += [_UNREAD.format(writer.capitalize()) for writer in evidence.get("unread", ())]
    notes += [_ENCRYPTED] if evidence.get("encrypted") else []
    return DatasetSchema(Schema(fields=fields), notes=tuple(notes))


def _build_tree(elements: Sequence[JsonObject]) -> list[Node]:
    """Build a tree from the list of elements: each is followed by its members."""
    roots: list[Node] = []
    open_: list[tuple[list[Node], int]] = []
    for said in elements:
        node = Node(said, [])
        while open_ and len(open_[-1][0]) == open_[-1][1]:
            open_.pop()
        (open_[-1][0] if open_ else roots).append(node)
        if said.get("children", 0):
            open_.append((node.held, said["children"]))
    return roots


class _SchemaReader:
    """Converts one schema, and collects notes on irregularities."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.is_deep = False

    def members(
        self, nodes: Sequence[Node], place: ColumnPlace, indexes: frozenset[str] = frozenset()
    ) -> tuple[Field, ...]:
        """Convert columns, or the members of a struct; `indexes` are pandas' index columns."""
        seen: dict[str, int] = {}
        found = []
        for node in nodes:
            number = seen[node.name] = seen.get(node.name, 0) + 1
            at = place.inside(Step.MEMBER, node.name, number)
            found.append(
                Field(
                    name=node.name,
                    nullable=node.is_nullable,
                    id=node.id,
                    description=at.words.about,
                    properties={"pandas_index": True} if node.name in indexes else {},
                    **self.type(node, at),
                )
            )
        return tuple(found)

    def element(self, node: Node, at: ColumnPlace) -> Element:
        """Convert the element of an array, or the value of a map."""
        return Element(
            nullable=node.is_nullable,
            id=node.id,
            description=at.words.about,
            **self.type(node, at),
        )

    def type(self, node: Node, at: ColumnPlace) -> Parameters:
        """Convert the type at a place; a repeated column without a list annotation is an array."""
        if not node.is_repeated:
            return self._once(node, at)
        if self._is_deep(at):
            return {"type": Kind.UNKNOWN, "native": "repeated"}
        return {"type": Kind.ARRAY, "element": self._repeated(node, at)}

    def _repeated(self, node: Node, at: ColumnPlace) -> Element:
        """Convert a repeated column to an element, which is never null."""
        inside = at.inside(Step.ELEMENT, "element")
        made = self._once(node, inside)
        return Element(nullable=False, description=inside.words.about, **made)

    def _once(self, node: Node, at: ColumnPlace) -> Parameters:
        if not node.is_group:
            made, odd = scalar_type(node.said)
            if odd:
                self._note(at, odd)
            return at.words.refine(made)
        return at.words.refine(self._group(node, at))

    def _group(self, node: Node, at: ColumnPlace) -> Parameters:
        number, _ = annotation(node.said) or (0, {})
        names = {one.name for one in node.held}
        if number == VARIANT or (at.words.is_variant and names >= _VARIANT):
            return {"type": Kind.VARIANT}
        if self._is_deep(at):
            return {"type": Kind.UNKNOWN, "native": "group"}
        if number == LIST and _holds_a_list(node):
            return {"type": Kind.ARRAY, "element": self._listed(node, at)}
        if number == MAP and _holds_a_map(node):
            return self._map(node.held[0], at)
        if number:
            self._note(at, "an annotation that does not fit it")
        return {"type": Kind.STRUCT, "fields": self.members(node.held, at)}

    def _listed(self, node: Node, at: ColumnPlace) -> Element:
        """Convert the element of an annotated list, by Parquet's backward-compatibility rules."""
        repeated = node.held[0]
        inside = at.inside(Step.ELEMENT, "element")
        if not _is_element(node, repeated):
            return self.element(repeated.held[0], inside)
        made = self._once(repeated, inside)
        about = inside.words.about
        return Element(nullable=False, id=repeated.id, description=about, **made)

    def _map(self, pairs: Node, at: ColumnPlace) -> Parameters:
        key, *values = pairs.held
        inside = at.inside(Step.KEY, "key")
        if not values:
            self._note(at, "a map without values")
            inside = at.inside(Step.ELEMENT, "key")
            made = self.type(key, inside)
            return {"type": Kind.ARRAY, "element": Element(nullable=False, id=key.id, **made)}
        return {
            "type": Kind.MAP,
            "key": MapKey(id=key.id, **self.type(key, inside)),
            "value": self.element(values[0], at.inside(Step.VALUE, "value")),
        }

    def _is_deep(self, at: ColumnPlace) -> bool:
        if len(at.path) < MAX_LEVELS:
            return False
        self.is_deep = True
        return True

    def _note(self, at: ColumnPlace, odd: str) -> None:
        if len(self.notes) <= MOST_NOTES:
            self.notes.append(f"`{format_path(at.path)}` has {odd}")


def _holds_a_list(node: Node) -> bool:
    return len(node.held) == 1 and node.held[0].is_repeated


def _holds_a_map(node: Node) -> bool:
    """Whether a group has one repeated pair of a key and a value; a key alone is a set."""
    return _holds_a_list(node) and len(node.held[0].held) in (1, 2)


def _is_element(listed: Node, repeated: Node) -> bool:
    """Whether the repeated node of a list is its element, and not a wrapper of the element."""
    if not repeated.is_group or len(repeated.held) != 1:
        return True
    return repeated.held[0].is_repeated or repeated.name in ("array", f"{listed.name}_tuple")
