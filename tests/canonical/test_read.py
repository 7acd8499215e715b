"""Reading a stored document: a value, or problems with their places. Nothing is raised."""

import codecs
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.migrations.registry import STEPS
from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.canonical.rule_checks import TOO_DEEP
from lumos_snap.documents import Position
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import document_of
from tests.strategies import LAW, SMALL
from tests.strategies.documents import STORED
from tests.strategies.texts import short_texts
from tests.strategies.values import json_values

HEAD = (
    f'{{"lumos_version": "{FORMAT_VERSION}",\n"urn": "lumos://s3/a", "name": "a", "platform": "s3"'
)
MANY = "0" * 5000
LISTS = "[" * 1000 + "]" * 1000


def snapshot_with(more: str) -> bytes:
    """A snapshot whose third line this is."""
    return f"{HEAD},\n{more}}}".encode()


def column_with(more: str) -> str:
    """A schema whose only column is described on the next line."""
    return f'"schema": {{"fields": [\n{{"name": "a", {more}}}]}}'


# What the third line of a snapshot says, where that is wrong, and what is said of it.
WRONG = [
    ('"storag": {}', (3, 1), "`storag` is not a known key; did you mean `storage`?"),
    ('"xyz": 1', (3, 1), "`xyz` is not a known key"),
    ('"storage": {"fromat": "a"}', (3, 13), "`fromat` is not a known key; did you mean `format`?"),
    (
        '"ownership": {"owners": [{"usr": "a"}]}',
        (3, 27),
        "`usr` is not a known key; did you mean `user`?",
    ),
    (column_with('"type": "STRNG"'), (4, 1), "`nullable` is missing"),
    (
        column_with('"nullable": true, "type": "STRNG"'),
        (4, 33),
        "`type` cannot be `STRNG`; did you mean `STRING`?",
    ),
    (
        column_with('"nullable": true, "type": "xyz"'),
        (4, 33),
        "`type` cannot be `xyz`; `lumos schema snapshot` lists all",
    ),
    (
        '"contract": {"lifecycle": "stabel"}',
        (3, 14),
        "`lifecycle` must be one of 'draft', 'beta' or 'stable'; did you mean `stable`?",
    ),
    ('"governance": {"tags": ["a", 1]}', (3, 30), "item 2 of `tags` must be a string"),
    ('"schema": {"fields": [1]}', (3, 23), "item 1 of `fields` must be an object"),
    (
        '"contract": {"replaced_by": "s3/a"}',
        (3, 14),
        "`replaced_by` has not the form of a urn, lumos://platform/…/name",
    ),
    (
        '"contract": {"sunset": "soon"}',
        (3, 14),
        "`sunset` has not the form of a date such as 2026-01-15",
    ),
    (
        '"versioning": {"history": [{"schema_version": "2"}]}',
        (3, 29),
        "`schema_version` has not the form of a version such as 2.1.0",
    ),
    ('"environment": null', (3, 1), "`environment` must be a string"),
    ('"environment": ""', (3, 1), "`environment` must not be empty: leave the key out"),
    ('"storage": null', (3, 1), "`storage` must be an object"),
    ('"storage": {"sorting": null}', (3, 13), "`sorting` must be a list"),
    ('"storage": {"reader_version": "3"}', (3, 13), "`reader_version` must be an integer"),
    ('"storage": {"reader_version": 3.0}', (3, 13), "`reader_version` must be an integer"),
    ('"storage": {"reader_version": 1e2}', (3, 13), "`reader_version` must be an integer"),
    ('"storage": {"reader_version": true}', (3, 13), "`reader_version` must be an integer"),
    ('"storage": {"reader_version": -1}', (3, 13), "`reader_version` must be at least 0"),
    (f'"storage": {{"reader_version": {2**53 + 1}}}', (3, 13), f"must be at most {2**53}"),
    (f'"storage": {{"reader_version": 1{MANY[:40]}}}', (3, 13), "must be an integer within ±2^53"),
    ('"schema": {"inferred": 1}', (3, 12), "`inferred` must be true or false"),
    ('"properties": {"a": [0, 1.5]}', (3, 16), "1.5 is not an integer: write it as a string"),
    (
        f'"properties": {{"a": {-(2**53) - 1}}}',
        (3, 16),
        "holds a number beyond 2^53: write it as a string",
    ),
    (f'"properties": {{"a": 1{MANY[:29]}}}', (3, 16), "holds a number beyond 2^53"),
    (f'"properties": {{"a": 1{MANY}}}', (3, 21), "is not valid JSON"),
    (f'"properties": {{"a": {LISTS[800:1200]}}}', (3, 16), "nested over 100 levels deep"),
    (f'"properties": {{"a": {LISTS}}}', (3, 16), "nested over 100 levels deep"),
    ('"governance": {"tags": ["a", "b", "a"]}', (3, 16), "a stands there more than once"),
    (column_with('"type": "INT64"'), (4, 1), "`nullable` is missing"),
    (
        column_with('"nullable": true, "type": "DECIMAL", "precision": 3'),
        (4, 1),
        "DECIMAL has `precision` and `scale`, or neither",
    ),
    (column_with('"nullable": true, "type": "DATE", "length": 3'), (4, 1), "DATE has no `length`"),
    (
        column_with('"nullable": true, "type": "TIME", "unit": "day-time"'),
        (4, 1),
        "TIME has no unit `day-time`, only s, ms, us, ns",
    ),
    (
        '"ownership": {"owners": [{"type": "x"}]}',
        (3, 26),
        "an owner is either a `user` or a `group`",
    ),
    ('"versioning": {"schema_version": "1.0"}', (3, 16), "`schema_version` has not the form"),
    ('"versioning": {"schema_version": "1.0.0\\n"}', (3, 16), "`schema_version` has not the form"),
]


