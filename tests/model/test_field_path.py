"""Field paths: one way to write each, one way to read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.field_path import Part, Step, format_path, parse_path, walk
from lumos_snap.model.types import Element, Field, Kind, MapKey
from tests.strategies import LAW, SMALL
from tests.strategies.texts import odd_texts
from tests.strategies.types import types
from tests.strategies.urns import field_paths


def member(name, number=1):
    return Part(Step.MEMBER, name, number)


WRITTEN = [
    ("a.b", (member("a"), member("b"))),
    ("items[]", (member("items"), Part(Step.ELEMENT))),
    ("items[].sku", (member("items"), Part(Step.ELEMENT), member("sku"))),
    ("attrs{key}", (member("attrs"), Part(Step.KEY))),
    ("attrs{}[]", (member("attrs"), Part(Step.VALUE), Part(Step.ELEMENT))),
    ("payload<STRING>", (member("payload"), Part(Step.BRANCH, "STRING"))),
    ("payload<`a b`#3>.c", (member("payload"), Part(Step.BRANCH, "a b", 3), member("c"))),
    ("`a.b`.`c d`", (member("a.b"), member("c d"))),
    ("`it``s`", (member("it`s"),)),
    ("``", (member(""),)),
    ("``.``", (member(""), member(""))),
    ("id#2", (member("id", 2),)),
    *((f"id#{number}", (member("id", number),)) for number in (9, 10, 19, 20, 99, 100, 2000)),
    ("`id#2`", (member("id#2"),)),
]
REFUSED = ("", ".a", "a.", "a..b", "[]", "{key}", "<x>", "a b", "a[", "a[0]", "a{x}", "`a", "a`b`",
           "a#1", "a#0", "a#02", "a#", "#2", "a<>", "a[]b", "a\n", "a.[]")  # fmt: skip


@pytest.mark.parametrize(("text", "path"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_a_path_is_written_and_read_alike(text, path):
    assert format_path(path) == text
    assert parse_path(text) == path


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_path_is_refused(text):
    with pytest.raises(ValueError, match="field path"):
        parse_path(text)


@SMALL
@given(field_paths)
def test_every_path_comes_back_as_it_was_written(path):
    assert parse_path(format_path(path)) == path


@SMALL
@given(st.one_of(st.text(), odd_texts, st.text(alphabet="ab.`#[]{}<>key12")))
def test_any_text_is_one_path_or_is_refused(text):
    try:
        path = parse_path(text)
    except ValueError:
        return
    assert parse_path(format_path(path)) == path


@LAW
@given(st.lists(types(Field, 3, ("node",)), max_size=5))
def test_every_path_of_a_schema_is_its_own(fields):
    paths = [format_path(path) for path, _ in walk(fields)]
    assert len(set(paths)) == len(paths)
    assert [format_path(parse_path(path)) for path in paths] == paths


def test_walking_meets_parents_first_and_numbers_names_that_repeat():
    attrs = Field(
        name="attrs",
        type=Kind.MAP,
        nullable=True,
        key=MapKey(type=Kind.STRING),
        value=Element(type=Kind.INT64, nullable=True),
    )
    plain = Field(name="id", type=Kind.INT64, nullable=True)
    paths = [format_path(path) for path, _ in walk((plain, attrs, plain))]
    assert paths == ["id", "attrs", "attrs{key}", "attrs{}", "id#2"]
