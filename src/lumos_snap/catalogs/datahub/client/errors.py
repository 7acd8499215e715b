"""Errors of a DataHub server and of the connection to it."""

import email.utils
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

from lumos_snap.catalogs.adapter import CatalogError
from lumos_snap.net.http import OverdueError, TooLargeError

if TYPE_CHECKING:
    import requests

_LONGEST = 300
_TURNED_AWAY = frozenset({429, 503})
"""Retry later: nothing was stored."""
_NOT_AS_SEEN = 412
_ITS_OWN_FAULT = 4
"""The first digit of the statuses that blame the request."""
_INVALID = 422
_TOO_LARGE = 413
_OF_CONTENT = frozenset({400, _TOO_LARGE, 414, _INVALID, 500})
_NO_PATIENCE = 408
"""A reverse proxy may send this while the server behind it is still working."""
"""rest.li uses this status for everything invalid, including failed preconditions."""

_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
_TRUST = "`certificates: ca.pem` of the catalog in lumos.yaml says whom to trust"


class FailedError(CatalogError):
    """A failed request; without a status, no answer came at all."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        after: float | None = None,
        is_final: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.after = after
        self.is_busy = status in _TURNED_AWAY
        self.is_passing = self.is_busy or not (is_final or self.is_refusal)

    @property
    def is_stale(self) -> bool:
        """Whether a precondition failed, so that nothing was stored."""
        return self.status == _NOT_AS_SEEN or (
            self.status == _INVALID and "expected version" in self.message.lower()
        )

    @property
    def is_of_content(self) -> bool:
        """Whether the requested content may be the cause: another request may succeed."""
        return self.status in _OF_CONTENT

    @property
    def is_refusal(self) -> bool:
        """Whether the server understood the request and refuses it."""
        is_fault = self.status is not None and self.status // 100 == _ITS_OWN_FAULT
        return is_fault and self.status != _NO_PATIENCE


def no_answer_error(exc: Exception, server: str) -> FailedError:
    """The error for a missing answer: server down, connection lost, or timeout."""
    met = _chain(exc)
    large = next((str(one) for one in met if isinstance(one, TooLargeError)), None)
    if large:
        return too_large(large, server)
    if any(isinstance(one, OverdueError) for one in met):  # a repeated request would time out too
        hint = "is its address right, and is the server well?"
        return FailedError(f"{server}: {_cause(met)}", is_final=True, hint=hint)
    cause = _one_line(_cause(met))
    is_trusted = _UNTRUSTED not in cause
    return FailedError(
        f"{server}: does not answer: {cause}",
        hint="is the server there, and its address right?" if is_trusted else _TRUST,
    )


def too_large(why: str, server: str) -> FailedError:
    """The error for an answer over the size limit; a smaller batch may succeed."""
    return FailedError(f"{server}: {why}", status=_TOO_LARGE, hint="is its address right?")


def _chain(exc: BaseException) -> list[BaseException]:
    """All nested exceptions, the innermost last."""
    met: list[BaseException] = []
    left: list[object] = [exc]
    while left:
        one = left.pop()
        if isinstance(one, BaseException) and one not in met:
            met.append(one)
            left += [one.__context__, one.__cause__, getattr(one, "reason", None), *one.args]
    return met


def _cause(met: Sequence[BaseException]) -> str:
    """The message of the most informative exception."""
    overdue = (str(one) for one in met if isinstance(one, OverdueError))
    said = (one.strerror for one in met if isinstance(one, OSError) and one.strerror)
    timeouts = ("no answer in time" for one in met if "Timeout" in type(one).__name__)
    known = next(overdue, None) or next(said, None) or next(timeouts, None)
    return known or str(met[-1]) or type(met[0]).__name__


def answer_error(response: "requests.Response", server: str) -> FailedError:
    """The error for an HTTP error response."""
    status = response.status_code
    said = _read_reason(response.content)
    return FailedError(
        f"{server}: {_MEANING.get(status, f'answers {status}')}{': ' if said else ''}{said}",
        status=status,
        after=_seconds(response.headers.get("Retry-After")),
        hint=_HINTS.get(status, ""),
    )


_MEANING = {
    401: "takes no request without a valid token",
    403: "does not let this token do that",
    404: "has nothing there",
    429: "asks for fewer requests",
}
_HINTS = {
    401: "put a token of DataHub's into DATAHUB_GMS_TOKEN, or where `token_from` says",
    403: "ask for a token that may read and edit entities",
    404: "the address is that of DataHub's metadata service, as in http://datahub-gms:8080",
}


def _read_reason(content: bytes) -> str:
    """The reason that a response gives, in one line."""
    try:
        found: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(found, dict):
        return ""
    return _one_line(str(found.get("message") or found.get("error") or ""))


def _one_line(text: str) -> str:
    """Foreign text without characters that break a line or a terminal, shortened."""
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _seconds(said: str | None) -> float | None:
    """Parse `Retry-After`, a number of seconds or a date; None if it is neither."""
    if not said:
        return None
    if said.strip().isdecimal():
        return float(said)
    try:
        at = email.utils.parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, at.timestamp() - time.time())
