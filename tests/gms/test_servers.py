"""Servers of several kinds: who is let in, what is there, what is recorded."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from datahub.configuration.common import ConfigurationError, OperationalError
from datahub.ingestion.graph.config import ClientMode

from tests.gms import Gms, Wire, running
from tests.gms.samples import CLICKS, GOLD, JANE, ORDERS, SILVER, proposal, tags

Connect = Callable[..., Any]
TAGS = "globalTags"


@pytest.mark.parametrize("mode", ["openapi", "rest.li"])
@pytest.mark.parametrize("token", [None, "wrong"])
def test_without_the_token_nothing_is_told(connect: Connect, mode: str, token: str | None) -> None:
    with running(tokens={"right": JANE}) as gms:
        graph = connect(gms, mode, token=token)
        with pytest.raises(OperationalError):
            graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
        assert {one.status for one in gms.asked} == {401}
        assert gms.dump() == {}
        assert requests.get(f"{gms.url}/health", timeout=5).status_code == 200


def test_the_token_says_who_it_was(connect: Connect) -> None:
    with running(tokens={"a": "urn:li:corpuser:ann", "b": "urn:li:corpuser:bob"}) as gms:
        for token in "ab":
            one = proposal(CLICKS, TAGS, tags(f"urn:li:tag:{token}"))
            connect(gms, token=token).emit_mcp(one)
        system = gms.system(CLICKS, TAGS)
        assert system["aspectCreated"]["actor"] == "urn:li:corpuser:ann"
        assert system["aspectModified"]["actor"] == "urn:li:corpuser:bob"


@pytest.mark.parametrize("wire", [Wire(has_no_code=False), Wire(is_frontend=True)])
def test_the_front_end_is_not_the_server(connect: Connect, wire: Wire) -> None:
    with running(wire=wire) as gms:
        graph = connect(gms)
        with pytest.raises((ConfigurationError, requests.exceptions.JSONDecodeError)):
            graph.test_connection()


def test_the_front_end_leads_to_the_server(connect: Connect) -> None:
    with running(is_frontend=True) as gms:
        gms.url += "/api/gms"
        graph = connect(gms)
        graph.test_connection()
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
        assert gms.value(CLICKS, TAGS) == tags(GOLD)


def test_an_old_server_speaks_rest_li_only(connect: Connect) -> None:
    with running(version="v0.13.0", has_openapi=False) as gms:
        one = proposal(CLICKS, TAGS, tags(GOLD))
        with pytest.raises(OperationalError):
            connect(gms).emit_mcp(one)
        connect(gms, "rest.li").emit_mcp(one)
        assert gms.version(CLICKS, TAGS) == 1


@pytest.mark.parametrize(
    ("version", "env", "is_new"),
    [("v1.0.0", "core", False), ("v1.0.1", "core", True), ("v0.3.10", "prod", False)],
)
def test_the_version_decides_how_the_client_speaks(
    connect: Connect, version: str, env: str, is_new: bool
) -> None:
    with running(version=version, server_env=env) as gms:
        graph = connect(gms, openapi_ingestion=None, client_mode=ClientMode.SDK)
        graph.test_connection()
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
        assert gms.asked.writes()[0].path.startswith("/openapi") is is_new


def test_versions_of_a_set_follow_each_other(connect: Connect) -> None:
    versions = "urn:li:versionSet:(clicks,dataset)"
    path = f"/openapi/v3/entity/versioning/{versions}/relationship/versionOf"
    with running() as gms:
        told = requests.post(f"{gms.url}{path}/{CLICKS}", json={"label": "1"}, timeout=5)
        assert told.status_code == 500
    with running(has_versioning=True) as gms:
        session = connect(gms).session
        for label, urn in (("1", CLICKS), ("2", ORDERS)):
            assert session.post(f"{gms.url}{path}/{urn}", json={"label": label}).status_code == 200
        assert gms.value(versions, "versionSetProperties")["latest"] == ORDERS
        found = [gms.value(urn, "versionProperties") for urn in (CLICKS, ORDERS)]
        assert [(one["sortId"], one["isLatest"]) for one in found] == [
            ("AAAAAAAA", False),
            ("AAAAAAAB", True),
        ]
        assert session.delete(f"{gms.url}{path}/{CLICKS}").status_code == 400
        assert session.delete(f"{gms.url}{path}/{ORDERS}").status_code == 200


def test_what_is_nowhere_is_not_found(gms: Gms) -> None:
    for path in ("/nonsense", "/aspects?action=nonsense", "/openapi/v9/entity"):
        assert requests.get(f"{gms.url}{path}", timeout=5).status_code == 404


def test_a_second_run_that_writes_nothing_can_be_proven(gms: Gms, graph: Any) -> None:
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(GOLD)))
    first = gms.asked.writes()[0]
    assert (first.method, first.size > 0, len(first.digest)) == ("POST", True, 64)
    assert [(one.urn, one.aspect, one.value) for one in first.wrote] == [(CLICKS, TAGS, tags(GOLD))]
    gms.asked.clear()
    graph.exists(CLICKS)
    assert (gms.asked.writes(), len(gms.asked.reads())) == ([], 1)


def test_two_runs_that_did_the_same_hold_the_same(connect: Connect) -> None:
    held = []
    for mode in ("openapi", "rest.li"):
        with running() as gms:
            graph = connect(gms, mode)
            for names in ((GOLD,), (GOLD, SILVER)):
                graph.emit_mcp(proposal(CLICKS, TAGS, tags(*names)))
            held.append(gms.dump())
    assert held[0] == held[1]


@pytest.fixture
def address(root: Path) -> Iterator[str]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "tests.gms", "--port", "0", "--token", "right"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        assert process.wait(timeout=10) == 0


def test_a_process_of_its_own_is_steered_over_http(address: str, connect: Connect) -> None:
    control = f"{address}/lumos-test"

    def post(name: str, **body: Any) -> None:
        assert requests.post(f"{control}/{name}", json=body, timeout=5).status_code == 200

    there = Gms(url=address, tokens={"right": ""})
    graph = connect(there)
    post("edit", urn=CLICKS, aspect=TAGS, value=tags(GOLD))
    post("faults", kind="status", status=403, writes=True)
    post("set", latency=0.001, lag=0, delay=0)
    with pytest.raises(OperationalError):
        graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER)))
    graph.emit_mcp(proposal(CLICKS, TAGS, tags(SILVER)))
    asked = requests.get(f"{control}/asked", timeout=5).json()
    assert [one["status"] for one in asked] == [403, 200]
    assert asked[1]["wrote"][0]["value"] == tags(SILVER)
    dump = requests.get(f"{control}/dump", timeout=5).json()
    assert dump[CLICKS][TAGS] == {"version": 2, "value": tags(SILVER)}
    assert requests.get(f"{control}/nonsense", timeout=5).status_code == 404


def test_many_entities_are_quick(gms: Gms, connect: Connect) -> None:
    """No promise about time: only that nothing grows with what is stored."""
    graph = connect(gms)
    names = [f"{CLICKS[:-6]}{number},PROD)" for number in range(500)]
    graph.emit_mcps([proposal(one, TAGS, tags(GOLD)) for one in names])
    assert len(gms.asked.writes()) == 3
    body = [{"urn": one} for one in names]
    url = f"{gms.url}/openapi/v3/entity/dataset/batchGet?systemMetadata=true"
    assert len(graph.session.post(url, json=body).json()) == 500
