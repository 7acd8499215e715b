"""The portable type system: scalars with parameters, nested and recursive types."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar

from lumos_snap.model.type_kinds import Kind, Unit, consistent, kind_rules
from lumos_snap.schema import Json, Maybe, Natural, Range, Text, Unordered, Value, value_class

__all__ = [
    "MAX_LEVELS",
    "Branch",
    "DataType",
    "Definition",
    "Element",
    "Field",
    "Kind",
    "MapKey",
    "Unit",
]

MAX_LEVELS = 64
"""Deeper nesting is recorded as UNKNOWN: no engine reads it, and every tool must terminate."""

FieldId = Annotated[Maybe[Natural], "the field id of the format: it stays when the name changes"]


@value_class
class DataType(Value):
    """A type with its parameters."""

    # Scalars first, then nested types on one line, then lists over several lines.
    KEY_ORDER: ClassVar[tuple[str, ...]] = (
        "name", "type", "ref", "precision", "scale", "length", "unit", "timezone",
        "symbols", "symbol_default", "collation", "format", "style", "source", "transform",
        "argument", "inferred", "nullable", "id", "native", "physical", "physical_name",
        "description", "default", "write_default", "generated", "aliases", "properties",
        "key", "element", "value", "fields", "branches",
    )  # fmt: skip
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {"allOf": [{"$ref": "#/$defs/TypeParameters"}]}
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {"TypeParameters": {"allOf": kind_rules()}}

    type: Annotated[Kind, "the portable kind of the values"]
    ref: Annotated[Maybe[Text], "the definition in `schema.definitions` that stands here"] = None
    precision: Annotated[
        Maybe[Annotated[int, Range(least=1, most=1000)]], "the most digits that a decimal has"
    ] = None
    scale: Annotated[
        Maybe[Annotated[int, Range(least=-1000, most=1000)]],
        "how many of a decimal's digits follow the point",
    ] = None
    length: Annotated[
        Maybe[Natural], "the most characters or bytes; exactly as many for CHAR, FIXED and ARRAY"
    ] = None
    unit: Annotated[Maybe[Unit], "the resolution of a time, or what an interval counts"] = None
    timezone: Annotated[
        Maybe[Text], "the zone that stored instants are in; left out for local time"
    ] = None
    symbols: Annotated[tuple[str, ...], "the values of an enumeration, in its own order"] = ()
    symbol_default: Annotated[
        Maybe[str], "the symbol that readers take for one that they do not know"
    ] = None
    collation: Annotated[Maybe[Text], "the rules by which texts are compared and sorted"] = None
    native: Annotated[Maybe[Text], "the source's own name for the type, where it says more"] = None
    physical: Annotated[Maybe[Text], "how a file stores the values, as in INT96"] = None
    key: Annotated["Maybe[MapKey]", "the type of a map's keys"] = None
    element: Annotated["Maybe[Element]", "the type of an array's elements"] = None
    value: Annotated["Maybe[Element]", "the type of a map's values"] = None
    fields: Annotated["tuple[Field, ...]", "the members of a struct, in stored order"] = ()
    branches: Annotated["tuple[Branch, ...]", "the alternatives of a union, in stored order"] = ()

    consistent = staticmethod(consistent)


@value_class
class MapKey(DataType):
    """The key of a map: never null, so it has no nullability."""

    id: FieldId = None


@value_class
class Element(DataType):
    """The element of an array or the value of a map."""

    nullable: Annotated[bool, "whether one may be null; false only where the source declares it"]
    id: FieldId = None
    description: Annotated[Maybe[Text], "what the source says about its elements"] = None


@value_class
class Branch(DataType):
    """One alternative of a union."""

    name: Annotated[Maybe[Text], "the name of the alternative, where the source gives it one"] = (
        None
    )
    id: FieldId = None


@value_class
class Field(DataType):
    """A column, or a member of a struct, as described by the source."""

    name: Annotated[str, "the name as the source spells it"]
    nullable: Annotated[bool, "whether it may be null; false only where the source declares it"]
    id: FieldId = None
    physical_name: Annotated[
        Maybe[Text], "its name inside the files, where column mapping gives it another"
    ] = None
    description: Annotated[Maybe[Text], "what the source says; `documentation` wins over it"] = None
    default: Annotated[
        Maybe[Text], 'what rows written before it hold, a JSON text: `"null"` is the null value'
    ] = None
    write_default: Annotated[
        Maybe[Text], "what writers put where nothing is given, a JSON text"
    ] = None
    generated: Annotated[Maybe[Text], "the expression that computes it from other columns"] = None
    aliases: Annotated[tuple[str, ...], Unordered(), "other names that readers accept for it"] = ()
    properties: Annotated[Mapping[str, Json], "what else the source says of it, by name"] = field(
        default_factory=dict
    )


@value_class
class Definition(DataType):
    """A named type that `REF` refers to, so that a type can contain itself."""

    name: Annotated[Text, "the name that `ref` gives"]
