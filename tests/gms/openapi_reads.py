"""Reading entities over OpenAPI v3: what was written, not a copy of it."""

from collections.abc import Mapping
from typing import Any

from tests.gms import urns
from tests.gms.entity_view import Wanted, as_aspect, as_entity, rows_of
from tests.gms.messages import Answer, Deed, Request, said
from tests.gms.models import aspect_named
from tests.gms.refusals import Refusal, Why
from tests.gms.state import State

Json = Any


def read_many(state: State, request: Request, entity: str) -> Deed:
    """POST of `batchGet`: a version of an aspect may be asked for by a header."""
    wanted = dict(_wanted(entity, one) for one in request.json())
    with_system = request.says("systemMetadata")

    def run() -> Answer:
        rows = ((urn, rows_of(state, urn, names)) for urn, names in wanted.items())
        return said([as_entity(urn, one, with_system=with_system) for urn, one in rows if one])

    return Deed(run)


def _wanted(entity: str, entry: Json) -> tuple[str, Wanted]:
    urns.entity_of(entry["urn"])
    return entry["urn"], {
        aspect_named(name, entity): _version((body or {}).get("headers") or {})
        for name, body in entry.items()
        if name != "urn"
    }


def _version(headers: Mapping[str, str]) -> int:
    asked = next((one for name, one in headers.items() if name.lower() == "if-version-match"), "0")
    if not asked.isdigit():
        raise Refusal(Why.INVALID, f"If-Version-Match: {asked} is no version")
    return int(asked)


def read(state: State, request: Request, entity: str, urn: str) -> Deed:
    """GET and HEAD of an entity."""
    listed = [one for one in request.query.get("aspects", "").split(",") if one]
    wanted = {aspect_named(name, entity): 0 for name in listed}
    urns.entity_of(urn)

    def run() -> Answer:
        rows = rows_of(state, urn, wanted)
        if not rows:
            return Answer(404, headers={"Not-Found-Reason": "ENTITY"})
        if request.method == "HEAD":
            return Answer(204)
        return said(as_entity(urn, rows, with_system=request.says("systemMetadata")))

    return Deed(run)


def read_aspect(state: State, request: Request, entity: str, urn: str, aspect: str) -> Deed:
    """GET and HEAD of one aspect."""
    wanted = {aspect_named(aspect, entity): request.number("version", 0)}

    def run() -> Answer:
        rows = rows_of(state, urn, wanted)
        if not rows:
            return Answer(404, headers={"Not-Found-Reason": "ASPECT"})
        if request.method == "HEAD":
            return Answer(204)
        row = next(iter(rows.values()))
        return said(as_aspect(row, with_system=request.says("systemMetadata")))

    return Deed(run)
