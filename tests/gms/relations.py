"""Who points to whom: edges that stand in the copies which searches read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tests.gms import urns
from tests.gms.messages import Answer, Deed, Request, said
from tests.gms.search import page
from tests.gms.state import State

Json = Any
LINEAGE = "DownstreamOf"


class Edge(NamedTuple):
    """One entity points to another."""

    source: str
    kind: str
    target: str

    def as_json(self) -> dict[str, Json]:
        ends = {"source": self.source, "destination": self.target}
        told = {name: {"urn": one, "entityType": urns.entity_of(one)} for name, one in ends.items()}
        return {"relationshipType": self.kind, **told}


_TARGETS: Mapping[str, tuple[str, Callable[[Json], Iterable[str]]]] = {
    "upstreamLineage": (LINEAGE, lambda value: [one["dataset"] for one in value["upstreams"]]),
    "globalTags": ("TaggedWith", lambda value: [one["tag"] for one in value["tags"]]),
    "glossaryTerms": ("TermedWith", lambda value: [one["urn"] for one in value["terms"]]),
    "ownership": ("OwnedBy", lambda value: [one["owner"] for one in value["owners"]]),
    "domains": ("AssociatedWith", lambda value: value["domains"]),
    "container": ("IsPartOf", lambda value: [value["container"]]),
}


def _edges(state: State, kinds: str) -> Iterator[Edge]:
    wanted = frozenset(kinds.split(",")) if kinds else None
    for source, aspects in state.index.entities().items():
        for name in _TARGETS.keys() & aspects.keys():
            kind, targets = _TARGETS[name]
            if wanted is None or kind in wanted:
                yield from (Edge(source, kind, one) for one in targets(aspects[name].json()))


def related(state: State, request: Request) -> Deed:
    """GET `/openapi/relationships/v1/`: what points to an entity, or what it points to."""
    urn, is_incoming = request.query["urn"], request.query.get("direction") == "INCOMING"
    start = request.number("start", 0)

    def run() -> Answer:
        edges = sorted(_edges(state, request.query.get("relationshipTypes", "")))
        there = [one for one in edges if urn == (one.target if is_incoming else one.source)]
        shown = there[start : start + request.number("count", 200)]
        told = [
            {"urn": one.source if is_incoming else one.target, "relationshipType": one.kind}
            for one in shown
        ]
        counts = {"start": start, "count": len(shown), "total": len(there)}
        return said({**counts, "entities": told})

    return Deed(run)


def scroll(state: State, request: Request) -> Deed:
    """POST `/openapi/v3/relationship/scroll`; filters by urns only."""
    body = request.json() if request.body else {}
    sources, targets = _urns(body.get("sourceFilter")), _urns(body.get("destinationFilter"))
    kinds = request.query.get("relationshipTypes", "")

    def run() -> Answer:
        there = [
            one
            for one in _edges(state, kinds)
            if (sources is None or one.source in sources)
            and (targets is None or one.target in targets)
        ]
        return _page(request, {_name(one): one.as_json() for one in there})

    return Deed(run)


def lineage(state: State, request: Request) -> Deed:
    """POST `/openapi/v3/lineage/scroll`: edges between datasets with one of some urns at an end."""
    wanted = frozenset((request.json() if request.body else {}).get("urns") or ())

    def run() -> Answer:
        there = [one for one in _edges(state, LINEAGE) if not wanted or wanted & {*one}]
        told = {
            _name(one): {**one.as_json(), "upstream": one.target, "downstream": one.source}
            for one in there
        }
        return _page(request, told)

    return Deed(run)


def _name(edge: Edge) -> str:
    return "\n".join(edge)


def _page(request: Request, there: Mapping[str, Json]) -> Answer:
    shown, following = page(
        sorted(there), request.query.get("scrollId"), request.number("count", 10)
    )
    told = {"results": [there[one] for one in shown]}
    return said({**told, "scrollId": following} if following else told)


def _urns(rules: Json) -> frozenset[str] | None:
    """The urns that a filter names; None where it names none."""
    clauses = (rules or {}).get("and") or (rules or {}).get("or") or ()
    named = [
        rule["values"]
        for clause in clauses
        for rule in clause.get("criteria") or clause.get("and") or ()
        if rule["field"] == "urn"
    ]
    return frozenset(one for values in named for one in values) if named else None
