"""Where data comes from, down to its columns, as DataHub shows it."""

from typing import Any

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


def edge(home: Home, name: str, *columns: tuple[str, str]) -> dict[str, Any]:
    pairs = [{"from": one, "to": two, "transformation": "CAST"} for one, two in columns]
    found = {"urn": home.our_urn(name), "type": "TRANSFORMED"}
    return {**found, **({"columns": pairs} if pairs else {})}


def lineage(*edges: dict[str, Any]) -> dict[str, Any]:
    return {"upstream": list(edges)}


@pytest.fixture
def pushed(home: Home) -> Home:
    home.put("clicks")
    home.put("users")
    columns = (("id", "id"), ("note", "note"))
    home.put("orders", lineage=lineage(edge(home, "clicks", *columns), edge(home, "users")))
    home.push()
    return home


def column(urn: str, name: str) -> str:
    return f"urn:li:schemaField:({urn},{name})"


def test_edges_and_columns_are_there(pushed: Home, hub: Hub) -> None:
    held = hub.value(pushed.urn("orders"), "upstreamLineage")
    upstream = {one["dataset"]: one["type"] for one in held["upstreams"]}
    assert upstream == {pushed.urn("clicks"): "TRANSFORMED", pushed.urn("users"): "TRANSFORMED"}
    fine = {(*one["upstreams"], *one["downstreams"]) for one in held["fineGrainedLineages"]}
    clicks, orders = pushed.urn("clicks"), pushed.urn("orders")
    assert fine == {(column(clicks, one), column(orders, one)) for one in ("id", "note")}
    assert pushed.is_settled()


def test_an_edge_that_somebody_drew_stays_and_one_that_git_takes_away_goes(
    pushed: Home, hub: Hub
) -> None:
    urn, drawn = pushed.urn("orders"), pushed.urn("drawn")
    more = {"dataset": drawn, "type": "COPY", "auditStamp": {"time": 1, "actor": JANE}}
    hub.edit(urn, "upstreamLineage", lambda held: {**held, "upstreams": [*held["upstreams"], more]})
    pushed.change("orders", lineage=lineage(edge(pushed, "users")))
    pushed.push()
    held = hub.value(urn, "upstreamLineage")
    assert {one["dataset"] for one in held["upstreams"]} == {drawn, pushed.urn("users")}
    assert held.get("fineGrainedLineages", []) == []


JANE = "urn:li:corpuser:jane.smith"


def test_what_others_come_from_is_not_deleted(pushed: Home, hub: Hub) -> None:
    pushed.remove("clicks")
    ran = pushed.sync("--apply", "--yes")
    assert ran.code == 1
    assert "still refers to it" in ran.out
    assert not hub.value(pushed.urn("clicks"), "status").get("removed")
