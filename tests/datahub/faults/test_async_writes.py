"""Writes that the server takes into its queue: each is waited for, and none is believed unseen."""

import pytest

from tests.datahub.conftest import LUMOS, TOKENS, WHO
from tests.datahub.home import Home
from tests.datahub.hub import Hub
from tests.gms import Gms, running

TRACE = "/openapi/v1/trace/write/"


@pytest.fixture
def mode() -> str:
    """Traces are told over OpenAPI only."""
    return "openapi"


@pytest.fixture
def later(home: Home) -> Home:
    home.settings(more=", asynchronous: true")
    for name in "abc":
        home.put(name, governance={"tags": ["raw"]})
    return home


def test_every_write_is_waited_for_by_its_trace(later: Home, gms: Gms) -> None:
    gms.delay = 0.1
    later.push()
    writes = gms.asked.writes()
    assert {one.query["async"] for one in writes} == {"true"}
    traces = {one.path.removeprefix(TRACE) for one in gms.asked if one.path.startswith(TRACE)}
    assert len(traces) == len(writes) == 3
    assert all(gms.version(later.urn(name), "globalTags") == 1 for name in "abc")
    assert later.is_settled()


def test_all_aspects_of_a_write_are_waited_for(later: Home, gms: Gms) -> None:
    """What DataHub's own client forgets: it asks for the last one of an entity."""
    later.push()
    asked = [one.question for one in gms.asked if one.path.startswith(TRACE)]
    for name in ("schemaMetadata", "datasetProperties", "globalTags"):
        assert sum(name in one for one in asked) >= 3


def test_a_write_that_is_rejected_later_is_noticed_and_named(later: Home, gms: Gms) -> None:
    later.push()
    later.change("b", governance={"tags": ["gold"]})
    later.change("c", governance={"tags": ["gold"]})
    gms.reject_later("globalTags", later.urn("b"))
    ran = later.sync("--apply", "--yes")
    assert ran.code == 3
    assert "1 written, 1 failed" in ran.out
    (line,) = [one for one in ran.out.splitlines() if "did not take globalTags" in one]
    assert "globalTags is not to be written" in line
    assert gms.version(later.urn("b"), "globalTags") == 1
    gms.reject_later(None)
    assert later.sync("--resume").code == 0
    assert later.is_settled()


def test_somebody_who_is_first_in_the_queue_is_not_written_over(later: Home, gms: Gms) -> None:
    later.push()
    urn = later.urn("b")
    gms.delay = 0.3
    later.change("b", governance={"tags": ["gold"]})
    theirs = {"tags": [{"tag": "urn:li:tag:raw"}, {"tag": "urn:li:tag:theirs"}]}
    done: list[object] = []

    def meanwhile(asked: object) -> None:
        if not done:
            done.append(asked)
            gms.edit(urn, "globalTags", theirs)

    gms.meanwhile = meanwhile
    later.push()
    tags = {one["tag"] for one in gms.value(urn, "globalTags")["tags"]}
    assert {"urn:li:tag:gold", "urn:li:tag:theirs"} <= tags


def test_a_trace_that_nobody_knows_is_looked_into(later: Home, gms: Gms) -> None:
    """The error of a write got lost: reading tells what became of it."""
    later.push()
    later.change("b", governance={"tags": ["gold"]})
    gms.reject_later("globalTags", later.urn("b"), is_told=False)
    ran = later.sync("--apply", "--yes")
    assert ran.code == 3
    assert "does not know what became of globalTags" in ran.out
    gms.reject_later(None)
    later.push()
    assert later.is_settled()


def test_traces_that_are_not_answered_are_asked_for_again(later: Home, gms: Gms) -> None:
    gms.faults.answer(503, path=TRACE, times=3)
    later.push()
    assert all(gms.version(later.urn(name), "globalTags") == 1 for name in "abc")


@pytest.mark.parametrize("status", [403, 404, 500])
def test_traces_that_cannot_be_asked_for_are_no_proof(later: Home, gms: Gms, status: int) -> None:
    gms.faults.answer(status, path=TRACE, times=None)
    later.push()
    assert all(gms.version(later.urn(name), "globalTags") == 1 for name in "abc")
    assert later.is_settled()


@pytest.mark.parametrize(
    ("wire", "mode_said"), [("v1.0.0", "auto"), ("v1.0.0", "openapi"), ("v1.4.0", "rest.li")]
)
def test_without_traces_nothing_is_written_so(
    home: Home, monkeypatch: pytest.MonkeyPatch, wire: str, mode_said: str
) -> None:
    monkeypatch.setenv(TOKENS[0], LUMOS)
    home.put("a")
    with running(tokens=WHO, version=wire) as gms:
        home.hub = Hub(gms.url, mode_said, "lake")
        home.settings(url=gms.url, more=", asynchronous: true")
        ran = home.sync("--apply", "--yes")
        assert ran.code == 2
        assert "does not tell what becomes of asynchronous writes" in ran.err
        assert gms.asked.writes() == []