@pytest.mark.parametrize(("more", "place", "said"), WRONG, ids=[more[:50] for more, *_ in WRONG])
def test_what_is_wrong_is_said_where_it_stands(more, place, said):
    problem = read(snapshot_with(more), Snapshot).problems[0]
    assert said in f"{problem.message}; {problem.hint}"
    assert problem.place == Position(*place)


ROOTS = [
    (b"[]", "the document must be an object"),
    (b'"a"', "the document must be an object"),
    (b"null", "the document must be an object"),
    (b"{}", "`lumos_version` is missing"),
    (b"", "is empty"),
    (b'{"a":' * 5000 + b"1" + b"}" * 5000, "is not valid JSON"),
    (HEAD.encode(), "is not valid JSON"),
    (HEAD.replace(FORMAT_VERSION, "1.99.0").encode() + b"}", "has format 1.99.0, and this"),
    (HEAD.replace(FORMAT_VERSION, "2.0.0").encode() + b"}", "has format 2.0.0, and this"),
    (HEAD.replace(FORMAT_VERSION, "0.9.1").encode() + b"}", "has format 0.9.1, and this"),
    (HEAD.replace(FORMAT_VERSION, "one").encode() + b"}", "`lumos_version` has not the form of"),
]


@pytest.mark.parametrize(("raw", "said"), ROOTS, ids=[raw[:20].decode() for raw, _ in ROOTS])
def test_what_is_no_snapshot_at_all_is_refused(raw, said):
    reading = read(raw, Snapshot)
    assert reading.value is None
    assert reading.problems[0].message.startswith(said)


@pytest.mark.parametrize("number", [2**53, -(2**53), 0, -1])
def test_integers_up_to_2_53_are_kept(number):
    reading = read(snapshot_with(f'"properties": {{"a": {number}}}'), Snapshot)
    assert reading.problems == ()
    assert reading.value is not None
    assert reading.value.properties == {"a": number}


def test_minus_zero_is_zero():
    reading = read(snapshot_with('"properties": {"a": -0}'), Snapshot)
    assert_whole(reading)


def test_a_byte_order_mark_is_left_out():
    reading = read(codecs.BOM_UTF8 + snapshot_with('"environment": "DEV"'), Snapshot)
    assert reading.problems == ()
    assert reading.canonical is not None
    assert not reading.canonical.startswith(codecs.BOM_UTF8)


def test_a_second_byte_order_mark_is_refused():
    assert read(codecs.BOM_UTF8 * 2 + snapshot_with('"environment": "DEV"'), Snapshot).problems


def test_places_are_counted_without_the_byte_order_mark():
    (problem,) = read(codecs.BOM_UTF8 + b'{"lumos_version": 1}', Snapshot).problems[-1:]
    assert problem.place == Position(1, 2)


def test_a_key_that_stands_twice_is_a_problem_even_if_both_say_the_same():
    raw = snapshot_with('"properties": {"a": {"b": 1,\n "b": 1}}')
    (problem,) = read(raw, Snapshot).problems
    assert problem.message == "the key `b` stands there twice"
    assert problem.place == Position(4, 2)


def test_every_misfit_is_said():
    raw = snapshot_with('"environment": 1,\n"kind": "TABEL", "storage": {"format": 2}')
    problems = read(raw, Snapshot).problems
    assert [problem.place for problem in problems] == [
        Position(3, 1),
        Position(4, 1),
        Position(4, 30),
    ]


def test_a_field_of_150_levels_is_judged():
    """Deeper than the law allows, but not too deep to say so."""
    held: dict[str, Any] = {"type": "INT64", "nullable": True}
    for _ in range(149):
        held = {"type": "ARRAY", "nullable": True, "element": held}
    schema = {"fields": [{"name": "a", **held}]}
    problems = read(snapshot_with(f'"schema": {json.dumps(schema)}'), Snapshot).problems
    assert [problem.rule for problem in problems] == ["depth"]


