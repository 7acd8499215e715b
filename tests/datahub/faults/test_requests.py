"""How often the server is asked, as it counted itself."""

import itertools
import math

import pytest

from lumos_snap.tree.files import PORTION
from tests.datahub.home import Home
from tests.gms import Gms

MANY = 250
HELLO = 1
"""`/config`: who the server is."""


def put_many(home: Home, count: int = MANY, **sections: object) -> None:
    for number in range(count):
        home.put(f"t{number:03}", governance={"tags": ["raw"]}, **sections)


def reads(mode: str, count: int = MANY) -> int:
    """The most requests that read so many datasets: over rest.li, urns stand in the address."""
    return math.ceil(count / PORTION) if mode == "openapi" else math.ceil(count / 60)


@pytest.fixture
def pushed(home: Home, gms: Gms) -> Home:
    put_many(home)
    home.push()
    gms.asked.clear()
    return home


def test_a_first_push_writes_each_dataset_once_and_reads_all_of_them_twice(
    home: Home, gms: Gms, mode: str
) -> None:
    put_many(home)
    home.push()
    assert len(gms.asked.writes()) == MANY
    assert len(gms.asked) <= HELLO + MANY + 2 * reads(mode)


def test_checks_cost_one_request_more_over_openapi_and_none_over_rest_li(
    home: Home, gms: Gms, mode: str
) -> None:
    put_many(home, 10, quality={"checks": [{"name": "one"}, {"name": "two"}]})
    home.push()
    assert len(gms.asked.writes()) == (20 if mode == "openapi" else 10)


def test_a_plan_with_nothing_to_do_is_a_few_reads(pushed: Home, gms: Gms, mode: str) -> None:
    assert pushed.is_settled()
    assert len(gms.asked.writes()) == 0
    assert len(gms.asked) <= HELLO + reads(mode)


def test_a_second_apply_sends_no_write(pushed: Home, gms: Gms, mode: str) -> None:
    before = gms.dump()
    pushed.push()
    assert gms.asked.writes() == []
    assert len(gms.asked) <= HELLO + reads(mode)
    assert gms.dump() == before


def test_what_changed_is_looked_at_once_more_written_once_and_read_back(
    pushed: Home, gms: Gms, mode: str
) -> None:
    pushed.change("t007", governance={"tags": ["raw", "gold"]})
    pushed.push()
    (write,) = gms.asked.writes()
    assert [(one.urn, one.aspect) for one in write.wrote] == [(pushed.urn("t007"), "globalTags")]
    assert len(gms.asked) <= HELLO + reads(mode) + 3


def test_no_dataset_has_two_writes_under_way(home: Home, gms: Gms) -> None:
    gms.latency = 0.01
    put_many(home, 30, quality={"checks": [{"name": "one"}]})
    home.push()
    for number in range(30):
        home.change(f"t{number:03}", governance={"tags": ["gold"]}, quality=None)
    home.push()
    spans: dict[str, list[tuple[float, float]]] = {}
    for asked in gms.asked.writes():
        for urn in {one.urn for one in asked.wrote}:
            spans.setdefault(urn, []).append((asked.began, asked.ended))
    assert len(spans) == 60
    for some in spans.values():
        inorder = sorted(some)
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(inorder))
    every = sorted(span for some in spans.values() for span in some)
    assert any(one[1] > two[0] for one, two in itertools.pairwise(every)), "one by one"


def test_every_aspect_is_written_on_a_condition(home: Home, gms: Gms, mode: str) -> None:
    home.put("t", governance={"tags": ["raw"]}, quality={"checks": [{"name": "one"}]})
    home.put("u")
    home.push()
    assert {one.change for one in gms.asked.written()} == {"UPSERT"}
    assert {one.condition for one in gms.asked.written()} == {"-1"}
    gms.asked.clear()
    home.change("t", governance={"tags": ["gold"]}, quality=None)
    home.push()
    assert {one.condition for one in gms.asked.written() if one.aspect != "status"} == {"1"}
    home.remove("t")
    home.push()
    assert None not in {one.condition for one in gms.asked.written()}
