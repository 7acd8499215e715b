"""A webhook as Slack has it: JSON is posted to an address that is itself the secret."""

import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.net.http import Limits, send
from lumos_snap.net.redact import redact_secrets

VARIABLE = "LUMOS_SLACK_WEBHOOK"
_LIMITS = Limits(silence=20, seconds=20, most=1_000_000)
_LONGEST_WAIT = 60.0  # seconds that a webhook may ask us to wait
_TRIES = 4
_LONGEST_WORDS = 200
_TOO_MANY, _BUSY = 429, 503
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


class _No(NamedTuple):
    """An answer that is no yes: its status, its words, and when to come back."""

    status: int
    said: str
    later: str | None


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where messages are posted."""

    address: str = field(repr=False)
    pause: Callable[[float], object] = time.sleep
    limits: Limits = _LIMITS

    def post(self, message: Mapping[str, Any]) -> None:
        """Post one message; what the webhook asks to be sent later is sent later."""
        for left in range(_TRIES - 1, -1, -1):
            try:
                refused = self._send(message)
            except (OSError, HTTPException) as exc:
                # A reason may quote the address, which is the secret.
                reason = str(getattr(exc, "reason", None) or type(exc).__name__)
                message_ = f"the webhook cannot be reached: {self._safe(reason)}"
                raise OutsideError(message_, hint=f"check {VARIABLE} and the connection") from None
            if refused is None:
                return
            if refused.status not in (_TOO_MANY, _BUSY) or not left:
                raise self._refusal(refused)
            self.pause(_wait(refused.later))

    def _send(self, message: Mapping[str, Any]) -> "_No | None":
        headers = {"Content-Type": "application/json; charset=utf-8"}
        body = orjson.dumps(message)
        request = urllib.request.Request(self.address, body, headers, method="POST")  # noqa: S310 - checked by `webhook`
        answer = send(request, self.limits)
        if answer.status in range(200, 300):
            return None
        said = answer.body.decode("utf-8", "replace").strip()[:_LONGEST_WORDS]
        return _No(answer.status, said, answer.headers.get("retry-after"))

    def _refusal(self, refused: "_No") -> OutsideError:
        words = f": {self._safe(refused.said)}" if refused.said else ""
        return OutsideError(
            f"the webhook answers {refused.status}{words}",
            hint=f"check that {VARIABLE} is a webhook that is still active",
        )

    def _safe(self, text: str) -> str:
        """The text without the address, whole or its path."""
        path = urlsplit(self.address).path
        return redact_secrets(text, (self.address, path if len(path) > 1 else ""))


def webhook(address: str | None, pause: Callable[[float], object] = time.sleep) -> Webhook:
    """The webhook at an address; it must be one that nobody can listen to on the way."""
    if not address:
        raise LumosError(f"{VARIABLE} is not set", hint="store the webhook's address in it")
    try:
        parts = urlsplit(address)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _HERE)
        is_plain = address.isascii() and address.isprintable() and " " not in address
        is_whole = bool(parts.hostname) and is_plain
    except ValueError:
        is_safe = is_whole = False
    if not (is_safe and is_whole):
        raise LumosError(f"{VARIABLE} is no https address", hint="copy it whole, with https://")
    return Webhook(address, pause)


def _wait(told: str | None) -> float:
    """Seconds that a webhook asks us to wait; it may ask for too much, or for nothing clear."""
    try:
        asked = float(told or 1)
    except ValueError:
        return 1.0
    return min(max(0.0, asked), _LONGEST_WAIT)  # 0 where what it asks for is no number
