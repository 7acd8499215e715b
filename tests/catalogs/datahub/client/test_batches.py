"""What goes into one request: an entity whole, or nothing of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.datahub.client.batches import Proposal, Room, requests_for
from lumos_snap.catalogs.datahub.client.errors import FailedError
from tests.strategies import LAW

A, B = (
    "urn:li:dataset:(urn:li:dataPlatform:s3,a,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:s3,b,PROD)",
)
CHECK = "urn:li:assertion:one"


def proposals(*told: tuple[str, str, int]) -> list[Proposal]:
    """Proposals for some aspects, with values of some length."""
    return [
        Proposal(urn.split(":")[2], urn, aspect, {"text": "x" * length})
        for urn, aspect, length in told
    ]


def shown(room: Room, *told: tuple[str, str, int]) -> list[list[tuple[str, str]]]:
    return [
        [(one.proposal.urn, one.proposal.aspect) for one in some]
        for some in requests_for(proposals(*told), room)
    ]


def test_one_kind_of_entity_is_one_request_over_openapi_and_all_are_over_rest_li() -> None:
    told = ((A, "status", 1), (A, "globalTags", 1), (CHECK, "assertionInfo", 1))
    first, second = [(A, "status"), (A, "globalTags")], [(CHECK, "assertionInfo")]
    assert shown(Room(200, 10**6, is_openapi=True), *told) == [first, second]
    assert shown(Room(200, 10**6, is_openapi=False), *told) == [[*first, *second]]


def test_entities_are_never_cut_in_two() -> None:
    told = ((A, "one", 1), (A, "two", 1), (B, "one", 1), (B, "two", 1))
    for most in (2, 3):
        assert [len(one) for one in shown(Room(most, 10**6, is_openapi=True), *told)] == [2, 2]
    assert [len(one) for one in shown(Room(4, 10**6, is_openapi=True), *told)] == [4]
    assert [len(one) for one in shown(Room(9, 5_000, is_openapi=True), *told)] == [4]
    assert [len(one) for one in shown(Room(9, 4_000, is_openapi=True), *told)] == [2, 2]


@pytest.mark.parametrize("room", [Room(1, 10**6, is_openapi=True), Room(9, 3_000, is_openapi=True)])
def test_what_does_not_fit_is_refused_before_anything_else_is_sent(room: Room) -> None:
    with pytest.raises(FailedError, match=r"b,PROD\): .* two has") as caught:
        requests_for(proposals((A, "one", 1), (B, "one", 1), (B, "two", 2_000)), room)
    assert caught.value.is_refusal


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@LAW
@given(st.dictionaries(st.text(min_size=1), json_values), st.booleans())
def test_a_size_is_never_less_than_what_is_sent(value: dict[str, Any], is_openapi: bool) -> None:
    try:
        json.dumps(value).encode()
        one = Proposal("dataset", A, "datasetProperties", value)
        ((item,),) = requests_for([one], Room(200, 10**9, is_openapi))
    except TypeError:
        return  # half a character: no JSON
    if is_openapi:
        assert item.size >= len(json.dumps(value))
    else:
        assert item.size >= len(json.dumps(item.text.decode()))
