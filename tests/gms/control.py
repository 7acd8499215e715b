"""The same control over HTTP, for a server in another process: under a path that no DataHub has."""

from typing import TYPE_CHECKING, Any

from tests.gms.faults import Fault, Kind
from tests.gms.messages import Answer, Request, said

if TYPE_CHECKING:
    from tests.gms.gms import Gms

Json = Any
PREFIX = "/lumos-test/"


def controlled(gms: "Gms", request: Request) -> Answer:
    """Answer one request of the control."""
    name = request.path.removeprefix(PREFIX).strip("/")
    body = request.json() if request.body else {}
    if name == "asked" and request.method == "DELETE":
        gms.asked.clear()
    elif name == "asked":
        return said([one.as_json() for one in gms.asked])
    elif name == "faults" and request.method == "DELETE":
        gms.faults.clear()
    elif name == "faults":
        gms.faults.add(Fault(**{**body, "kind": Kind[body["kind"].upper()]}))
    elif name == "edit":
        gms.edit(body["urn"], body["aspect"], body["value"], **_actor(body))
    elif name == "dump":
        return said(gms.dump())
    elif name == "set":
        for key in ("latency", "lag", "delay"):
            setattr(gms, key, float(body.get(key, getattr(gms, key))))
    elif name == "catch-up":
        gms.catch_up()
    else:
        return said({"error": f"no such control: {name}"}, 404)
    return said({})


def _actor(body: Json) -> dict[str, str]:
    return {"actor": body["actor"]} if "actor" in body else {}
