"""Whatever bytes a file holds, it is described or refused: soon, and in little memory."""

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.avro import probe as avro_probe
from lumos_snap.scan.formats.avro.schema import schema_of
from lumos_snap.scan.stores.store import BadFileError, RangedFile
from tests.scan.formats.avro.avro_files import (
    column,
    described,
    header,
    number,
    probed,
    record,
    text,
    written,
)
from tests.scan.formats.orc.descriptions import columns, field, problems

pytestmark = pytest.mark.slow  # bombs and floods take their time

MEMORY = 400 * 1024 * 1024
SECONDS = 2.0  # on a machine that does other work as well


def outcome(data: bytes) -> ProbeResult | str:
    """What is said of a file, or the reason for which nothing is; nothing else is raised."""
    try:
        found = probed(data)
    except BadFileError as refusal:
        return refusal.reason if refusal.detail else "nothing said"
    assert problems(schema_of(json.loads(found.schema)).schema) == ()
    return found


TOLD = record(
    {"name": "a", "type": ["null", {"type": "enum", "name": "e", "symbols": ["x"]}], "doc": "é"},
    {"name": "b", "type": {"type": "map", "values": {"type": "fixed", "name": "f", "size": 2}}},
    {"name": "c", "type": "e", "default": "x"},
)
WHOLE = written(TOLD, codec="deflate", metadata={"own": "x" * 50})


def test_a_file_that_is_cut_in_its_header_is_truncated() -> None:
    assert outcome(b"") == error_codes.EMPTY
    for length in range(1, len(WHOLE)):
        assert outcome(WHOLE[:length]) == error_codes.TRUNCATED


