"""What rest.li endpoints share: the words of their errors, and lists in their queries."""

from tests.gms.messages import Answer, said
from tests.gms.refusals import BadUrn, Refusal, Why

_EXCEPTION = "com.linkedin.restli.server.RestLiServiceException"
_STATUS = {Why.ABSENT: 404, Why.FORBIDDEN: 403}
UNPROCESSABLE = 422


def refused(refusal: Refusal) -> Answer:
    """All that is invalid is 422 here, preconditions included; only a bad urn is not."""
    status = 400 if isinstance(refusal, BadUrn) else _STATUS.get(refusal.why, UNPROCESSABLE)
    return failed(status, refusal.message)


def failed(status: int, message: str) -> Answer:
    told = {
        "exceptionClass": _EXCEPTION,
        "message": message,
        "status": status,
        "stackTrace": f"{_EXCEPTION} [HTTP Status:{status}]: {message}",
    }
    return said(told, status)


def listed(text: str) -> list[str]:
    """The items of `List(a,b)`; a comma inside of parentheses belongs to an item."""
    inner = text.removeprefix("List(").removesuffix(")") if text.startswith("List(") else text
    items, depth = [""], 0
    for sign in inner:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and not depth:
            items.append("")
        else:
            items[-1] += sign
    return [one for one in items if one]
