"""Delta schemas: Spark's types in Delta's JSON, as portable types."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.snapshot import Constraint, Partition, Schema, Storage
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey, Unit
from lumos_snap.scan.formats.avro.attributes import field_id, make_storable
from lumos_snap.scan.schemas.supertype import DatasetSchema, TableFacts, parameters_of
from lumos_snap.scan.tables.text_bounds import EMPTY, TextBounds, parse_bounds

# SQL literals as JSON, for default values of columns.


_WORDS = {"null": "null", "true": "true", "false": "false"}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_QUOTED = re.compile(r"'((?:[^'\\]|'')*)'")


def as_json(expression: object) -> str | None:
    """Convert a literal to JSON; None for an expression that must be evaluated."""
    if not isinstance(expression, str):
        return None
    plain = expression.strip()
    if plain.lower() in _WORDS:
        return _WORDS[plain.lower()]
    if _NUMBER.fullmatch(plain):
        return plain
    quoted = _QUOTED.fullmatch(plain)
    if quoted is None:
        return None
    return json.dumps(quoted[1].replace("''", "'"), ensure_ascii=False)  # noqa: TID251 - a part of a value


Parameters = JsonObject

_SCALARS: Mapping[str, Parameters] = {
    "boolean": {"type": Kind.BOOLEAN},
    "byte": {"type": Kind.INT8},
    "short": {"type": Kind.INT16},
    "integer": {"type": Kind.INT32},
    "long": {"type": Kind.INT64},
    "float": {"type": Kind.FLOAT32},
    "double": {"type": Kind.FLOAT64},
    "string": {"type": Kind.STRING},
    "binary": {"type": Kind.BINARY},
    "date": {"type": Kind.DATE},
    "timestamp": {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND, "timezone": "UTC"},
    "timestamp_ntz": {"type": Kind.TIMESTAMP, "unit": Unit.MICROSECOND},
    "variant": {"type": Kind.VARIANT},
    "void": {"type": Kind.NULL},
}
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,4})\s*,\s*(-?[0-9]{1,4})\s*\)")
_BOUNDED = re.compile(r"(char|varchar)\(([0-9]{1,9})\)")
_TEXTS = {"char": Kind.CHAR, "varchar": Kind.VARCHAR}
_INTERVAL = re.compile("interval (year|month|day|hour|minute|second)( to [a-z]+)?")
_TIME = re.compile(r"time\(\d\)")
_MICRO_TIME = "time(6)"
_CALENDAR = frozenset(("year", "month"))
_WIDEST = frozenset(("interval year to month", "interval day to second"))
_MOST_DIGITS = 1000


def scalar_type(name: str) -> Parameters:
    """Convert a simple type; an unknown one keeps its name."""
    if name in _SCALARS:
        return _SCALARS[name]
    decimal = _DECIMAL.fullmatch(name)
    if decimal and 0 < int(decimal[1]) <= _MOST_DIGITS and abs(int(decimal[2])) <= _MOST_DIGITS:
        return {"type": Kind.DECIMAL, "precision": int(decimal[1]), "scale": int(decimal[2])}
    text = _BOUNDED.fullmatch(name)
    if text:
        return {"type": _TEXTS[text[1]], "length": int(text[2])}
    interval = _INTERVAL.fullmatch(name)
    if interval:
        unit = Unit.YEAR_MONTH if interval[1] in _CALENDAR else Unit.DAY_TIME
        native = {} if name in _WIDEST else {"native": name}
        return {"type": Kind.INTERVAL, "unit": unit, **native}
    if _TIME.fullmatch(name):
        native = {} if name == _MICRO_TIME else {"native": name}
        return {"type": Kind.TIME, "unit": Unit.MICROSECOND, **native}
    return {"type": Kind.UNKNOWN, "native": name}


Stored = JsonObject

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


class DeltaColumns:
    """The columns of one table, with notes on what could not be described."""

    def __init__(self, *, is_mapped: bool) -> None:
        self.is_mapped = is_mapped
        self.is_deep = False
        self.invariants: dict[str, str] = {}
        """By path of the column: the condition that its values must satisfy."""

    def notes(self) -> tuple[str, ...]:
        """Return notes on what could not be described."""
        return (_DEEP,) if self.is_deep else ()

    def members(
        self, fields: Sequence[Stored], level: int, at: FieldPath, bounds: TextBounds = EMPTY
    ) -> tuple[Field, ...]:
        """Convert the columns of a table or struct."""
        return tuple(self._field(one, level, at, bounds.inside(one["name"])) for one in fields)

    def _field(self, one: Stored, level: int, at: FieldPath, outer: TextBounds) -> Field:
        said: Stored = one["metadata"]
        name = one["name"]
        path = (*at, Part(Step.MEMBER, name))
        physical = _text(said.get(_PHYSICAL)) if self.is_mapped else None
        own = _parse_own_bounds(said, one["type"])
        inside = _Inside(
            _object(said.get(_NESTED_IDS)) if self.is_mapped else {},
            physical or name,
            own or outer,
            _object(said.get(_COLLATIONS)),
            name,
        )
        made = self._type(one["type"], level, path, inside)
        self._note_invariant(said, path)
        left = {
            key: make_storable(held, _DEEPEST)
            for key, held in said.items()
            if key not in _UNDERSTOOD
        }
        default = as_json(said.get(_DEFAULT))
        for key, is_told in ((_DEFAULT, default is not None), (_TEXT, own is not None)):
            if is_told:
                left.pop(key, None)
        return Field(
            name=name,
            nullable=one["nullable"],
            id=field_id(said.get(_ID)) if self.is_mapped else None,
            physical_name=physical,
            description=_text(said.get(_COMMENT)),
            write_default=default,
            generated=_text(said.get(_GENERATED)),
            properties=left,
            **made,
        )

    def _note_invariant(self, said: Stored, path: FieldPath) -> None:
        """Record an invariant, which is JSON in JSON: `{"expression": {"expression": "x > 3"}}`."""
        try:
            expression = json.loads(said[_INVARIANTS])["expression"]["expression"]
        except (KeyError, TypeError, ValueError):
            return
        if isinstance(expression, str) and expression:
            self.invariants[format_path(path)] = expression

    def _type(self, held: Any, level: int, at: FieldPath, inside: "_Inside") -> Parameters:
        kind = held if isinstance(held, str) else held["type"]
        if kind == "udt" and not isinstance(held, str):
            return {**self._type(held["sqlType"], level, at, inside), "native": held["class"]}
        if kind not in _NESTED or isinstance(held, str):
            return inside.text_type() if kind == "string" else scalar_type(kind)
        if level >= MAX_LEVELS:
            self.is_deep = True
            return {"type": Kind.UNKNOWN, "native": kind}
        if kind == "struct":
            return {
                "type": Kind.STRUCT,
                "fields": self.members(held["fields"], level + 1, at, inside.bounds),
            }
        if kind == "array":
            flag = held["containsNull"]
            element = self._element(held["elementType"], level, at, inside.of("element"), flag)
            return {"type": Kind.ARRAY, "element": element}
        key = self._type(held["keyType"], level + 1, (*at, Part(Step.KEY)), inside.of("key"))
        flag = held["valueContainsNull"]
        value = self._element(held["valueType"], level, at, inside.of("value"), flag)
        return {"type": Kind.MAP, "key": MapKey(id=inside.of("key").own, **key), "value": value}

    def _element(
        self, held: Any, level: int, at: FieldPath, inside: "_Inside", nullable: Any
    ) -> Element:
        step = Step.VALUE if inside.id_path.endswith(".value") else Step.ELEMENT
        made = self._type(held, level + 1, (*at, Part(step)), inside)
        return Element(nullable=bool(nullable), id=inside.own, **made)


_NESTED = frozenset(("struct", "array", "map"))


class _Inside(NamedTuple):
    """What the nearest column says of the types inside it."""

    ids: JsonObject
    """By path from its physical name."""
    id_path: str
    bounds: TextBounds
    collations: JsonObject
    """By path from its name."""
    path: str

    def of(self, name: str) -> "_Inside":
        """Return the same one level deeper."""
        return _Inside(
            self.ids,
            f"{self.id_path}.{name}",
            self.bounds.inside(name),
            self.collations,
            f"{self.path}.{name}",
        )

    @property
    def own(self) -> int | None:
        """The id at this path."""
        return field_id(self.ids.get(self.id_path))

    def text_type(self) -> Parameters:
        """The type of a text, with its length and collation."""
        collation = _text(self.collations.get(self.path))
        held = scalar_type(self.bounds.text or "string")
        return {**held, "collation": collation} if collation else held


def _object(held: object) -> JsonObject:
    return held if isinstance(held, dict) else {}


def _parse_own_bounds(said: Stored, given: object) -> TextBounds | None:
    """The lengths that a column states of its type; None if none, or if they do not fit."""
    text = said.get(_TEXT)
    found = parse_bounds(text, given) if isinstance(text, str) and text else EMPTY
    return None if found == EMPTY else found


def _text(held: object) -> str | None:
    return held if isinstance(held, str) and held else None


_CHECK = "delta.constraints."
_MAPPING = "delta.columnMapping.mode"
_NOT_MAPPED = frozenset((None, "none"))
_KNOWN = frozenset(
    (
        "appendOnly", "allowColumnDefaults", "catalogManaged", "catalogOwned-preview",
        "changeDataFeed", "checkConstraints", "clustering", "collations-preview", "columnMapping",
        "deletionVectors", "domainMetadata", "generatedColumns", "icebergCompatV1",
        "icebergCompatV2", "icebergCompatV3", "icebergWriterCompatV1", "icebergWriterCompatV3",
        "identityColumns", "inCommitTimestamp", "invariants", "materializePartitionColumns",
        "redirectReaderWriter-preview", "redirectWriterOnly-preview", "rowTracking",
        "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
        "vacuumProtocolCheck", "variantShredding", "variantShredding-preview", "variantType",
        "variantType-preview", "checkpointProtection",
    )
)  # fmt: skip
"""Table features that do not affect the description, or that are described."""
_OF_CATALOGS = frozenset(("catalogManaged", "catalogOwned-preview"))


def schema_of(evidence: Stored) -> DatasetSchema:
    """Convert the newest version of a table."""
    properties: dict[str, Any] = dict(evidence["properties"])
    mode = properties.pop(_MAPPING, None)
    columns = DeltaColumns(is_mapped=mode not in _NOT_MAPPED)
    fields = columns.members(evidence["schema"].get("fields", ()), 1, ())
    constraints = tuple(_constraints(properties, columns))
    if evidence["name"]:
        properties["name"] = evidence["name"]
    if evidence["clustering"]:
        properties["clustering"] = _clustering(fields, evidence["clustering"])
    partitioning, lost = _partitioning(fields, evidence["partitioning"])
    features = evidence["protocol"]["features"]
    return DatasetSchema(
        Schema(fields=fields, constraints=constraints),
        description=evidence["description"],
        partitioning=partitioning,
        properties={k: one for k, one in properties.items() if not k.startswith(_CHECK)},
        storage=Storage(
            file_format=evidence["provider"],
            id=evidence["id"],
            reader_version=evidence["protocol"]["reader"],
            writer_version=evidence["protocol"]["writer"],
            column_mapping=None if mode in _NOT_MAPPED else mode,
            features=tuple({*features["reader"], *features["writer"]}),
        ),
        table=TableFacts(
            version=str(evidence["version"]),
            files=evidence["files"],
            bytes=evidence["bytes"],
            properties=_table_facts(evidence),
        ),
        notes=(*_note_features(features), *lost, *columns.notes()),
    )


def _table_facts(evidence: Stored) -> Mapping[str, object]:
    vectors = evidence["vectors"]
    return {"delta.filesWithDeletionVectors": vectors} if vectors else {}


def _constraints(properties: Stored, columns: DeltaColumns) -> Iterator[Constraint]:
    for name, expression in properties.items():
        if name.startswith(_CHECK) and name != _CHECK:
            yield Constraint(name=name.removeprefix(_CHECK), expression=expression)
    for path, expression in columns.invariants.items():
        yield Constraint(name=f"invariant of {path}", expression=expression)


def _clustering(fields: Sequence[Field], paths: Sequence[Sequence[str]]) -> list[str]:
    """Return columns by their current names: the log has physical names."""
    return [format_path(tuple(_logical(fields, path))) for path in paths if path]


def _logical(fields: Sequence[Field], path: Sequence[str]) -> Iterator[Part]:
    for name in path:
        found = next((one for one in fields if (one.physical_name or one.name) == name), None)
        yield Part(Step.MEMBER, found.name if found else name)
        fields = found.fields if found else ()


def _partitioning(
    fields: Sequence[Field], names: Sequence[str]
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """Return the partition columns; Delta ignores letter case."""
    by_name = {one.name.casefold(): one for one in fields}
    found = [by_name[name.casefold()] for name in names if name.casefold() in by_name]
    lost = [name for name in names if name.casefold() not in by_name]
    return (
        tuple(
            Partition(
                **parameters_of(one),
                name=one.name,
                source=format_path((Part(Step.MEMBER, one.name),)),
                transform="identity",
            )
            for one in found
        ),
        tuple(f"it is divided by {name}, which is no column of it" for name in lost),
    )


def _note_features(features: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name in features["reader"]:
        if name not in _KNOWN:
            yield f"readers need the table feature `{name}`, which is not known here"
    if _OF_CATALOGS & {*features["reader"], *features["writer"]}:
        yield "its catalog manages commits: those that lie only there are not seen"
