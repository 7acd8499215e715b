"""Writing over rest.li: proposals with their values as text, and deleting."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tests.gms import urns
from tests.gms.messages import Answer, Deed, Request, Wrote, said
from tests.gms.models import aspect_named, is_series
from tests.gms.refusals import Refusal, Why
from tests.gms.rows import Proposal
from tests.gms.state import State, traced, wrote

Json = Any
PATCH_TYPE = "application/json-patch+json"


def ingest(state: State, request: Request) -> Deed:
    """`ingestProposal` and `ingestProposalBatch`; what is dropped is not told of."""
    body = request.json()
    told = body["proposals"] if "proposals" in body else [body.get("proposal")]
    proposals = [_proposal(one) for one in told]
    is_later = str(body.get("async", "false")).lower() == "true"

    def run() -> Answer:
        trace = state.traces.new()
        if is_later:
            state.traces.later(trace, proposals, request.actor)
        else:
            state.write(proposals, actor=request.actor, trace=trace, drops=True)
        return traced(said({"value": "success"}), trace)

    return Deed(run, wrote(proposals), lambda: state.half(proposals, actor=request.actor))


def _proposal(told: Json) -> Proposal:
    if not isinstance(told, dict) or not isinstance(told.get("entityUrn"), str):
        raise Refusal(Why.INVALID, "Failed to validate a proposal: no entityUrn")
    entity = urns.entity_of(told["entityUrn"])
    if told.get("entityType") != entity:
        raise Refusal(Why.INVALID, f"Entity type mismatch: {told.get('entityType')} is no {entity}")
    aspect = told.get("aspect") or {}
    change = str(told.get("changeType", "UPSERT"))
    if (change == "PATCH") != (aspect.get("contentType") == PATCH_TYPE):
        raise Refusal(Why.INVALID, f"Unsupported content type {aspect.get('contentType')}")
    return Proposal(
        urn=told["entityUrn"],
        aspect=aspect_named(str(told.get("aspectName")), entity),
        value=_value(aspect.get("value")),
        change=change,
        system=told.get("systemMetadata") or {},
        headers=told.get("headers") or {},
    )


def _value(text: Json) -> Json:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, TypeError) as exc:
        raise Refusal(Why.INVALID, f"Invalid JSON in a proposal: {exc}") from exc


def delete(state: State, request: Request) -> Deed:
    """`entities?action=delete`: an entity, or points of a series of it."""
    body = request.json()
    urn = body["urn"]
    aspect = body.get("aspectName")
    name = aspect_named(aspect, urns.entity_of(urn)) if aspect else None
    if name is not None and not is_series(name):
        raise Refusal(Why.INVALID, f"{name} is no series")

    def run() -> Answer:
        if name is None:
            rows, points = state.store.delete(urn)
        else:
            rows, points = 0, state.store.series.delete(urn, name)
        return said({"value": {"urn": urn, "rows": rows, "timeseriesRows": points}})

    return Deed(run, (Wrote(urn, name, "DELETE"),))


def delete_references(state: State, request: Request) -> Deed:
    """`entities?action=deleteReferences`: where a urn stands, and with no dry run, away with it."""
    body = request.json()
    urn, is_dry = body["urn"], bool(body.get("dryRun"))
    urns.entity_of(urn)

    def run() -> Answer:
        there = _references(state, urn)
        related = [{"entity": one, "aspect": name} for one, name in there]
        if not is_dry:
            _forget(state, urn, there, request.actor)
        return said({"value": {"total": len(there), "relatedAspects": related[:10]}})

    return Deed(run, () if is_dry else (Wrote(urn, None, "DELETE REFERENCES"),))


def _references(state: State, urn: str) -> list[tuple[str, str]]:
    wanted = orjson.dumps(urn)
    return [
        (one, name)
        for one in state.store.urns()
        if one != urn
        for name, row in state.store.aspects(one).items()
        if wanted in row.value
    ]


def _forget(state: State, urn: str, there: Sequence[tuple[str, str]], actor: str) -> None:
    for one, name in there:
        row = state.store.row(one, name)
        if row is not None:
            value = _without(row.json(), urn)
            state.store.write([Proposal(urn=one, aspect=name, value=value)], actor=actor)


def _without(value: Json, urn: str) -> Json:
    if isinstance(value, Mapping):
        return {key: _without(one, urn) for key, one in value.items() if urn not in (key, one)}
    if isinstance(value, list):
        return [_without(one, urn) for one in value if not _names(one, urn)]
    return value


def _names(item: Json, urn: str) -> bool:
    return item == urn or (isinstance(item, Mapping) and urn in item.values())
