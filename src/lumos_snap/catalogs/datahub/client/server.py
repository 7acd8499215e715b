"""A connection to a DataHub server: requests, conditional writes, and traces of queued writes.

A queued write is confirmed by its trace only. DataHub's client can wait as well, but checks only
the last of several aspects of an entity.
"""

import functools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

from lumos_snap.catalogs.datahub.client.batches import Proposal, Room, SizedProposal, requests_for
from lumos_snap.catalogs.datahub.client.errors import (
    FailedError,
    answer_error,
    no_answer_error,
    too_large,
)
from lumos_snap.catalogs.datahub.client.sdk_classes import require
from lumos_snap.documents.limits import MIB, Limit, excess
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.net.http import Limits
from lumos_snap.text import redact_addresses, redact_secrets, secrets_of

if TYPE_CHECKING:
    from datahub.ingestion.graph.client import DataHubGraph
    from datahub.metadata.schema_classes import MetadataChangeProposalClass
    from datahub.utilities.server_config_util import RestServiceConfig


Ask = Callable[[str, object], object]
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0
_STORED = frozenset({"ACTIVE_STATE", "HISTORIC_STATE", "NO_OP"})
_REJECTED, _WAITING = "ERROR", "PENDING"
_INVALID = 422


def await_stored(
    ask: Ask, trace: str, proposals: Iterable[Proposal], *, address: str, patience: float
) -> None:
    """Wait until all proposals are stored; raise `FailedError` if one is rejected or times out."""
    waiting: dict[str, set[str]] = {}
    for one in proposals:
        waiting.setdefault(one.urn, set()).add(one.aspect)
    until, pause = time.monotonic() + patience, _FIRST_PAUSE
    while True:
        for urn, aspect, fate in _fates(_ask_trace(ask, trace, waiting, address)):
            if _is_stored(fate, urn, aspect, address) and urn in waiting:
                waiting[urn].discard(aspect)
        waiting = {urn: names for urn, names in waiting.items() if names}
        if not waiting:
            return
        if time.monotonic() > until:
            raise FailedError(f"{address}: did not store in time what it took into its queue")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _ask_trace(ask: Ask, trace: str, waiting: Mapping[str, Iterable[str]], address: str) -> object:
    asked = {urn: sorted(names) for urn, names in waiting.items()}
    try:
        return ask(f"/openapi/v1/trace/write/{trace}?onlyIncludeErrors=false&detailed=true", asked)
    except FailedError as exc:
        if exc.is_busy:
            return {}
        # The server took the write, and this error is not about the write itself.
        raise FailedError(f"{address}: took a write, and does not tell of it: {exc}") from exc


def _fates(told: Any) -> Iterable[tuple[str, str, JsonObject]]:
    for urn, aspects in told.items():
        for aspect, fate in aspects.items():
            yield urn, aspect, fate


def _is_stored(fate: JsonObject, urn: str, aspect: str, address: str) -> bool:
    primary = fate.get("primaryStorage") or {}
    status = primary.get("writeStatus")
    if status == _REJECTED:
        raise FailedError(
            f"{address}: did not take {aspect} of {urn}: {_why(primary)}", status=_INVALID
        )
    if status != _WAITING and not fate.get("success", True):
        raise FailedError(f"{address}: does not know what became of {aspect} of {urn}")
    return status in _STORED


def _why(primary: JsonObject) -> str:
    told = [one.get("message") for one in primary.get("writeExceptions") or ()]
    said = [str(one) for one in (*told, primary.get("writeMessage")) if one]
    return " ".join("; ".join(said).split())[:300] or "no reason was given"


MOST_AT_ONCE = 32
"""Connections that are kept open; more are never used at the same time."""
_ANSWER = Limit(32 * MIB, 1_000_000)
"""Limits of one response; if a batch exceeds them, its halves are requested."""
_TIMES_PATIENCE = 2
"""The timeout of a whole response, as a multiple of the timeout of one byte."""
_ABSENT = "-1"
_JSON = "application/json"
_ITS_ADDRESS = "its address is as in http://datahub-gms:8080, or http://datahub:9002/api/gms"


