"""Validation: documents have exactly the structure of their class, key by key."""

import json
from dataclasses import MISSING, fields
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.curated_metadata import Governance, Owner
from lumos_snap.model.export import Export
from lumos_snap.model.observation import Metric
from lumos_snap.model.snapshot import Bucketing, Release, Schema, Snapshot, Storage
from lumos_snap.model.types import Field
from lumos_snap.schema import Holds, Value, document_of, keys_of, value_of
from lumos_snap.schema.fields import LARGEST_INTEGER
from lumos_snap.schema.validation import Misfit, misfits
from tests.strategies import LAW
from tests.strategies.documents import STORED, stored_classes

V = TypeVar("V", bound=Value)


def validated(raw: bytes, cls: type[V]) -> V:
    document = json.loads(raw)
    assert misfits(document, cls) == ()
    return value_of(document, cls)


CLASSES = sorted({inner for cls in (*STORED, Export) for inner in stored_classes(cls)}, key=str)
every_class = pytest.mark.parametrize("cls", STORED, ids=lambda cls: cls.__name__)


@every_class
def test_null_never_stands_for_an_absent_key(cls):
    for key in keys_of(cls):
        assert (key,) in [misfit.pointer[:1] for misfit in misfits({key: None}, cls)]


@every_class
def test_null_never_stands_for_an_absent_key_of_a_section(cls):
    sections = [key for key in keys_of(cls).values() if key.holds is Holds.OBJECT]
    for key in sections:
        for inner in keys_of(key.item or cls):
            found = misfits({key.name: {inner: None}}, cls)
            assert (key.name, inner) in [misfit.pointer[:2] for misfit in found]


@every_class
def test_a_key_is_known_by_its_exact_name(cls):
    for key in keys_of(cls):
        found = {misfit.pointer: misfit for misfit in misfits({key.upper() + "s": 1}, cls)}
        assert found[key.upper() + "s",].message == f"`{key.upper()}s` is not a known key"


@every_class
def test_a_key_with_one_letter_too_many_is_answered_with_the_right_one(cls):
    for key in keys_of(cls):
        found = {misfit.pointer: misfit for misfit in misfits({key + "x": 1}, cls)}
        assert found[key + "x",].hint == f"did you mean `{key}`?"


@every_class
def test_what_is_no_object_is_refused(cls):
    roots: list[object] = [[], "a", 1, None, True]
    for root in roots:
        (misfit,) = misfits(root, cls)
        assert misfit == Misfit((), "the document must be an object")


def test_the_attribute_of_a_reserved_word_is_no_key():
    column = {"to": "a", "from_": "b"}
    found = misfits(
        {"lineage": {"upstream": [{"urn": "lumos://s3/a", "columns": [column]}]}}, Snapshot
    )
    at = ("lineage", "upstream", 0, "columns", 0, "from_")
    assert {misfit.pointer: misfit.hint for misfit in found}[at] == "did you mean `from`?"


INTEGERS = [
    (Bucketing, "count", 0, True),
    (Bucketing, "count", LARGEST_INTEGER, True),
    (Bucketing, "count", LARGEST_INTEGER + 1, False),
    (Bucketing, "count", 2**64, False),
    (Bucketing, "count", -1, False),
    (Bucketing, "count", 1.0, False),
    (Bucketing, "count", "1", False),
    (Bucketing, "count", True, False),
    (Bucketing, "count", None, False),
    (Storage, "properties", {"a": LARGEST_INTEGER}, True),
    (Storage, "properties", {"a": -LARGEST_INTEGER}, True),
    (Storage, "properties", {"a": LARGEST_INTEGER + 1}, False),
    (Storage, "properties", {"a": [{"b": -LARGEST_INTEGER - 1}]}, False),
    (Storage, "properties", {"a": [{"b": 0.5}]}, False),
    (Storage, "properties", {"a": [{"b": [None, True, ""]}]}, True),
    (Storage, "options", {"a": "1"}, True),
    (Storage, "options", {"a": 1}, False),
]


