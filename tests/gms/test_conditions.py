"""Writes that hold on a condition: the heart of a sync that overwrites nobody."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from datahub.configuration.common import OperationalError

from tests.gms import Gms, running
from tests.gms.samples import CLICKS, GOLD, ORDERS, SILVER, proposal, tags

Connect = Callable[..., Any]
TAGS = "globalTags"


def test_a_version_that_is_still_there_lets_a_write_through(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="-1"))
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER), If_Version_Match="1"))
    assert (gms.version(CLICKS, TAGS), gms.value(CLICKS, TAGS)) == (2, tags(SILVER))


@pytest.mark.parametrize("wanted", ["-1", "2", "0", "01", "x"])
def test_any_other_version_stops_it(gms: Gms, graph: Any, wanted: str) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    with pytest.raises(OperationalError, match=f"Expected version {wanted}, actual version 1"):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER), If_Version_Match=wanted))
    assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_what_is_absent_has_the_version_minus_one(gms: Gms, graph: Any) -> None:
    with pytest.raises(OperationalError, match="Expected version 1, actual version -1"):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="1"))
    assert gms.dump() == {}


@pytest.mark.parametrize(("mode", "status"), [("openapi", 412), ("rest.li", 422)])
def test_each_mode_has_a_status_of_its_own(
    gms: Gms, connect: Connect, mode: str, status: int
) -> None:
    with pytest.raises(OperationalError) as raised:
        connect(gms, mode).emit_mcp(proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="7"))
    cause: Any = raised.value.__cause__
    assert cause.response.status_code == status
    assert gms.asked.writes()[0].status == status


def test_one_condition_that_fails_stops_the_whole_batch(gms: Gms, graph: Any) -> None:
    with pytest.raises(OperationalError):
        graph.emit_mcps(
            [
                proposal(CLICKS, TAGS, tags(GOLD)),
                proposal(ORDERS, TAGS, tags(GOLD), If_Version_Match="3"),
            ]
        )
    assert gms.dump() == {}


def test_conditions_hold_for_what_was_there_before_the_batch(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    both = [proposal(CLICKS, TAGS, tags(one), If_Version_Match="1") for one in (SILVER, GOLD)]
    graph.emit_mcps(both)
    assert gms.version(CLICKS, TAGS) == 3


def test_times_are_conditions_too(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    hour = timedelta(hours=1)
    before, after = (f"{datetime.now(UTC) + one:%Y-%m-%dT%H:%M:%SZ}" for one in (-hour, hour))
    for name, text in (("If-Unmodified-Since", before), ("If-Modified-Since", after)):
        with pytest.raises(OperationalError):
            graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER), **{name: text}))
    for name, text in (("If-Unmodified-Since", after), ("If-Modified-Since", before)):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(name), **{name: text}))
    assert gms.version(CLICKS, TAGS) == 3


def test_a_creation_gives_way_where_it_says_so(gms: Gms, connect: Connect) -> None:
    graph = connect(gms, "rest.li")
    one = proposal(CLICKS, TAGS, tags(GOLD))
    one.changeType = "CREATE"
    graph.emit_mcp(one)
    one.aspect = proposal(CLICKS, TAGS, tags(SILVER)).aspect
    with pytest.raises(OperationalError, match="exists already"):
        graph.emit_mcp(one)
    one.headers = {"If-None-Match": "*"}
    graph.emit_mcp(one)
    assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_an_edit_between_reading_and_writing_is_not_lost(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    gms.meanwhile = lambda _asked: gms.edit(CLICKS, TAGS, tags(SILVER))
    with pytest.raises(OperationalError, match="actual version 2"):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(), If_Version_Match="1"))
    assert gms.value(CLICKS, TAGS) == tags(SILVER)


def test_of_many_at_once_one_wins(gms: Gms, connect: Connect) -> None:
    """Each of eight adds itself where it saw the version; nobody is overwritten."""
    graphs = [connect(gms) for _ in range(8)]

    def add(graph: Any, name: str) -> None:
        while True:
            seen = graph.get_entities("dataset", [CLICKS], [TAGS], with_system_metadata=True)
            aspect, system = seen.get(CLICKS, {}).get(TAGS, (None, None))
            there = [one.tag for one in aspect.tags] if aspect else []
            version = system.version if system else "-1"
            wanted = proposal(CLICKS, TAGS, tags(*there, name), If_Version_Match=version)
            try:
                graph.emit_mcp(wanted)
            except OperationalError:
                continue
            return

    names = [f"urn:li:tag:{number}" for number in range(8)]
    threads = [threading.Thread(target=add, args=one) for one in zip(graphs, names, strict=True)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=30)
    assert sorted(one["tag"] for one in gms.value(CLICKS, TAGS)["tags"]) == names
    assert gms.version(CLICKS, TAGS) == 8


def test_what_was_written_before_versions_were_counted_has_the_first(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER)))
    gms.forget_versions(CLICKS)
    assert "version" not in gms.system(CLICKS, TAGS)
    with pytest.raises(OperationalError, match="Expected version 2, actual version 1"):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="2"))
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD), If_Version_Match="1"))
    assert gms.system(CLICKS, TAGS)["version"] == "2"


@pytest.mark.parametrize("mode", ["openapi", "rest.li"])
def test_a_server_that_counts_no_versions_keeps_to_no_condition(
    connect: Connect, mode: str
) -> None:
    with running(counts_versions=False) as gms:
        graph = connect(gms, mode)
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER), If_Version_Match="7"))
        assert gms.value(CLICKS, TAGS) == tags(SILVER)
        assert "version" not in gms.system(CLICKS, TAGS)
        assert [one.wrote[0].condition for one in gms.asked.writes()] == [None, "7"]
