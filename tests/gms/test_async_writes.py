"""What shows later: writes that wait, traces that tell of them, and copies that lag."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from datahub.configuration.common import TraceTimeoutError, TraceValidationError
from datahub.emitter.emit_mode import EmitMode

from tests.gms import Gms
from tests.gms.samples import CLICKS, GOLD, ORDERS, SILVER, proposal, tags

Connect = Callable[..., Any]
TAGS = "globalTags"
LONG = 3600.0


def test_what_is_written_later_is_not_there_yet(gms: Gms, graph: Any) -> None:
    gms.delay = LONG
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)), emit_mode=EmitMode.ASYNC)
    assert gms.dump() == {}
    gms.catch_up()
    assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_later_an_item_that_fails_is_lost_and_the_others_are_not(gms: Gms, graph: Any) -> None:
    gms.edit(CLICKS, TAGS, tags(SILVER))
    both = [
        proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="7"),
        proposal(ORDERS, TAGS, tags(GOLD)),
    ]
    graph.emit_mcps(both, emit_mode=EmitMode.ASYNC)
    gms.catch_up()
    assert gms.value(CLICKS, TAGS) == tags(SILVER)
    assert gms.value(ORDERS, TAGS) == tags(GOLD)


def test_a_trace_tells_what_became_of_it(gms: Gms, connect: Connect) -> None:
    graph = connect(gms)
    graph.test_connection()
    gms.edit(CLICKS, TAGS, tags(SILVER))
    gms.delay = LONG
    wanted = proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="7")
    trace = graph.emit_mcp(wanted, emit_mode=EmitMode.ASYNC)
    assert trace.data == {CLICKS: [TAGS]}

    def status() -> tuple[bool, str]:
        told = graph.get_trace_status(trace)[CLICKS][TAGS]
        return told["success"], told["primaryStorage"]["writeStatus"]

    assert status() == (True, "PENDING")
    gms.catch_up()
    assert status() == (False, "ERROR")


def test_a_client_can_wait_for_it(gms: Gms, connect: Connect) -> None:
    graph = connect(gms)
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)), emit_mode=EmitMode.ASYNC_WAIT)
    assert gms.value(CLICKS, TAGS) == tags(GOLD)
    refused = proposal(CLICKS, TAGS, tags(), If_Version_Match="7")
    with pytest.raises(TraceValidationError):
        graph.emit_mcp(refused, emit_mode=EmitMode.ASYNC_WAIT)


@pytest.mark.slow
def test_a_client_does_not_wait_for_ever(gms: Gms, connect: Connect) -> None:
    gms.delay = LONG
    graph = connect(gms)
    with pytest.raises(TraceTimeoutError):
        graph.emit_mcp(
            proposal(CLICKS, TAGS, tags()),
            emit_mode=EmitMode.ASYNC_WAIT,
            wait_timeout=timedelta(milliseconds=1),
        )


def test_a_write_that_was_overtaken_is_history(gms: Gms, connect: Connect) -> None:
    graph = connect(gms)
    graph.test_connection()
    trace = graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    gms.edit(CLICKS, TAGS, tags(SILVER))
    told = graph.get_trace_status(trace)[CLICKS][TAGS]
    assert told["primaryStorage"]["writeStatus"] == "HISTORIC_STATE"


def test_searches_lag_and_reads_do_not(gms: Gms, connect: Connect) -> None:
    graph = connect(gms)
    gms.lag = LONG
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    assert list(graph.get_entities("dataset", [CLICKS])) == [CLICKS]
    assert list(graph.get_urns_by_filter()) == []
    assert graph.scroll_entities().entities == {}
    gms.catch_up()
    assert list(graph.get_urns_by_filter()) == [CLICKS]
    graph.hard_delete_entity(CLICKS)
    assert list(graph.get_urns_by_filter()) == [CLICKS]


def test_a_write_may_wait_for_searches(gms: Gms, connect: Connect) -> None:
    graph = connect(gms)
    gms.lag = LONG
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)), emit_mode=EmitMode.SYNC_WAIT)
    assert list(graph.get_urns_by_filter()) == [CLICKS]


@pytest.mark.parametrize(("is_told", "status"), [(True, "ERROR"), (False, "UNKNOWN")])
def test_what_waits_can_be_refused_when_its_turn_comes(
    gms: Gms, connect: Connect, is_told: bool, status: str
) -> None:
    graph = connect(gms)
    graph.test_connection()
    gms.reject_later(TAGS, CLICKS, is_told=is_told)
    trace = graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)), emit_mode=EmitMode.ASYNC)
    gms.catch_up()
    told = graph.get_trace_status(trace)[CLICKS][TAGS]
    assert (told["success"], told["primaryStorage"]["writeStatus"]) == (False, status)
    assert gms.dump() == {}