class Mode(StrEnum):
    """The protocol of the requests."""

    AUTO = "auto"
    OPENAPI = "openapi"
    RESTLI = "rest.li"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The address of a server, and how to connect to it."""

    address: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    mode: Mode = Mode.AUTO
    is_asynchronous: bool = False
    """Writes go into the server's queue, and each is awaited by its trace."""
    patience: float = 30.0
    """Seconds until a request counts as unanswered."""
    certificates: str | None = None
    """A file of certificates to trust instead of those of the machine."""

    @property
    def name(self) -> str:
        """The address for display, without user and password."""
        return redact_addresses(self.address)

    def redacted(self, error: FailedError) -> FailedError:
        """Remove secrets from an error: some servers repeat what they received."""
        secrets = (self.token or "", *secrets_of(self.address))
        error.message = redact_secrets(redact_addresses(error.message), secrets)
        error.args = (error.message,)
        return error


@dataclass(frozen=True, slots=True)
class DataHubServer:
    """A connected server."""

    access: Access
    is_openapi: bool
    version: str
    counts_versions: bool
    """Whether it is new enough to count the versions of all aspects."""
    graph: "DataHubGraph"

    def get(self, path: str) -> Any:
        """Send a GET request and parse its response."""
        return _send_request(self.graph, self.access, "GET", path)

    def post(self, path: str, content: object) -> Any:
        """Send a POST request and parse its response."""
        return _send_request(self.graph, self.access, "POST", path, orjson.dumps(content))

    def emit(self, proposals: Sequence[Proposal]) -> None:
        """Write aspects in their order. Those of one entity are stored together or not at all."""
        from datahub.emitter.rest_emitter import (
            BATCH_INGEST_MAX_PAYLOAD_LENGTH,
            INGEST_MAX_PAYLOAD_BYTES,
        )

        items, size = BATCH_INGEST_MAX_PAYLOAD_LENGTH, INGEST_MAX_PAYLOAD_BYTES
        for some in requests_for(proposals, Room(items, size, self.is_openapi)):
            self._send(some)

    def _send(self, items: Sequence[SizedProposal]) -> None:
        """Send one request; if it is queued, wait until it is stored."""
        from datahub.configuration.common import OperationalError
        from datahub.emitter.rest_emitter import EmitMode

        mode = EmitMode.ASYNC if self.access.is_asynchronous else EmitMode.SYNC_PRIMARY
        try:
            traces = self.graph.emit_mcps([_of_sdk(one) for one in items], emit_mode=mode)
        except OperationalError as exc:
            raise self._failed(exc) from exc
        if self.access.is_asynchronous:
            self._await(items, [one.trace_id for one in traces])

    def _await(self, items: Sequence[SizedProposal], traces: Sequence[str]) -> None:
        address = self.access.name
        if not traces:
            raise FailedError(f"{address}: took a write, and does not tell of it: it has no trace")
        proposals = [one.proposal for one in items]
        patience = self.access.patience
        await_stored(self.post, traces[0], proposals, address=address, patience=patience)

    def _failed(self, exc: Exception) -> FailedError:
        cause = exc.__cause__
        response = getattr(cause, "response", None)
        if response is None:
            return self.access.redacted(no_answer_error(exc, self.access.name))
        return self.access.redacted(answer_error(response, self.access.name))

    def user(self) -> str:
        """The user that the token belongs to."""
        from datahub.configuration.common import GraphError

        try:
            found = self.graph.execute_graphql("query { me { corpUser { urn } } }")
        except GraphError as exc:
            raise self._failed(exc) from exc
        return str(((found.get("me") or {}).get("corpUser") or {}).get("urn") or "nobody")

    def urns(self, entity: str, words: str = "") -> Iterator[str]:
        """Search the server's index, which may lag behind the stored data."""
        from datahub.configuration.common import GraphError

        try:
            yield from self.graph.get_urns_by_filter(entity_types=[entity], query=words or None)
        except GraphError as exc:
            raise self._failed(exc) from exc


