"""How a request is answered: it is recorded, and then the plan of faults has its say."""

import time
from dataclasses import replace

from tests.gms import server_info
from tests.gms.control import PREFIX, controlled
from tests.gms.error_responses import failed, refused
from tests.gms.faults import Fault, Kind
from tests.gms.gms import Gms
from tests.gms.messages import Answer, Deed, Request, page, said
from tests.gms.refusals import Refusal, Why
from tests.gms.request_log import Asked
from tests.gms.routes import deed
from tests.gms.rows import SYSTEM

OPEN = ("/config", "/health", "/check/ready")
"""What needs no token."""
_NOT_DONE = (Kind.STATUS, Kind.STALE, Kind.CUT_BEFORE, Kind.HALF)


def answer(gms: Gms, request: Request) -> Answer | None:
    """What goes back; None ends the connection."""
    if request.path.startswith(PREFIX):
        return controlled(gms, request)
    asked = gms.asked.note(request)
    time.sleep(gms.latency)
    known = _known(gms, request)
    if known is None:
        found: Answer | None = page("<h2>HTTP ERROR 401 Unauthorized</h2>", 401)
    else:
        gms.state.traces.catch_up()
        found = _met(gms, known, asked)
    asked.status = 0 if found is None else found.status
    asked.ended = time.monotonic()
    return found


def _known(gms: Gms, request: Request) -> Request | None:
    """The request with the name of who asks; None where that is nobody."""
    if not gms.tokens:
        return replace(request, actor=request.headers.get("x-datahub-actor", SYSTEM))
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token in gms.tokens:
        return replace(request, actor=gms.tokens[token])
    return request if request.path.startswith(OPEN) else None


def _met(gms: Gms, request: Request, asked: Asked) -> Answer | None:
    """The answer, with what goes wrong on the way."""
    found = _deed(gms, request)
    asked.wrote = found.wrote
    if not found.wrote:
        asked.question = f"{dict(request.query)} {request.body.decode(errors='replace')}"
    fault = gms.faults.pick(asked)
    if fault is not None and fault.kind in _NOT_DONE:
        return _instead(fault, found, request)
    if fault is not None and fault.kind is Kind.EDIT:
        gms.edit(fault.edit["urn"], fault.edit["aspect"], fault.edit["value"])
    if asked.wrote and gms.meanwhile is not None:
        gms.meanwhile(asked)
    time.sleep(0 if fault is None else fault.seconds)
    return _afterwards(fault, _done(found, request))


def _deed(gms: Gms, request: Request) -> Deed:
    if gms.wire.is_frontend and not request.is_behind_front:
        return Deed(server_info.front)
    try:
        found = deed(gms.state, request)
    except Refusal as exc:
        refusal = refused(request, exc)
        return Deed(lambda: refusal)
    told = {"status": 404, "error": "Not Found", "path": request.path}
    return found or Deed(lambda: said(told, 404))


def _done(found: Deed, request: Request) -> Answer:
    try:
        return found.run()
    except Refusal as exc:
        return refused(request, exc)


def _instead(fault: Fault, found: Deed, request: Request) -> Answer | None:
    """What happens to a request that is not done."""
    if fault.kind is Kind.STALE:
        message = "Expected version 1, actual version 2"
        return refused(request, Refusal(Why.PRECONDITION, message))
    if fault.kind is Kind.STATUS:
        told = failed(request, fault.status, fault.message)
        return replace(told, headers={"Retry-After": fault.after} if fault.after else {})
    if fault.kind is Kind.HALF and found.half is not None:
        found.half()
    return None


def _afterwards(fault: Fault | None, found: Answer) -> Answer | None:
    """What becomes of an answer once everything is done."""
    if fault is not None and fault.kind is Kind.CUT_AFTER:
        return None
    if fault is not None and fault.kind is Kind.LOST:
        return page("<h1>Bad Gateway</h1>", fault.status)
    if fault is not None and fault.kind is Kind.CUT_INSIDE:
        return replace(found, shown=len(found.body) // 2)
    return found
