"""Lists of entities over OpenAPI v3, from the copies that searches read."""

from typing import Any

from tests.gms.entity_view import as_entity, rows_of
from tests.gms.messages import Answer, Deed, Request, said
from tests.gms.models import aspect_named, aspects_of, entities, is_entity
from tests.gms.refusals import Refusal, Why
from tests.gms.search import Query, found, page
from tests.gms.state import State
from tests.gms.urns import entity_of

Json = Any


def scroll(state: State, request: Request) -> Deed:
    """POST of `entity/scroll`: no `aspects` asks for urns only, an empty list for all."""
    body = request.json() if request.body else {}
    query = _query(request, body)
    aspects = body.get("aspects")
    count = min(request.number("count", 10), state.wire.most_results)

    def run() -> Answer:
        there = found(state.index.entities(), query)
        shown, following = page(there, request.query.get("scrollId"), count)
        told = {
            "entities": [_entity(state, request, urn, aspects) for urn in shown],
            "facets": [],
            "totalCount": len(there),
        }
        return said({**told, "scrollId": following} if following else told)

    return Deed(run)


def _query(request: Request, body: Json) -> Query:
    names = body.get("entities") or entities()
    for name in names:
        if not is_entity(name):
            raise Refusal(Why.INVALID, f"Failed to find entity with name {name} in EntityRegistry")
    rules = body.get("filter") or {}
    clauses = rules.get("or") or rules.get("and") or []
    orders = [one.get("order") for one in body.get("sortCriteria") or ()]
    part = request.number("sliceId", 0), request.number("sliceMax", 0)
    return Query(
        entities=frozenset(names),
        words=request.query.get("query", "*"),
        clauses=[one.get("criteria") or one.get("and") or [] for one in clauses],
        shows_removed=request.says("includeSoftDelete"),
        part=part if part[1] > 1 else None,
        is_descending=orders[:1] == ["DESCENDING"],
    )


def _entity(state: State, request: Request, urn: str, aspects: list[str] | None) -> Json:
    if aspects is None:
        return {"urn": urn}
    entity = entity_of(urn)
    may_have = {name.lower() for name in aspects_of(entity)}
    wanted = {aspect_named(one, entity): 0 for one in aspects if one.lower() in may_have}
    rows = rows_of(state, urn, wanted) if wanted or not aspects else {}
    return as_entity(urn, rows, with_system=request.says("systemMetadata"))