@pytest.mark.parametrize(("cls", "key", "held", "is_right"), INTEGERS)
def test_numbers_are_integers_that_every_reader_keeps(cls, key, held, is_right):
    raw = json.dumps({"count": 1, key: held} if cls is Bucketing else {key: held}).encode()
    if is_right:
        assert document_of(validated(raw, cls))[key] == held
    else:
        assert misfits(json.loads(raw), cls)[0].pointer[0] == key


TEXTS = [
    (
        Metric,
        "value",
        ("0", "-1", "1.50", "10"),
        ("", "01", "1.", ".5", "+1", "1e3", "NaN", "1\n", "\u0661"),
    ),
    (
        Release,
        "schema_version",
        ("1.0.0", "0.0.1", "1.2.3-rc.1"),
        ("1", "1.0", "01.0.0", "v1.0.0", "1.0.0\n"),
    ),
    (
        Release,
        "released_at",
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00.123456789+02:00"),
        ("2024-01-31", "2024-01-31 10:00:00Z", "2024-01-31T10:00:00", "2024-01-31T10:00:00Z\n"),
    ),
    (Owner, "user", ("a", " ", "\n"), ("",)),
]


@pytest.mark.parametrize(("cls", "key", "right", "wrong"), TEXTS)
def test_texts_have_their_form(cls, key, right, wrong):
    base = {"name": "m"} if cls is Metric else {}
    for text in right:
        assert getattr(validated(json.dumps({**base, key: text}).encode(), cls), key) == text
    for text in wrong:
        assert (key,) in [misfit.pointer for misfit in misfits({**base, key: text}, cls)]


def test_a_set_of_words_holds_each_once():
    (misfit,) = misfits({"tags": ["a", "b", "a", "b"]}, Governance)
    assert misfit == Misfit(("tags",), "a, b stands there more than once")
    assert validated(b'{"tags": ["b", "a"]}', Governance).tags == ("a", "b")


def test_a_sequence_may_repeat_itself():
    assert validated(b'{"primary_key": ["a", "a"]}', Schema).primary_key == ("a", "a")


def test_all_misfits_are_found_at_once():
    found = misfits({"name": 1, "type": "X", "nullable": "no", "extra": 1}, Field)
    assert {misfit.pointer for misfit in found} == {("name",), ("type",), ("nullable",), ("extra",)}


WORDS = [
    ({"type": "STRNG"}, "`type` cannot be `STRNG`", "did you mean `STRING`?"),
    ({"type": "a" * 99}, f"`type` cannot be `{'a' * 40}`", "`lumos schema snapshot` lists all"),
    ({"unit": "sec"}, "`unit` must be one of 's', 'ms', ", ""),
    ({"unit": "daytime"}, "`unit` must be one of 's', 'ms', ", "did you mean `day-time`?"),
]


@pytest.mark.parametrize(("document", "message", "hint"), WORDS)
def test_a_misspelt_word_is_answered_with_the_right_one(document, message, hint):
    found = {misfit.pointer: misfit for misfit in misfits(document, Field)}
    misfit = found[tuple(document)]
    assert misfit.message.startswith(message)
    assert misfit.hint == hint


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_form_is_said_in_words(cls):
    """Nobody who edits a file should have to read a regular expression."""
    scalars = [key.scalar for key in keys_of(cls).values() if key.scalar is not None]
    assert [one for one in scalars if one.chars.pattern and not one.chars.form] == []


@every_class
def test_what_is_valid_stays_so_whatever_key_is_left_out_that_may_be(cls):
    @LAW
    @given(STORED[cls], st.data())
    def stays_valid(value, data):
        document: dict[str, Any] = document_of(value)
        optional = [
            f.name
            for f in fields(cls)
            if f.default is not MISSING or f.default_factory is not MISSING
        ]
        left = data.draw(st.lists(st.sampled_from(optional), unique=True))
        rest = {key: held for key, held in document.items() if key not in left}
        assert document_of(validated(json.dumps(rest).encode(), cls)) == rest

    stays_valid()