@pytest.mark.parametrize("levels", [200, 300, 450])
def test_a_type_that_is_far_too_deep_is_refused_by_the_law_of_depth(levels):
    text = '{"type": "ARRAY", "nullable": true, "element": ' * levels + "{}" + "}" * levels
    raw = snapshot_with(f'"schema": {{"fields": [{{"name": "a", {text[1:]}]}}').replace(
        b"{}", b'{"type": "INT64", "nullable": true}'
    )
    problems = read(raw, Snapshot).problems
    assert {(p.rule, p.message) for p in problems} == {("depth", TOO_DEEP)}


def test_a_patch_of_the_format_is_read_by_all_that_know_the_format():
    reading = read(HEAD.replace(FORMAT_VERSION, "1.0.70").encode() + b"}", Snapshot)
    assert reading.problems == ()


def test_an_older_format_from_which_a_step_leads_on_is_said_to_be_upgraded(monkeypatch):
    raw = HEAD.replace(FORMAT_VERSION, "0.9.1").encode() + b"}"
    (problem,) = read(raw, Snapshot).problems
    assert problem.rule == "older-format"
    assert problem.hint == "no upgrade from this format is known: mend `lumos_version`"
    monkeypatch.setitem(STEPS, (0, 9), ((1, 0), lambda _kind, document: document))
    assert read(raw, Snapshot).problems[0].hint == "run `lumos snap migrate-format`"


def test_many_misfits_are_said_in_bounded_time():
    items = ",\n".join(["0"] * 50_000)
    problems = read(snapshot_with(f'"schema": {{"fields": [{items}]}}'), Snapshot).problems
    assert len(problems) == 101  # a hundred, and how many more there are
    assert problems[-1].place == Position(103, 1)
    assert problems[-1].message == "has 49,900 more problems"


@pytest.mark.slow
@pytest.mark.parametrize(
    "raw",
    [
        snapshot_with('"environment": "' + "x" * 100_000_000 + '"'),
        snapshot_with('"environment": "' + "x" * 100_000_000),
        snapshot_with('"environmen": "' + "é\n" * 30_000_000 + '"'),
        b"[" * 100_000_000,
        b"\xff" * 100_000_000,
        b"\n" * 100_000_000,
    ],
    ids=["sound", "broken off", "unknown key", "brackets", "no text", "empty"],
)
def test_a_hundred_megabytes_are_read_in_bounded_time(raw):
    started = time.monotonic()
    assert_whole(read(raw, Snapshot))
    assert time.monotonic() - started < 60


every_class = pytest.mark.parametrize("cls", STORED, ids=lambda cls: cls.__name__)


@every_class
def test_any_bytes_are_read_without_an_exception(cls):
    @SMALL
    @given(st.one_of(st.binary(), st.text().map(str.encode)))
    def is_read(raw):
        assert_whole(read(raw, cls))

    is_read()


@every_class
def test_any_json_is_read_without_an_exception(cls):
    @LAW
    @given(json_values)
    def is_read(document):
        assert_whole(read(json.dumps(document).encode(), cls))

    is_read()


@every_class
def test_a_document_with_broken_bytes_is_read_without_an_exception(cls):
    @LAW
    @given(STORED[cls], st.data())
    def is_read(value, data):
        raw = bytearray(encode(value))
        start = data.draw(st.integers(0, len(raw)))
        length = data.draw(st.integers(0, 4))
        raw[start : start + length] = data.draw(st.one_of(st.binary(max_size=3), _PIECES))
        assert_whole(read(bytes(raw), cls))

    is_read()


_PIECES = st.sampled_from(
    (b"null", b"{}", b"[]", b",", b'"', b"1.5", b"-", b"\\u0000", b"\\ud800", b":", b"}", b"]")
)


@every_class
def test_a_document_with_other_values_is_read_without_an_exception(cls):
    @LAW
    @given(STORED[cls], st.data())
    def is_read(value, data):
        document = document_of(value)
        change(document, data)
        assert_whole(read(json.dumps(document).encode(), cls))

    is_read()


def change(held: Any, data: st.DataObject) -> None:
    """Put something else somewhere in a document."""
    keys = list(held) if isinstance(held, dict) else list(range(len(held)))
    key = data.draw(st.sampled_from(keys)) if keys else None
    inner = held[key] if key is not None else None
    if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
        change(inner, data)
    elif isinstance(held, dict) and data.draw(st.booleans()):
        held[data.draw(short_texts)] = data.draw(json_values)
    elif key is not None:
        held[key] = data.draw(json_values)


def assert_whole(reading: ReadResult[Any]) -> None:
    """A reading says what is wrong, or has a value whose bytes are read as the same value."""
    for problem in reading.problems:
        assert problem.message
        assert problem.place.line >= 1
        assert problem.place.column >= 1
    assert (reading.value is None) == (reading.canonical is None)
    if reading.value is None or reading.canonical is None:
        assert reading.problems
        return
    again = read(reading.canonical, type(reading.value))
    assert again.value == reading.value
    assert again.canonical == reading.canonical == encode(reading.value)
