"""The few questions in GraphQL that DataHub's package asks."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.gms.messages import Answer, Deed, Request, said
from tests.gms.models import entities
from tests.gms.search import Query, found, page
from tests.gms.state import State

Json = Any
_FLAGS = ("includeSoftDeleted", "skipCache", "includeHiddenLifecycleStages", "includeDraft")


def answer(state: State, request: Request) -> Deed:
    """POST `/api/graphql`; what is unknown is an error inside an answer that says 200."""
    body = request.json()
    text, variables = str(body.get("query")), body.get("variables") or {}

    def run() -> Answer:
        for field, ask in _FIELDS.items():
            if re.search(rf"\b{field}\b", text):
                return said({"data": {field: ask(state, request, variables)}})
        message = "Validation error (FieldUndefined) : no such field is known here"
        return said({"errors": [{"message": message}], "data": None})

    return Deed(run)


def _scroll(state: State, _request: Request, variables: Json) -> Json:
    given = variables.get("input") or variables
    sorting = ((given.get("sortInput") or {}).get("sortCriteria") or [{}])[0]
    query = Query(
        entities=_kinds(given.get("types")),
        words=given.get("query") or "*",
        clauses=[one["and"] for one in given.get("orFilters") or ()],
        shows_removed=bool(given.get("includeSoftDeleted")),
        is_descending=sorting.get("sortOrder") == "DESCENDING",
    )
    there = found(state.index.entities(), query)
    count = int(given.get("batchSize") or given.get("count") or 10)
    shown, following = page(there, given.get("scrollId"), min(count, state.wire.most_results))
    results = [{"entity": {"urn": one}, "extraProperties": []} for one in shown]
    return {
        "nextScrollId": following,
        "count": len(shown),
        "total": len(there),
        "searchResults": results,
    }


def _kinds(types: list[str] | None) -> frozenset[str] | None:
    """The entities of GraphQL's names for them: `DATA_JOB` is `dataJob`."""
    if not types:
        return None
    wanted = {one.replace("_", "").lower() for one in types}
    return frozenset(one for one in entities() if one.lower() in wanted)


def _me(_state: State, request: Request, _variables: Json) -> Json:
    name = request.actor.rpartition(":")[2]
    return {"corpUser": {"type": "CORP_USER", "urn": request.actor, "username": name}}


def _input_type(_state: State, _request: Request, variables: Json) -> Json:
    known = variables.get("name") == "SearchFlags"
    return {"inputFields": [{"name": one} for one in _FLAGS]} if known else None


_FIELDS: Mapping[str, Callable[[State, Request, Json], Json]] = {
    "scrollAcrossEntities": _scroll,
    "__type": _input_type,
    "me": _me,
}
