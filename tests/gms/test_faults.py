"""What goes wrong on the way: what is stored then, and what the client gets to see."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from datahub.configuration.common import OperationalError

from tests.gms import Fault, Gms, Kind
from tests.gms.samples import CLICKS, GOLD, ORDERS, SILVER, proposal, tags

Connect = Callable[..., Any]
TAGS = "globalTags"
ONE = proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="-1")


def _fails(graph: Any, *proposals: Any) -> Any:
    """What the client says of it, and the status that it saw, if any."""
    with pytest.raises(OperationalError) as raised:
        graph.emit_mcps(list(proposals) or [ONE])
    response = getattr(raised.value.__cause__, "response", None)
    return None if response is None else response.status_code


@pytest.mark.parametrize("status", [400, 403, 412, 429, 500, 502, 503, 504])
def test_any_status_can_be_answered_and_nothing_is_done(gms: Gms, graph: Any, status: int) -> None:
    gms.faults.answer(status)
    assert _fails(graph) == status
    assert gms.dump() == {}
    graph.emit_mcp(ONE)
    assert [one.status for one in gms.asked] == [status, 200]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_says_when_to_come_back(gms: Gms, connect: Connect, status: int) -> None:
    gms.faults.answer(status, after="0")
    connect(gms, retry_max_times=4).emit_mcp(ONE)
    assert [one.status for one in gms.asked] == [status, 200]
    assert gms.version(CLICKS, TAGS) == 1
    gms.faults.answer(status, after="7")
    told = connect(gms).session.get(f"{gms.url}/entitiesV2/{CLICKS}")
    assert (told.status_code, told.headers["Retry-After"]) == (status, "7")


def test_a_connection_that_ends_before_leaves_nothing(gms: Gms, graph: Any) -> None:
    gms.faults.cut_before()
    assert _fails(graph) is None
    assert gms.dump() == {}
    assert gms.asked.writes()[0].status == 0


@pytest.mark.parametrize("how", ["cut_after", "cut_inside"])
def test_a_connection_that_ends_after_leaves_everything(gms: Gms, graph: Any, how: str) -> None:
    getattr(gms.faults, how)()
    assert _fails(graph) is None
    assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_a_client_that_asks_again_meets_its_own_write(gms: Gms, connect: Connect) -> None:
    gms.faults.lose(502)
    assert _fails(connect(gms, retry_max_times=1)) == 412
    assert [one.status for one in gms.asked] == [502, 412]
    assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_a_server_that_dies_leaves_half_of_a_batch(gms: Gms, graph: Any) -> None:
    gms.faults.half()
    _fails(graph, proposal(CLICKS, TAGS, tags(GOLD)), proposal(ORDERS, TAGS, tags(GOLD)))
    assert list(gms.dump()) == [CLICKS]


def test_one_aspect_is_never_taken(gms: Gms, graph: Any) -> None:
    gms.faults.reject("ownership")
    graph.emit_mcp(ONE)
    owner = {"owners": [{"owner": "urn:li:corpuser:jdoe", "type": "DATAOWNER"}]}
    for _ in range(2):
        assert _fails(graph, proposal(CLICKS, "ownership", owner)) == 400
    assert gms.value(CLICKS, "ownership") is None


@pytest.mark.parametrize(("mode", "status"), [("openapi", 412), ("rest.li", 422)])
def test_a_write_can_be_too_late_again_and_again(
    gms: Gms, connect: Connect, mode: str, status: int
) -> None:
    graph = connect(gms, mode)
    fault = gms.faults.stale(times=None)
    assert [_fails(graph) for _ in range(3)] == [status] * 3
    assert (fault.happened, gms.dump()) == (3, {})


def test_somebody_is_first(gms: Gms, graph: Any) -> None:
    gms.faults.edit(CLICKS, TAGS, tags(SILVER))
    _fails(graph)
    assert gms.value(CLICKS, TAGS) == tags(SILVER)
    assert gms.system(CLICKS, TAGS)["aspectModified"]["actor"] == "urn:li:corpuser:jdoe"


def test_answers_are_late(gms: Gms, graph: Any) -> None:
    gms.faults.delay(0.05, writes=True)
    start = time.perf_counter()
    graph.emit_mcp(ONE)
    gms.latency = 0.05
    graph.exists(CLICKS)
    assert time.perf_counter() - start >= 0.1


@pytest.mark.parametrize(
    ("fit", "hit"),
    [
        ({"at": [1, 3]}, [1, 3]),
        ({"skip": 2}, [2, 3]),
        ({"urn": ORDERS}, [1, 3]),
        ({"aspect": TAGS}, [0, 1]),
        ({"aspect": "ownership"}, []),
        ({"method": "GET"}, []),
        ({"path": "/(aspects|openapi)"}, [0, 1, 2, 3]),
        ({"writes": False}, []),
        ({"when": lambda asked: asked.wrote[0].value == {"removed": True}}, [2, 3]),
        ({"times": 1}, [0]),
    ],
)
def test_faults_fit_some_requests(gms: Gms, graph: Any, fit: Any, hit: list[int]) -> None:
    gms.faults.add(Fault(kind=Kind.STATUS, **{"times": None, **fit}))
    for aspect, value in ((TAGS, tags(GOLD)), ("status", {"removed": True})):
        for urn in (CLICKS, ORDERS):
            try:
                graph.emit_mcp(proposal(urn, aspect, value))
            except OperationalError:
                continue
    assert [one.number for one in gms.asked if one.status == 503] == hit


def test_the_first_fault_that_fits_is_taken(gms: Gms, graph: Any) -> None:
    gms.faults.answer(500)
    gms.faults.answer(403)
    assert [_fails(graph), _fails(graph)] == [500, 403]
    gms.faults.answer(500)
    gms.faults.clear()
    graph.emit_mcp(ONE)


@pytest.mark.parametrize("mode", ["openapi", "rest.li"])
def test_what_reads_a_spoilt_entity_fails_and_what_reads_another_does_not(
    gms: Gms, connect: Connect, mode: str
) -> None:
    graph = connect(gms, mode)
    graph.emit_mcps([proposal(one, TAGS, tags(GOLD)) for one in (CLICKS, ORDERS)])
    gms.faults.unreadable(CLICKS)
    for urns, is_good in (([ORDERS], True), ([CLICKS, ORDERS], False), ([ORDERS], True)):
        if mode == "openapi":
            asked = [{"urn": urn, TAGS: {}} for urn in urns]
            path = "/openapi/v3/entity/dataset/batchGet"
            answer = graph.session.post(f"{gms.url}{path}", json=asked)
        else:
            listed = ",".join(quote(urn, safe="") for urn in urns)
            answer = graph.session.get(f"{gms.url}/entitiesV2?ids=List({listed})")
        assert answer.ok is is_good
        assert gms.asked.reads()[-1].ended >= gms.asked.reads()[-1].began > 0
