"""Schemas at random, the same for the same seed: of Arrow for most writers, and of Avro."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

Leaves = Sequence[Callable[[random.Random], pa.DataType]]

ZONES = ("UTC", "Europe/Berlin", "+02:00")
NAMES = (
    "id", "Id", "order id", "a.b", "größe", "`tick`", 'quo"te', "价格", "x-y", "_", "select", "1st",
    "with,comma", "é́", "A" * 90,
)  # fmt: skip


def _decimal(most: int) -> Callable[[random.Random], pa.DataType]:
    def make(chance: random.Random) -> pa.DataType:
        precision = chance.randint(1, most)
        return pa.decimal128(precision, chance.randint(0, precision))

    return make


PLAIN: Leaves = (
    lambda _: pa.bool_(),
    lambda _: pa.int32(),
    lambda _: pa.int64(),
    lambda _: pa.float32(),
    lambda _: pa.float64(),
    lambda _: pa.string(),
    lambda _: pa.date32(),
)
"""What every writer and reader knows."""

SMALL_INTEGERS: Leaves = (lambda _: pa.int8(), lambda _: pa.int16())
UNSIGNED: Leaves = (
    lambda _: pa.uint8(),
    lambda _: pa.uint16(),
    lambda _: pa.uint32(),
    lambda _: pa.uint64(),
)
BYTES: Leaves = (lambda _: pa.binary(),)
FIXED: Leaves = (lambda chance: pa.binary(chance.randint(1, 40)),)
DECIMALS: Leaves = (_decimal(38), _decimal(9), _decimal(18))
MICROS: Leaves = (lambda _: pa.timestamp("us"), lambda chance: pa.timestamp("us", "UTC"))
TIMES: Leaves = (
    lambda chance: pa.timestamp(chance.choice(("ms", "us", "ns"))),
    lambda chance: pa.timestamp(chance.choice(("ms", "us", "ns")), chance.choice(ZONES)),
    lambda _: pa.time32("ms"),
    lambda chance: pa.time64(chance.choice(("us", "ns"))),
)
ARROW_ONLY: Leaves = (
    lambda _: pa.float16(),
    lambda _: pa.large_string(),
    lambda _: pa.large_binary(),
    lambda _: pa.dictionary(pa.int32(), pa.string()),
    lambda _: pa.time32("s"),
    lambda _: pa.timestamp("s"),
)


def make_schema(
    chance: random.Random, leaves: Leaves, *, deepest: int = 3, nests: str = "alms"
) -> pa.Schema:
    """A schema of some columns; `nests` are the nested types: array, large list, map, struct."""
    count = chance.choice((1, 2, 3, 5, 8, 13, 60)) if chance.random() < 0.9 else 200
    names = _names(chance, count)
    return pa.schema([_field(chance, name, leaves, deepest, nests) for name in names])


def _names(chance: random.Random, count: int) -> list[str]:
    odd = chance.sample(NAMES, min(count, len(NAMES))) if chance.random() < 0.4 else []
    folded = {name.casefold() for name in odd}
    if len(folded) < len(odd):  # many readers ignore letter case
        odd = [name for name in odd if name != "Id"]
    return [odd[at] if at < len(odd) else f"c{at}" for at in range(count)]


def _field(chance: random.Random, name: str, leaves: Leaves, deepest: int, nests: str) -> pa.Field:
    return pa.field(name, _type(chance, leaves, deepest, nests), nullable=chance.random() < 0.8)


def _type(chance: random.Random, leaves: Leaves, deepest: int, nests: str) -> pa.DataType:
    if not deepest or not nests or chance.random() < 0.75:
        return chance.choice(leaves)(chance)
    inner = _type(chance, leaves, deepest - 1, nests)
    match chance.choice(nests):
        case "a":
            return pa.list_(inner)
        case "l":
            return pa.large_list(inner)
        case "m":
            return pa.map_(pa.string(), inner)
        case _:
            members = chance.randint(1, 4)
            return pa.struct(
                [_field(chance, f"m{at}", leaves, deepest - 1, nests) for at in range(members)]
            )


AVRO_LEAVES: tuple[Any, ...] = (
    "boolean", "int", "long", "float", "double", "bytes", "string",
    {"type": "int", "logicalType": "date"},
    {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "time-micros"},
    {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "long", "logicalType": "local-timestamp-millis"},
    {"type": "long", "logicalType": "local-timestamp-micros"},
    {"type": "string", "logicalType": "uuid"},
    {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3},
)  # fmt: skip


def make_avro_schema(chance: random.Random) -> dict[str, Any]:
    """A record with every kind of type; names of types are unique."""
    numbers = iter(range(10_000))
    fields = [
        {"name": f"c{at}", "type": _avro(chance, numbers, 3)}
        for at in range(chance.choice((1, 3, 8, 20)))
    ]
    return {"type": "record", "name": "Row", "namespace": "corpus", "fields": fields}


def _avro(chance: random.Random, numbers: Iterator[int], deepest: int) -> Any:
    kind = chance.choice("llll" + "nnefarmu" if deepest else "l")
    made = _AVRO_NESTED.get(kind)
    return chance.choice(AVRO_LEAVES) if made is None else made(chance, numbers, deepest - 1)


def _optional(chance: random.Random, numbers: Iterator[int], _deepest: int) -> Any:
    inner = _avro(chance, numbers, 0)
    return ["null", inner] if chance.random() < 0.7 else [inner, "null"]


def _record(chance: random.Random, numbers: Iterator[int], deepest: int) -> Any:
    fields = [
        {"name": f"m{at}", "type": _avro(chance, numbers, deepest)}
        for at in range(chance.randint(1, 3))
    ]
    return {"type": "record", "name": f"R{next(numbers)}", "fields": fields}


_AVRO_NESTED: Mapping[str, Callable[[random.Random, Iterator[int], int], Any]] = {
    "n": _optional,
    "r": _record,
    "a": lambda chance, numbers, deep: {"type": "array", "items": _avro(chance, numbers, deep)},
    "m": lambda chance, numbers, deep: {"type": "map", "values": _avro(chance, numbers, deep)},
    "e": lambda _chance, numbers, _deep: {
        "type": "enum", "name": f"E{next(numbers)}", "symbols": ["A", "B", "c"],
    },
    "f": lambda chance, numbers, _deep: {
        "type": "fixed", "name": f"F{next(numbers)}", "size": chance.randint(1, 20),
    },
    "u": lambda chance, _numbers, _deep: chance.choice(
        (["null", "int", "string"], ["boolean", "double"])
    ),
}  # fmt: skip
