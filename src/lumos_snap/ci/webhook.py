"""Slack-compatible webhook: JSON is posted to an address that is itself the secret."""

import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.net.http import Limits, send
from lumos_snap.text import redact_secrets

VARIABLE = "LUMOS_SLACK_WEBHOOK"
_LIMITS = Limits(silence=20, seconds=20, most=1_000_000)
_LONGEST_WAIT = 60.0  # maximum wait in seconds that a webhook may request
_TRIES = 4
_LONGEST_WORDS = 200
_TOO_MANY, _BUSY = 429, 503
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


class _No(NamedTuple):
    """A rejection: its status, its text, and the requested delay."""

    status: int
    said: str
    later: str | None


@dataclass(frozen=True, slots=True)
class Webhook:
    """The target of messages."""

    address: str = field(repr=False)
    pause: Callable[[float], object] = time.sleep
    limits: Limits = _LIMITS

    def post(self, message: JsonObject) -> None:
        """Post one message, with retries after the delay that the webhook requests."""
        for left in range(_TRIES - 1, -1, -1):
            try:
                refused = self._send(message)
            except (OSError, HTTPException) as exc:
                # The error text may contain the address, which is the secret.
                reason = str(getattr(exc, "reason", None) or type(exc).__name__)
                message_ = f"the webhook cannot be reached: {self._safe(reason)}"
                raise OutsideError(message_, hint=f"check {VARIABLE} and the connection") from None
            if refused is None:
                return
            if refused.status not in (_TOO_MANY, _BUSY) or not left:
                raise self._refusal(refused)
            self.pause(_wait(refused.later))

    def _send(self, message: JsonObject) -> "_No | None":
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
        """The text without the address and its path."""
        path = urlsplit(self.address).path
        return redact_secrets(text, (self.address, path if len(path) > 1 else ""))


def webhook(address: str | None, pause: Callable[[float], object] = time.sleep) -> Webhook:
    """The webhook at an address, which must use https or the local host."""
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
    """Seconds to wait as a webhook requests, limited; 1 for an invalid value."""
    try:
        asked = float(told or 1)
    except ValueError:
        return 1.0
    return min(max(0.0, asked), _LONGEST_WAIT)  # 0 for NaN
