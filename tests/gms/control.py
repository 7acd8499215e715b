"""The same control over HTTP, for a server in another process: under a path that no DataHub has."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.gms.faults import Fault, Kind
from tests.gms.gms import Gms
from tests.gms.messages import Answer, Request, said

Json = Any
PREFIX = "/lumos-test/"


def controlled(gms: Gms, request: Request) -> Answer:
    """Answer one request of the control."""
    name = f"{request.method} {request.path.removeprefix(PREFIX).strip('/')}"
    if name not in _CONTROLS:
        return said({"error": f"no such control: {name}", "known": sorted(_CONTROLS)}, 404)
    told = _CONTROLS[name](gms, request.json() if request.body else {})
    return said({} if told is None else told)


def _asked(gms: Gms, _body: Json) -> Json:
    return [one.as_json() for one in gms.asked]


def _clear(gms: Gms, _body: Json) -> Json:
    gms.asked.clear()


def _fault(gms: Gms, body: Json) -> Json:
    gms.faults.add(Fault(**{**body, "kind": Kind[body["kind"].upper()]}))


def _clear_faults(gms: Gms, _body: Json) -> Json:
    gms.faults.clear()


def _edit(gms: Gms, body: Json) -> Json:
    actor = {"actor": body["actor"]} if "actor" in body else {}
    gms.edit(body["urn"], body["aspect"], body["value"], **actor)


def _dump(gms: Gms, _body: Json) -> Json:
    return gms.dump()


def _set(gms: Gms, body: Json) -> Json:
    gms.latency = float(body.get("latency", gms.latency))
    gms.lag = float(body.get("lag", gms.lag))
    gms.delay = float(body.get("delay", gms.delay))
    return {"latency": gms.latency, "lag": gms.lag, "delay": gms.delay}


def _catch_up(gms: Gms, _body: Json) -> Json:
    gms.catch_up()


_CONTROLS: Mapping[str, Callable[[Gms, Json], Json]] = {
    "GET asked": _asked,
    "DELETE asked": _clear,
    "POST faults": _fault,
    "DELETE faults": _clear_faults,
    "POST edit": _edit,
    "GET dump": _dump,
    "POST set": _set,
    "POST catch-up": _catch_up,
}
