"""Whatever schema fastavro accepts is described as it was made."""

import json
from typing import Any

import fastavro
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.scan.formats.avro.avro_files import described, written
from tests.scan.formats.orc.descriptions import columns

Told = tuple[Any, str]

SCALARS: tuple[Told, ...] = (
    ("boolean", "BOOLEAN"),
    ("int", "INT32"),
    ("long", "INT64"),
    ("float", "FLOAT32"),
    ("double", "FLOAT64"),
    ("bytes", "BINARY"),
    ("string", "STRING"),
    ({"type": "int", "logicalType": "date"}, "DATE"),
    ({"type": "long", "logicalType": "timestamp-micros"}, "TIMESTAMP(us, UTC)"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}, "DECIMAL(9,3)"),
    ({"type": "string", "logicalType": "uuid"}, "UUID"),
)
SPACES = st.sampled_from([None, "", "a", "b.c"])


class Making:
    """A schema that is being made: what has a name can be referred to by whatever follows."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.named: list[tuple[str, str]] = []

    def optional(self, space: str, depth: int) -> Told:
        """A type, and whether it is required."""
        kind, expected = self.required(space, depth)
        form = self.draw(st.sampled_from(["required", "null first", "null last"]))
        if form == "required" or isinstance(kind, list):
            return kind, f"{expected} NOT NULL"
        return (["null", kind] if form == "null first" else [kind, "null"]), expected

    def required(self, space: str, depth: int) -> Told:
        made = self.draw(st.integers(0, 5)) if depth else 0
        if made == 1:
            kind, expected = self.optional(space, depth - 1)
            return {"type": "array", "items": kind}, f"ARRAY<{expected}>"
        if made == 2:
            kind, expected = self.optional(space, depth - 1)
            return {"type": "map", "values": kind}, f"MAP<STRING, {expected}>"
        if made == 3:
            return self.record(space, depth)
        if made == 4:
            return self.small(space)
        # From inside of a namespace, a name without one cannot be written.
        within_reach = [pair for pair in self.named if "." in pair[0] or not space]
        if made == 5 and within_reach:
            name, expected = self.draw(st.sampled_from(within_reach))
            is_near = name.rpartition(".")[0] == space and self.draw(st.booleans())
            return (name.rpartition(".")[2] if is_near or "." not in name else name), expected
        return self.draw(st.sampled_from(SCALARS))

    def record(self, space: str, depth: int) -> Told:
        stored, name = self.definition("record", space)
        inside = name.rpartition(".")[0]
        size = self.draw(st.integers(0, 4))
        held = [self.optional(inside, depth - 1) for _ in range(size)]
        stored["fields"] = [
            {"name": f"f{index}", "type": kind} for index, (kind, _) in enumerate(held)
        ]
        listed = ", ".join(f"f{index}: {expected}" for index, (_, expected) in enumerate(held))
        self.named.append((name, f"STRUCT<{listed}>"))
        return stored, f"STRUCT<{listed}>"

    def small(self, space: str) -> Told:
        if self.draw(st.booleans()):
            stored, name = self.definition("enum", space)
            stored["symbols"], expected = ["x", "y"], "ENUM('x','y')"
        else:
            stored, name = self.definition("fixed", space)
            stored["size"], expected = 3, "FIXED(3)"
        self.named.append((name, expected))
        return stored, expected

    def definition(self, kind: str, space: str) -> tuple[dict[str, Any], str]:
        """The start of a named type, with a namespace that is said in one of three ways."""
        self.number = getattr(self, "number", 0) + 1
        name, own = f"N{self.number}", self.draw(SPACES)
        if own and self.draw(st.booleans()):
            return {"type": kind, "name": f"{own}.{name}"}, f"{own}.{name}"
        inside = space if own is None else own
        said = {} if own is None else {"namespace": own}
        return {"type": kind, "name": name, **said}, f"{inside}.{name}" if inside else name


@st.composite
def schemas(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, str]]:
    making = Making(draw)
    held = [making.optional("", 3) for _ in range(draw(st.integers(1, 6)))]
    fields = [{"name": f"c{index}", "type": kind} for index, (kind, _) in enumerate(held)]
    expected = {f"c{index}": noted for index, (_, noted) in enumerate(held)}
    return {"type": "record", "name": "Root", "fields": fields}, expected


@settings(deadline=None, max_examples=150)
@given(schemas())
def test_what_fastavro_writes_is_described_as_it_was_made(
    made: tuple[dict[str, Any], dict[str, str]],
) -> None:
    schema, expected = made
    assert columns(described(written(schema))) == expected


@settings(deadline=None, max_examples=100)
@given(schemas())
def test_names_are_resolved_as_fastavro_resolves_them(
    made: tuple[dict[str, Any], dict[str, str]],
) -> None:
    schema, _ = made
    assume('"namespace": ""' not in json.dumps(schema))  # which fastavro forgets
    parsed = fastavro.parse_schema(schema)  # which writes every name in full
    assert isinstance(parsed, dict)
    assert described(written(schema)) == described(written(parsed))
