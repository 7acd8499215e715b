"""Which route answers which request."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from tests.gms import (
    entity_lists,
    graphql,
    openapi_reads,
    openapi_writes,
    relations,
    restli_reads,
    restli_writes,
    server_info,
    versioning,
)
from tests.gms.messages import Deed, Request
from tests.gms.state import State

Route = Callable[..., Deed]
ENTITY = "/openapi/v3/entity"
_PATHS: tuple[tuple[str, str, Route], ...] = (
    ("GET", "/config", server_info.config),
    ("GET", "/health", server_info.health),
    ("GET", "/health/live", server_info.health),
    ("GET", "/check/ready", server_info.health),
    ("POST", "/aspects?ingestProposal", restli_writes.ingest),
    ("POST", "/aspects?ingestProposalBatch", restli_writes.ingest),
    ("POST", "/aspects?getTimeseriesAspectValues", restli_reads.series),
    ("GET", "/aspects/*", restli_reads.aspect),
    ("GET", "/entitiesV2", restli_reads.entities),
    ("GET", "/entitiesV2/*", restli_reads.entity),
    ("POST", "/entities?delete", restli_writes.delete),
    ("POST", "/entities?deleteReferences", restli_writes.delete_references),
    ("POST", "/entities?listUrns", restli_reads.urns_of),
    ("POST", "/entities?search", restli_reads.search),
    ("POST", "/api/graphql", graphql.answer),
    ("GET", "/openapi/v1/registry/models/entity/specifications", server_info.specifications),
    ("POST", "/openapi/v1/trace/write/*", server_info.trace),
    ("GET", "/openapi/relationships/v1", relations.related),
    ("POST", "/openapi/v3/relationship/scroll", relations.scroll),
    ("POST", "/openapi/v3/lineage/scroll", relations.lineage),
    ("POST", f"{ENTITY}/versioning/*/relationship/versionOf/*", versioning.link),
    ("DELETE", f"{ENTITY}/versioning/*/relationship/versionOf/*", versioning.unlink),
    ("POST", f"{ENTITY}/scroll", entity_lists.scroll),
    ("POST", f"{ENTITY}/*/batchGet", openapi_reads.read_many),
    ("POST PATCH", f"{ENTITY}/*", openapi_writes.write),
    ("GET HEAD", f"{ENTITY}/*/*", openapi_reads.read),
    ("DELETE", f"{ENTITY}/*/*", openapi_writes.delete),
    ("GET HEAD", f"{ENTITY}/*/*/*", openapi_reads.read_aspect),
    ("POST PATCH", f"{ENTITY}/*/*/*", openapi_writes.write_aspect),
    ("DELETE", f"{ENTITY}/*/*/*", openapi_writes.delete_aspect),
)
_KNOWN = [
    (frozenset(methods.split()), re.compile(re.escape(path).replace(r"\*", "([^/]+)")), route)
    for methods, path, route in _PATHS
]


def deed(state: State, request: Request) -> Deed | None:
    """What a request would do; None where nothing is at that address."""
    if request.path.startswith("/openapi/v3") and not state.wire.has_openapi:
        return None
    action = request.query.get("action")
    wanted = f"{request.path.rstrip('/')}?{action}" if action else request.path.rstrip("/")
    for methods, pattern, route in _KNOWN:
        if request.method in methods and (match := pattern.fullmatch(wanted)):
            return route(state, request, *map(unquote, match.groups()))
    return None
