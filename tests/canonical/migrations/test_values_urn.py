"""Urns of older documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.migrations.values import parse_legacy_urn
from lumos_snap.canonical.rule_checks import displayable_name
from lumos_snap.model.urn import Urn, parse_urn


@pytest.mark.parametrize(
    ("older", "today"),
    [
        ("lumos://kafka/events.customer_signup", "lumos://kafka/events.customer_signup"),
        ("urn:li:dataset:(csv,user_data,PROD)", "lumos://csv/user_data"),
        ("urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD)", "lumos://hive/db/t"),
        ("urn:li:dataset:(urn:li:dataPlatform:kafka,a.b,PROD)", "lumos://kafka/a.b"),
        ("urn:li:dataset:(urn:li:dataPlatform:s3,lake/raw/x,DEV)", "lumos://s3/lake/raw/x"),
        ("urn:li:dataset:(urn:li:dataPlatform:s3,a%2Cb %28c%29,DEV)", "lumos://s3/a,b (c)"),
        ("lumos://s3/a#b", "lumos://s3/a%23b"),
        ("lumos://s3/a%2fb", "lumos://s3/a%2Fb"),
        ("lumos://s3/50%", "lumos://s3/50%25"),
    ],
)
def test_an_older_urn_says_no_more_than_todays(older: str, today: str):
    found = parse_legacy_urn(older)
    assert found is not None
    assert (found.urn, found.is_exact) == (today, True)


@pytest.mark.parametrize(
    ("older", "today"),
    [("lumos://S3/a", "lumos://s3/a"), ("lumos://s3/a//b/", "lumos://s3/a/b")],
)
def test_an_older_urn_that_says_more_is_told(older: str, today: str):
    found = parse_legacy_urn(older)
    assert found is not None
    assert (found.urn, found.is_exact) == (today, False)


@pytest.mark.parametrize(
    "nothing",
    ["", "lumos://", "lumos://s3", "lumos://s3/", "lumos:///a", "lumos://é/a", "s3://a/b",
     "urn:li:dataset:()", "urn:li:dataset:(,,)", "urn:li:dataset:(csv,/,PROD)", None, 5, ["a"]],
)  # fmt: skip
def test_what_is_no_urn_names_nothing(nothing: object):
    assert parse_legacy_urn(nothing) is None


@given(st.text(max_size=30))
def test_every_found_urn_is_well_written(text: str):
    for older in (f"lumos://s3/{text}", f"urn:li:dataset:(hive,{text},PROD)"):
        found = parse_legacy_urn(older)
        if found is not None:
            urn = parse_urn(found.urn)
            assert (found.platform, found.name) == (urn.platform, displayable_name(urn))


@given(st.lists(st.binary(min_size=1), min_size=1))
def test_todays_urns_stay_as_they_are(parts: list[bytes]):
    names = tuple(part.decode("utf-8", "surrogateescape") for part in parts)
    today = str(Urn("s3", names))
    found = parse_legacy_urn(today)
    assert found is not None
    assert (found.urn, found.is_exact) == (today, True)