def _send_request(
    graph: "DataHubGraph", access: Access, method: str, path: str, content: bytes | None = None
) -> object:
    import requests

    from lumos_snap.net.requests_session import RedirectedError  # noqa: PLC0415 - loads `requests`

    try:
        response = graph.session.request(
            method, f"{access.address.rstrip('/')}{path}", data=content
        )
    except RedirectedError as exc:  # a redirected write would arrive as a GET
        there = redact_addresses(exc.address).removesuffix(path)
        raise FailedError(
            f"{access.name}: leads to {there}", is_final=True, hint="say that address in lumos.yaml"
        ) from exc
    except requests.RequestException as exc:
        raise access.redacted(no_answer_error(exc, access.name)) from exc
    if not response.ok:
        raise access.redacted(answer_error(response, access.name))
    if beyond := excess(response.content, _ANSWER):
        raise too_large(f"its answer {beyond}", access.name)
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError as exc:
        what = path.partition("?")[0]
        said = f"{access.name}: its answer to {what} is no JSON"
        raise FailedError(said, is_final=True, hint=_ITS_ADDRESS) from exc


def _of_sdk(item: SizedProposal) -> "MetadataChangeProposalClass":
    """Wrap a proposal, whose value is already JSON, in the SDK's class."""
    from datahub.metadata.schema_classes import (
        ChangeTypeClass,
        GenericAspectClass,
        MetadataChangeProposalClass,
    )

    one = item.proposal
    return MetadataChangeProposalClass(
        entityType=one.entity,
        changeType=ChangeTypeClass.UPSERT,
        entityUrn=one.urn,
        aspectName=one.aspect,
        aspect=GenericAspectClass(value=item.text, contentType=_JSON),
        headers=None if one.seen is None else {"If-Version-Match": one.seen or _ABSENT},
    )


def connect_server(access: Access) -> DataHubServer:
    """Connect to the server and detect its version and features.

    Raises `OutsideError` if it is unreachable or not a DataHub server.
    """
    require()
    from datahub.utilities.server_config_util import RestServiceConfig

    logging.getLogger("datahub").setLevel(logging.ERROR)  # important errors are raised as well
    graph = _graph(access, is_openapi=access.mode is not Mode.RESTLI)
    said = _send_request(graph, access, "GET", "/config")
    if not isinstance(said, dict) or said.get("noCode") != "true":
        raise FailedError(f"{access.name}: is not DataHub's metadata service", hint=_ITS_ADDRESS)
    config = RestServiceConfig(raw_config=said)
    is_new = _is_new(config)
    is_openapi = access.mode is Mode.OPENAPI or (access.mode is Mode.AUTO and is_new)
    if access.is_asynchronous and not (is_openapi and is_new):
        raise LumosError(
            f"{access.name}: DataHub {config.service_version or 'unknown'} over"
            f" {'OpenAPI' if is_openapi else 'rest.li'} does not tell what becomes of"
            " asynchronous writes",
            hint="leave out `asynchronous`; DataHub 1.0.1 and later do, over OpenAPI",
        )
    if access.mode is Mode.AUTO and not is_openapi:
        graph = _graph(access, is_openapi=False)
    return DataHubServer(access, is_openapi, config.service_version or "unknown", is_new, graph)


def _is_new(config: "RestServiceConfig") -> bool:
    """Whether it supports OpenAPI, write traces and version counts: all came with one release."""
    from datahub.utilities.server_config_util import ServiceFeature

    try:
        return config.supports_feature(ServiceFeature.OPEN_API_SDK)
    except ValueError:  # a custom version string
        return False


def _graph(access: Access, *, is_openapi: bool) -> "DataHubGraph":
    from datahub.ingestion.graph.client import DataHubGraph
    from datahub.ingestion.graph.config import ClientMode, DatahubClientConfig

    from lumos_snap.net.requests_session import limit_session  # noqa: PLC0415 - loads `requests`

    graph = DataHubGraph(
        DatahubClientConfig(
            server=access.address,
            token=access.token,
            timeout_sec=access.patience,
            retry_max_times=0,  # retries are the caller's decision
            pool_maxsize=MOST_AT_ONCE,
            client_mode=ClientMode.SDK,
            openapi_ingestion=is_openapi,  # explicit, because the SDK would choose the other one
            ca_certificate_path=access.certificates,
        )
    )
    limit_session(
        graph.session, Limits(access.patience, _TIMES_PATIENCE * access.patience, _ANSWER.bytes)
    )
    if access.certificates:  # per request, because REQUESTS_CA_BUNDLE would override the session
        graph.session.request = functools.partial(  # type: ignore[method-assign]
            graph.session.request, verify=access.certificates
        )
    return graph
