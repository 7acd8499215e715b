"""Reading over rest.li: aspects, entities, series and plain lists."""

from typing import Any

import orjson

from tests.gms import urns
from tests.gms.messages import Answer, Deed, Request, said
from tests.gms.models import aspect_named, full_name, key_of
from tests.gms.refusals import Refusal, Why
from tests.gms.restli import listed
from tests.gms.rows import SYSTEM, Row
from tests.gms.search import Query, found
from tests.gms.state import State

Json = Any


def aspect(state: State, request: Request, urn: str) -> Deed:
    """GET `/aspects/{urn}`: version 0 is the latest, and others are those before it."""
    name = aspect_named(request.query.get("aspect", ""), urns.entity_of(urn))
    version = request.number("version", 0)

    def run() -> Answer:
        row = state.store.older(urn, name, version) if version else state.store.row(urn, name)
        if row is None:
            raise Refusal(Why.ABSENT, f"Did not find urn: {urn} aspect: {name} version: {version}")
        told = {"version": version, "aspect": {full_name(name): orjson.Fragment(row.value)}}
        return said({**told, "systemMetadata": row.system})

    return Deed(run)


def entity(state: State, request: Request, urn: str) -> Deed:
    """GET `/entitiesV2/{urn}`: of what is not there it tells the key, and does not say so."""
    names = _wanted(request, urn)
    return Deed(lambda: said(_entity(state, urn, names)))


def entities(state: State, request: Request) -> Deed:
    """GET `/entitiesV2?ids=List(…)`: several of one kind."""
    asked = listed(request.query.get("ids", ""))
    names = _wanted(request, asked[0]) if asked else []

    def run() -> Answer:
        results = {urn: _entity(state, urn, names) for urn in asked}
        return said({"results": results, "statuses": {}, "errors": {}})

    return Deed(run)


def _wanted(request: Request, urn: str) -> list[str]:
    kind = urns.entity_of(urn)
    return [aspect_named(one, kind) for one in listed(request.query.get("aspects", ""))]


def _entity(state: State, urn: str, names: list[str]) -> Json:
    kind = urns.entity_of(urn)
    rows = state.store.aspects(urn)
    wanted = {*names, key_of(kind)} if names else set(rows)
    told = {name: _aspect(name, rows[name]) for name in sorted(wanted) if name in rows}
    told.setdefault(key_of(kind), _key(urn, key_of(kind)))
    return {"entityName": kind, "urn": urn, "aspects": told}


def _aspect(name: str, row: Row) -> Json:
    return {
        "name": name,
        "type": "VERSIONED",
        "version": 0,
        "value": orjson.Fragment(row.value),
        "created": row.stamp.as_json(),
        "systemMetadata": row.system,
    }


def _key(urn: str, name: str) -> Json:
    value = urns.key(urn)
    created = {"time": 0, "actor": SYSTEM}
    return {"name": name, "type": "VERSIONED", "version": 0, "value": value, "created": created}


def series(state: State, request: Request) -> Deed:
    """`aspects?action=getTimeseriesAspectValues`: the latest first."""
    body = request.json()
    urn, limit = body["urn"], int(body.get("limit", 10_000))
    name = aspect_named(body["aspect"], urns.entity_of(urn))
    clauses = [one.get("and", ()) for one in (body.get("filter") or {}).get("or", ())]
    since, until = body.get("startTimeMillis", 0), body.get("endTimeMillis", float("inf"))

    def run() -> Answer:
        rows = (
            row
            for row in state.store.series.latest_first(urn, name)
            if since <= row.json()["timestampMillis"] <= until and _passes(row, clauses)
        )
        values = [{"aspect": _generic(row)} for row in rows][:limit]
        told = {"entityName": body.get("entity"), "aspectName": name, "values": values}
        return said({"value": told})

    return Deed(run)


def _generic(row: Row) -> Json:
    return {"value": row.value.decode(), "contentType": "application/json"}


def _passes(row: Row, clauses: list[Json]) -> bool:
    value = row.json()
    return not clauses or any(
        all(str(value.get(rule["field"])) in map(str, rule["values"]) for rule in clause)
        for clause in clauses
    )


def urns_of(state: State, request: Request) -> Deed:
    """`entities?action=listUrns`."""
    body = request.json()

    def run() -> Answer:
        there = [one for one in state.store.urns() if urns.entity_of(one) == body["entity"]]
        start, count = int(body.get("start", 0)), int(body.get("count", 10))
        shown = there[start : start + count]
        told = {"start": start, "count": len(shown), "total": len(there), "entities": shown}
        return said({"value": told})

    return Deed(run)


def search(state: State, request: Request) -> Deed:
    """`entities?action=search`, from the copies."""
    body = request.json()
    clauses = [one.get("and", ()) for one in (body.get("filter") or {}).get("or", ())]
    query = Query(
        entities=frozenset({body["entity"]}), words=body.get("input", "*"), clauses=clauses
    )

    def run() -> Answer:
        there = found(state.index.entities(), query)
        start = int(body.get("start", 0))
        shown = there[start : start + min(int(body.get("count", 10)), state.wire.most_results)]
        told = {"from": start, "pageSize": len(shown), "numEntities": len(there)}
        return said({"value": {**told, "entities": [{"entity": one} for one in shown]}})

    return Deed(run)