@settings(deadline=None, max_examples=500)
@given(st.lists(st.tuples(st.integers(4, len(WHOLE) - 1), st.integers(1, 255)), max_size=4))
def test_a_file_with_other_bytes_is_described_or_refused(flips: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for at, mask in flips:
        data[at] ^= mask
    outcome(bytes(data))


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
def test_random_bytes_are_described_or_refused(noise: bytes) -> None:
    outcome(avro_probe.MAGIC + noise)
    outcome(header(noise))


WORDS = st.sampled_from(
    [
        "type", "name", "fields", "items", "values", "symbols", "size", "record", "array", "map",
        "enum", "fixed", "int", "null", "logicalType", "decimal", "precision", "r", "namespace",
        "doc", "default", "aliases", "variant", "key", "value", "",
    ]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 20) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
NAMES = st.sampled_from(["r", "a.b", ".x", "e", "r."])


def likely(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What looks like a type, with anything in place of what it says besides."""
    more = st.dictionaries(
        WORDS.filter(lambda word: word not in ("type", "name")), JSON, max_size=2
    )
    fields = st.lists(st.fixed_dictionaries({"name": NAMES, "type": inner}), max_size=3)
    held = (
        st.fixed_dictionaries({"type": st.just("record"), "name": NAMES, "fields": fields})
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"type": st.just("map"), "values": inner})
        | st.fixed_dictionaries({"type": inner})
    )
    return st.lists(inner, max_size=3) | st.builds(lambda one, other: {**other, **one}, held, more)


TYPES = st.recursive(
    st.sampled_from(["int", "null", "string", "bytes", {"type": "fixed", "name": "e", "size": 16}])
    | NAMES,
    likely,
    max_leaves=10,
)


@settings(deadline=None, max_examples=300)
@given(JSON | TYPES)
def test_any_json_is_described_or_refused(schema: Any) -> None:
    outcome(header(schema))


NO_SCHEMAS: tuple[Any, ...] = (
    7,
    None,
    "",
    {},
    {"type": 7},
    {"type": "record", "name": "r"},
    {"type": "record", "fields": []},
    {"type": "record", "name": "r", "fields": [7]},
    {"type": "record", "name": "r", "fields": [{"name": "a"}]},
    {"type": "record", "name": "r", "fields": [{"type": "int"}]},
    {"type": "enum", "name": "e"},
    {"type": "enum", "name": "e", "symbols": [1]},
    {"type": "fixed", "name": "f", "size": "4"},
    {"type": "fixed", "name": "f", "size": -1},
    {"type": "fixed", "name": "f", "size": True},
    {"type": "array"},
    {"type": "map", "values": None},
    ["int", None],
)


@pytest.mark.parametrize("schema", NO_SCHEMAS, ids=str)
def test_json_that_is_no_schema_is_damaged(schema: Any) -> None:
    assert outcome(header(schema)) == error_codes.DAMAGED


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff", b'"int" x', b'"\\ud800"', b"[" + b"9" * 5000 + b"]"], ids=str
)
def test_what_is_no_json_is_damaged(raw: bytes) -> None:
    assert outcome(header(raw)) == error_codes.DAMAGED


def test_half_a_character_in_a_description_is_damaged() -> None:
    assert outcome(header(column("int", doc="\ud800"))) == error_codes.DAMAGED
    assert isinstance(outcome(header(column("int", doc="\U0001f600"))), ProbeResult)


def test_numbers_that_json_does_not_have_are_texts() -> None:
    raw = json.dumps(column("double", default=float("nan"))).replace("NaN", "%s").encode()
    for told, expected in ((b"NaN", '"NaN"'), (b"-Infinity", '"-Infinity"'), (b"1e999", '"1e999"')):
        assert field(described(header(raw % told)), "c").default == expected


def entries(
    *pairs: tuple[bytes, bytes], count: int | None = None, size: int | None = None
) -> bytes:
    block = b"".join(text(key) + text(held) for key, held in pairs)
    start = number(len(pairs) if count is None else count)
    return start + (b"" if size is None else number(size)) + block


INT = (b"avro.schema", b'"int"')
END = number(0) + bytes(16)


@pytest.mark.parametrize(
    "blocks",
    [
        entries(INT, (b"avro.codec", b"null")),
        entries((b"avro.codec", b"null")) + entries(INT),
        entries(INT, count=-1, size=20) + entries((b"x", b""), count=-1, size=4),
        entries((b"large", bytes(300_000))) + entries(INT),
        entries((b"\xff", b"")) + entries(INT),
    ],
    ids=["one block", "two", "with sizes", "longer than what is read at once", "odd keys"],
)
def test_headers_in_any_number_of_blocks(blocks: bytes) -> None:
    found = described(avro_probe.MAGIC + blocks + END)
    assert columns(found) == {"value": "INT32 NOT NULL"}


REFUSED = {
    "another magic": (b"Obj\x02" + entries(INT) + END, error_codes.DAMAGED),
    "no schema": (avro_probe.MAGIC + entries((b"avro.codec", b"null")) + END, error_codes.DAMAGED),
    "no entries": (avro_probe.MAGIC + END, error_codes.DAMAGED),
    "a negative length": (avro_probe.MAGIC + number(1) + number(-5) + END, error_codes.DAMAGED),
    "a number without end": (avro_probe.MAGIC + b"\xff" * 50, error_codes.DAMAGED),
    "a codec of other bytes": (header("int", codec=b"a\nb"), error_codes.DAMAGED),
    "a codec with a long name": (header("int", codec=b"a" * 65), error_codes.DAMAGED),
    "a length beyond the file": (
        avro_probe.MAGIC + number(1) + number(2**40),
        error_codes.TRUNCATED,
    ),
    "more entries than there are": (
        avro_probe.MAGIC + number(9000) + entries(INT)[1:],
        error_codes.TRUNCATED,
    ),
    "many entries": (avro_probe.MAGIC + number(2**62) + entries(INT)[1:], error_codes.TOO_LARGE),
    "a long key": (avro_probe.MAGIC + entries((b"k" * 2000, b"")) + END, error_codes.TOO_LARGE),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_files_that_cannot_be_read_have_a_reason(data: bytes, reason: str) -> None:
    assert outcome(data) == reason


def nest(levels: int, head: str, tail: str, inner: str = '"int"') -> bytes:
    return (head * levels + inner + tail * levels).encode()


BOMBS = {
    "arrays in arrays": nest(100_000, '{"type":"array","items":', "}"),
    "lists": nest(1_000_000, "[", "]", ""),
    "lists that do not end": b"[" * 900_000,
    "objects that do not end": b'{"a":' * 900_000,
    "a depth that is parsed": nest(450, '{"type":', "}"),
    "many branches": b"[" + b'"int",' * 2_700_000 + b'"int"]',
    "many objects": b"[" + b"{}," * 5_000_000 + b"{}]",
    "a long schema": b'"' + b"a" * avro_probe.SCHEMA_LIMIT + b'"',
}


@pytest.mark.parametrize("name", BOMBS)
def test_schemas_that_are_too_large_are_refused_soon(name: str) -> None:
    data = header(BOMBS[name])
    started = time.process_time()
    assert outcome(data) == error_codes.TOO_LARGE
    assert time.process_time() - started < SECONDS


LARGEST = {
    "branches": b"[" + b'"int",' * 490_000 + b'"int"]',
    "wrapped": b"[" + b'{"type":"int"},' * 245_000 + b'"int"]',
    "a description": json.dumps(column("int", doc="x" * 16_000_000)).encode(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_schemas_are_probed_soon_and_in_little_memory(name: str) -> None:
    data = header(LARGEST[name])
    started = time.process_time()
    assert isinstance(probed(data), ProbeResult)
    assert time.process_time() - started < SECONDS
    tracemalloc.start()
    try:
        probed(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEMORY


def test_what_a_length_claims_is_not_read() -> None:
    asked: list[int] = []
    start = avro_probe.MAGIC + number(1) + text(b"avro.schema") + number(2**45)

    def read(_offset: int, length: int) -> bytes:
        asked.append(length)
        return start.ljust(length, b"\0")

    with pytest.raises(BadFileError) as refusal:
        avro_probe.probe(RangedFile(2**50, read))
    assert refusal.value.reason == error_codes.TOO_LARGE
    assert asked == [64 * 1024]


@pytest.mark.parametrize("levels", [63, 64, 90])
def test_types_end_at_the_64th_level(levels: int) -> None:
    raw = nest(levels, '{"type":"array","items":["null",', "]}")
    found = described(header(raw))
    deepest = "INT32" if levels == 63 else "UNKNOWN('array')"
    assert columns(found) == {"value": "ARRAY<" * 63 + deepest + ">" * 63 + " NOT NULL"}
    assert len(found.notes) == (levels > 63)


def test_records_in_records_end_at_the_64th_level() -> None:
    kind: Any = "int"
    for level in range(80):
        kind = ["null", {**record(kind), "name": f"R{level}"}]
    found = described(header(column(kind)))
    expected = "STRUCT<c0: " * 63 + "UNKNOWN('record')" + ">" * 63
    assert columns(found) == {"c": expected}
    assert len(found.notes) == 1


def chain(levels: int, width: int, **more: Any) -> dict[str, Any]:
    """Records each of which holds the one before several times."""
    fields = []
    for level in range(levels):
        held = f"L{level - 1}" if level else "int"
        members = [{"name": f"f{index}", "type": held} for index in range(width)]
        made = {"type": "record", "name": f"L{level}", "fields": members, **more}
        fields.append({"name": f"c{level}", "type": made})
    return {"type": "record", "name": "r", "fields": fields}


def test_types_that_multiply_are_defined_once() -> None:
    found = described(header(chain(50, 2)))
    assert problems(found.schema) == ()
    assert [one.ref for one in found.schema.fields[:49]] == [f"L{number}" for number in range(49)]
    assert len(found.schema.definitions) == 49


def test_long_descriptions_that_multiply_are_stored_once() -> None:
    told = [{"name": f"c{index}", "type": "E"} for index in range(1000)]
    symbols = [f"s{index}" for index in range(5000)]
    told[0]["type"] = {"type": "enum", "name": "E", "symbols": symbols}  # type: ignore[assignment]
    found = described(header({"type": "record", "name": "r", "fields": told}))
    assert columns(found)["c999"] == "REF(E) NOT NULL"
    (definition,) = found.schema.definitions
    assert definition.symbols == tuple(symbols)


def test_a_few_types_that_multiply_a_little_are_written_out() -> None:
    found = described(header(chain(4, 3)))
    assert found.schema.definitions == ()


def test_a_chain_of_many_types_ends() -> None:
    found = described(header(chain(2000, 1)))
    assert problems(found.schema) == ()
    assert len(found.schema.definitions) == 1999


def test_what_is_defined_twice_is_what_it_was_first() -> None:
    inner = {**record("string"), "name": "P"}
    told = record(
        {"name": "a", "type": {**record("int"), "name": "P"}}, {"name": "b", "type": inner}
    )
    found = columns(described(header(told)))
    assert found["a"] == found["b"] == "STRUCT<c0: INT32 NOT NULL> NOT NULL"
