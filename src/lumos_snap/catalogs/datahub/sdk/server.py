"""A DataHub server, spoken to through the connection of its SDK."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from lumos_snap.catalogs.datahub.codec import Aspect
from lumos_snap.catalogs.datahub.sdk.classes import require
from lumos_snap.catalogs.datahub.sdk.failing import FailedError, answered, unanswered
from lumos_snap.errors import LumosError

if TYPE_CHECKING:
    from datahub.ingestion.graph.client import DataHubGraph
    from datahub.metadata.schema_classes import MetadataChangeProposalClass

MOST_AT_ONCE = 32
"""Connections that are kept open; more are never used at the same time."""
_ABSENT = "-1"
_JSON = "application/json"
_ITS_ADDRESS = "its address is as in http://datahub-gms:8080, or http://datahub:9002/api/gms"


class Mode(StrEnum):
    """How a server is spoken to."""

    AUTO = "auto"
    OPENAPI = "openapi"
    RESTLI = "rest.li"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a server is, and how it is spoken to."""

    address: str
    token: str | None = None
    mode: Mode = Mode.AUTO
    is_asynchronous: bool = False
    """Writes go into the server's queue, and each is waited for by its trace."""
    patience: float = 30.0
    """Seconds until a request counts as unanswered."""
    certificates: str | None = None
    """A file of certificates to trust, if not those of the machine."""


class Proposal(NamedTuple):
    """One aspect to write, on the condition that it has the version that was seen."""

    entity: str
    urn: str
    aspect: str
    value: Aspect
    seen: str | None = ""
    """Empty: it is not there. None: on no condition, as series take it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answered."""

    access: Access
    is_openapi: bool
    version: str
    graph: "DataHubGraph"

    def get(self, path: str) -> Any:
        """What the server answers to a question."""
        return _asked(self.graph, self.access.address, "GET", path)

    def post(self, path: str, content: object) -> Any:
        """What the server answers to a question with a body."""
        return _asked(self.graph, self.access.address, "POST", path, orjson.dumps(content))

    def emit(self, proposals: Sequence[Proposal]) -> None:
        """Write aspects. Those of one entity are stored together or not at all."""
        from datahub.configuration.common import (
            OperationalError,
            TraceTimeoutError,
            TraceValidationError,
        )
        from datahub.emitter.rest_emitter import EmitMode

        mode = EmitMode.ASYNC_WAIT if self.access.is_asynchronous else EmitMode.SYNC_PRIMARY
        try:
            self.graph.emit_mcps([_of_sdk(one) for one in proposals], emit_mode=mode)
        except (TraceTimeoutError, TraceValidationError) as exc:
            raise FailedError(f"{self.access.address}: did not store what it took") from exc
        except OperationalError as exc:
            raise self._failed(exc) from exc

    def _failed(self, exc: Exception) -> FailedError:
        cause = exc.__cause__
        response = getattr(cause, "response", None)
        if response is None:
            return unanswered(exc, self.access.address)
        return answered(response, self.access.address)

    def user(self) -> str:
        """Whose token it is that the server was asked with."""
        from datahub.configuration.common import GraphError

        try:
            found = self.graph.execute_graphql("query { me { corpUser { urn } } }")
        except GraphError as exc:
            raise self._failed(exc) from exc
        return str(((found.get("me") or {}).get("corpUser") or {}).get("urn") or "nobody")

    def urns(self, entity: str, words: str = "") -> Iterator[str]:
        """What an index of the server's finds, which may lag behind what is stored."""
        from datahub.configuration.common import GraphError

        try:
            yield from self.graph.get_urns_by_filter(entity_types=[entity], query=words or None)
        except GraphError as exc:
            raise self._failed(exc) from exc


def _asked(
    graph: "DataHubGraph", address: str, method: str, path: str, content: bytes | None = None
) -> Any:
    import requests

    try:
        response = graph.session.request(method, f"{address.rstrip('/')}{path}", data=content)
    except requests.RequestException as exc:
        raise unanswered(exc, address) from exc
    if not response.ok:
        raise answered(response, address)
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError as exc:
        what = path.partition("?")[0]
        raise FailedError(f"{address}: its answer to {what} is no JSON", hint=_ITS_ADDRESS) from exc


def _of_sdk(one: Proposal) -> "MetadataChangeProposalClass":
    """A proposal of the SDK's, whose value is JSON already: it only wraps it for the wire."""
    from datahub.metadata.schema_classes import (
        ChangeTypeClass,
        GenericAspectClass,
        MetadataChangeProposalClass,
    )

    return MetadataChangeProposalClass(
        entityType=one.entity,
        changeType=ChangeTypeClass.UPSERT,
        entityUrn=one.urn,
        aspectName=one.aspect,
        aspect=GenericAspectClass(value=orjson.dumps(one.value), contentType=_JSON),
        headers=None if one.seen is None else {"If-Version-Match": one.seen or _ABSENT},
    )


def reached(access: Access) -> Server:
    """The server, once it said who it is and what it can do.

    Raises `OutsideError` where it is out of reach, or is something else.
    """
    require()
    from datahub.utilities.server_config_util import RestServiceConfig, ServiceFeature

    logging.getLogger("datahub").setLevel(logging.ERROR)  # what matters is raised as well
    if not access.address.startswith(("http://", "https://")):
        raise LumosError(
            f"{access.address!r} is no address of a server", hint="as in http://localhost:8080"
        )
    graph = _graph(access, is_openapi=access.mode is not Mode.RESTLI)
    said = _asked(graph, access.address, "GET", "/config")
    if not isinstance(said, dict) or said.get("noCode") != "true":
        raise FailedError(f"{access.address}: is not DataHub's metadata service", hint=_ITS_ADDRESS)
    config = RestServiceConfig(raw_config=said)
    is_openapi = access.mode is Mode.OPENAPI or (
        access.mode is Mode.AUTO and config.supports_feature(ServiceFeature.OPEN_API_SDK)
    )
    if access.mode is Mode.AUTO and not is_openapi:
        graph = _graph(access, is_openapi=False)
    return Server(access, is_openapi, config.service_version or "unknown", graph)


def _graph(access: Access, *, is_openapi: bool) -> "DataHubGraph":
    from datahub.ingestion.graph.client import DataHubGraph
    from datahub.ingestion.graph.config import ClientMode, DatahubClientConfig

    return DataHubGraph(
        DatahubClientConfig(
            server=access.address,
            token=access.token,
            timeout_sec=access.patience,
            retry_max_times=0,  # trying again is not the connection's to decide
            pool_maxsize=MOST_AT_ONCE,
            client_mode=ClientMode.SDK,
            openapi_ingestion=is_openapi,  # said, for the SDK would choose the other one
            ca_certificate_path=access.certificates,
        )
    )
