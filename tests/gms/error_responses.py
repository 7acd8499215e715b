"""Refusals as answers, in the words of the wire mode that asked."""

from collections.abc import Mapping

from tests.gms import restli
from tests.gms.messages import Answer, Request, said
from tests.gms.refusals import BadUrn, Refusal, Why

_STATUS: Mapping[Why, int] = {
    Why.INVALID: 400,
    Why.FORBIDDEN: 403,
    Why.PRECONDITION: 412,
    Why.ABSENT: 404,
}


def refused(request: Request, refusal: Refusal) -> Answer:
    """The answer to what is refused."""
    if not request.path.startswith(("/openapi", "/api")):
        return restli.refused(refusal)
    if isinstance(refusal, BadUrn):
        return said({"error": refusal.message}, 400)
    return said({"error": refusal.why.value, "message": refusal.message}, _STATUS[refusal.why])


def failed(request: Request, status: int, message: str) -> Answer:
    """An answer with any status, in the words of the wire mode."""
    if not request.path.startswith(("/openapi", "/api")):
        return restli.failed(status, message)
    titles = {_STATUS[why]: why.value for why in Why}
    if status == 503:
        return said({"error": "Service Unavailable", "code": "CONFLICT", "retryable": True}, status)
    return said({"error": titles.get(status, "Internal Server Error"), "message": message}, status)
