"""Writing entities over OpenAPI v3."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tests.gms import urns
from tests.gms.entity_view import as_entity
from tests.gms.messages import Answer, Deed, Request, Wrote, said
from tests.gms.models import aspect_named, aspects_of
from tests.gms.refusals import Refusal, Why
from tests.gms.rows import Proposal, Row
from tests.gms.state import State, traced, wrote

Json = Any


def write(state: State, request: Request, entity: str) -> Deed:
    """POST and PATCH of a list of entities."""
    change = "PATCH" if request.method == "PATCH" else "UPSERT"
    body = request.json()
    entries = body if isinstance(body, list) else [body]
    return _writing(state, request, list(_proposals(entity, entries, change)))


def write_aspect(state: State, request: Request, entity: str, urn: str, aspect: str) -> Deed:
    """POST and PATCH of one aspect."""
    change = "PATCH" if request.method == "PATCH" else "UPSERT"
    if request.says("createIfNotExists", default=change != "PATCH") and change != "PATCH":
        change = "CREATE"
    entry = {"urn": urn, aspect: request.json()}
    return _writing(state, request, list(_proposals(entity, [entry], change)))


def _proposals(entity: str, entries: Iterable[Json], change: str) -> Iterator[Proposal]:
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(urn := entry.get("urn"), str):
            raise Refusal(Why.INVALID, "Missing required field: urn")
        if urns.check(urn) != entity:
            raise Refusal(Why.INVALID, f"Entity type mismatch: {urn} is no {entity}")
        for name, body in entry.items():
            if name == "urn" or body is None:
                continue
            if not isinstance(body, dict) or not isinstance(body.get("value"), dict):
                raise Refusal(Why.INVALID, f"Missing required field: {name}/value")
            yield Proposal(
                urn=urn,
                aspect=aspect_named(name, entity),
                value=body["value"],
                change=change,
                system=body.get("systemMetadata") or {},
                headers=body.get("headers") or {},
            )


def _writing(state: State, request: Request, proposals: Sequence[Proposal]) -> Deed:
    is_later = request.says("async", default=True)
    with_system = request.says("systemMetadata")

    def run() -> Answer:
        trace = state.traces.new()
        if not is_later:
            written = state.write(proposals, actor=request.actor, trace=trace)
            rows: dict[str, dict[str, Row]] = {}
            for one in written:
                rows.setdefault(one.urn, {})[one.aspect] = one.row
            told = [as_entity(urn, some, with_system=with_system) for urn, some in rows.items()]
            return traced(said(told), trace)
        state.traces.later(trace, proposals, request.actor)
        if request.method == "PATCH":
            return traced(Answer(202), trace)
        told = [{"urn": one.urn, one.aspect: {"value": one.value}} for one in proposals]
        return traced(said(told, 202), trace)

    half = lambda: state.half(proposals, actor=request.actor)  # noqa: E731 - said where it is used
    return Deed(run, wrote(proposals), half)


def delete(state: State, request: Request, entity: str, urn: str) -> Deed:
    """DELETE of an entity; of some aspects where they are named, of all but its key to clear it."""
    listed = [one for one in request.query.get("aspects", "").split(",") if one]
    names = [aspect_named(one, entity) for one in listed]
    if request.says("clear"):
        names = list(aspects_of(entity)[1:])
    urns.entity_of(urn)

    def run() -> Answer:
        if not names:
            state.store.delete(urn)
        for name in names:
            state.store.delete_aspect(urn, name)
        return Answer()

    return Deed(run, _deletes(urn, names))


def _deletes(urn: str, names: Sequence[str]) -> tuple[Wrote, ...]:
    if not names:
        return (Wrote(urn, None, "DELETE"),)
    return tuple(Wrote(urn, name, "DELETE") for name in names)


def delete_aspect(state: State, _request: Request, entity: str, urn: str, aspect: str) -> Deed:
    """DELETE of one aspect; of the key, it is the whole entity."""
    name = aspect_named(aspect, entity)

    def run() -> Answer:
        state.store.delete_aspect(urn, name)
        return Answer()

    return Deed(run, (Wrote(urn, name, "DELETE"),))
