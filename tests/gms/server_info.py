"""What the server says of itself: its configuration, its health, its model."""

from typing import Any

from tests.gms.messages import Answer, Deed, Request, page, said
from tests.gms.models import aspects_of, entities, is_series, key_of, schema_version
from tests.gms.state import State, Wire, nothing

Json = Any
HTML = "<!doctype html><html><head><title>DataHub</title></head><body><div id=root></div></body>"


def config(state: State, _request: Request) -> Deed:
    """GET `/config`."""
    return nothing(said(_config(state.wire)))


def _config(wire: Wire) -> Json:
    return {
        **({"noCode": "true"} if wire.has_no_code else {}),
        "retention": "true",
        "statefulIngestionCapable": True,
        "patchCapable": True,
        "supportsImpactAnalysis": True,
        "timeZone": "UTC",
        "versions": {"acryldata/datahub": {"version": wire.version, "commit": "0" * 40}},
        "telemetry": {"enabledCli": False, "enabledIngestion": False},
        "managedIngestion": {"enabled": True, "defaultCliVersion": wire.version.removeprefix("v")},
        "datahub": {"serverType": "prod", "serverEnv": wire.server_env},
        "models": {},
    }


def health(_state: State, _request: Request) -> Deed:
    """GET `/health` and its like."""
    return nothing(Answer(200, b"OK", kind="text/plain"))


def front() -> Answer:
    """What the front end shows for any address."""
    return page(HTML)


def specifications(_state: State, request: Request) -> Deed:
    """GET of the registry: entities, with the aspects that they may have."""
    start, count = request.number("start", 0), request.number("count", 20)
    shown = entities()[start : start + count]
    elements = [_specification(one) for one in shown]
    told = {"start": start, "count": len(shown), "total": len(entities()), "elements": elements}
    return nothing(said(told))


def _specification(entity: str) -> Json:
    return {
        "name": entity,
        "keyAspectName": key_of(entity),
        "keyAspectSpec": _aspect(key_of(entity)),
        "aspectSpecs": [_aspect(one) for one in aspects_of(entity)],
    }


def _aspect(name: str) -> Json:
    kind = {"type": "timeseries"} if is_series(name) else {}
    return {"aspectAnnotation": {"name": name, "schemaVersion": schema_version(name), **kind}}


def trace(state: State, request: Request, name: str) -> Deed:
    """POST `/openapi/v1/trace/write/{id}`: what became of some aspects."""
    asked, errors = request.json(), request.says("onlyIncludeErrors", default=True)
    return Deed(lambda: said(state.traces.told(name, asked, errors=errors)))
