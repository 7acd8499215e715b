"""Urns: identity that can be written down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.errors import LumosError
from lumos_snap.model.urn import Urn, parse_urn
from tests.strategies import SMALL
from tests.strategies.texts import odd_texts
from tests.strategies.urns import urns

WRITTEN = [
    ("lumos://s3/bucket/a", ("bucket", "a")),
    ("lumos://s3/a%2Fb", ("a/b",)),
    ("lumos://s3/100%25", ("100%",)),
    ("lumos://s3/%FF", ("\udcff",)),
    ("lumos://s3/é", ("é",)),
    ("lumos://s3/ ", (" ",)),
    ("lumos://s3/a%0Ab", ("a\nb",)),
    ("lumos://s3/..", ("..",)),
    ("lumos://s3/%23", ("#",)),
]
REFUSED = (
    "", "s3/a", "lumos:/s3/a", "LUMOS://s3/a", "lumos://", "lumos://s3", "lumos://s3/", "lumos://s3//a",
    "lumos://s3/a/", "lumos://S3/a", "lumos:///a", "lumos://3s/a", "lumos://s3/a%2fb", "lumos://s3/%61",
    "lumos://s3/a%", "lumos://s3/a%zz", "lumos://s3/a\n", "lumos://s3/a#b", "lumos://s3/a?b",
    "lumos://s3/%C3%A9", "lumos://s3/\udcff", "lumos://s3/\ud800", "lumos://s3/\udc41",
)  # fmt: skip


@pytest.mark.parametrize(("text", "parts"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_a_urn_is_written_and_read_alike(text, parts):
    assert str(Urn("s3", parts)) == text
    assert parse_urn(text) == Urn("s3", parts)


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_what_is_no_urn_or_another_spelling_is_refused(text):
    with pytest.raises(LumosError):
        parse_urn(text)


NAMELESS: tuple[tuple[str, ...], ...] = ((), ("",), ("a", ""), ("\ud800",), ("\udc41",))


@pytest.mark.parametrize("parts", NAMELESS, ids=ascii)
def test_what_nothing_stored_is_called_makes_no_urn(parts):
    with pytest.raises(LumosError):
        Urn("s3", parts)


def test_bytes_that_together_are_text_are_that_text():
    assert Urn("s3", ("\udcc3\udca9",)) == Urn("s3", ("é",))


def test_another_spelling_is_answered_with_the_right_one():
    with pytest.raises(LumosError) as caught:
        parse_urn("lumos://s3/%61")
    assert caught.value.hint == "write lumos://s3/a"


@SMALL
@given(urns)
def test_every_urn_comes_back_as_it_was_written(urn):
    assert parse_urn(str(urn)) == urn


@SMALL
@given(urns)
def test_a_written_urn_is_plain_text(urn):
    text = str(urn)
    assert text.encode().decode() == text
    assert len(text.splitlines()) == 1
    assert text.count("/") == 2 + len(urn.parts)


@SMALL
@given(st.one_of(st.text(), odd_texts).map("lumos://s3/{}".format))
def test_any_text_is_one_urn_or_is_refused(text):
    try:
        urn = parse_urn(text)
    except LumosError:
        return
    assert str(urn) == text
