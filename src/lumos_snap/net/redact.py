"""Text without secrets: what is printed, logged or written names no password and no token."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote

REDACTED = "…"
_LEAST = 8
"""Characters of a secret: a shorter one would be found in words that are none."""
_LEAST_OF_PASSWORDS = 4
_NO_USERS = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes whose addresses have a container where others have a user."""
_USER = re.compile(r"[^/\s?#\"'<>]*@")
_PARAMETER = re.compile(
    r"([?&;][\w.-]*(?:secret|passw|pwd|token|credential|sig(?:nature)?|access_?key|api_?key)"
    r"[\w.-]*=)[^&;#\s\"'<>]+",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|WEBHOOK|(?:ACCESS|ACCOUNT|API|PRIVATE|SHARED)_?KEY|_SAS\b"
)
_PLACE = re.compile(r"(?:FILE|PATH|DIR|FOLDER|CREDENTIALS)\b")
_PATH = re.compile(r"(?:\.{0,2}/|[A-Za-z]:\\)[^=]*")
"""A variable may name the file of a secret. Its name must say so: secrets can begin with `/`."""


def redact_addresses(text: str) -> str:
    """The text with addresses that name no user, and no secret after the question mark."""
    if "://" not in text:
        return text
    first, *rest = text.split("://")
    found, before = [first], first
    for piece in rest:
        has_users = not before.lower().endswith(_NO_USERS)
        found.append(_USER.sub("", piece, count=1) if has_users and _USER.match(piece) else piece)
        before = piece
    return _PARAMETER.sub(rf"\1{REDACTED}", "://".join(found))


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text without some secrets, as JSON and addresses spell them too; the longest go first."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        escaped = secret.replace("\\", "\\\\").replace('"', '\\"')
        for spelled in dict.fromkeys((escaped, secret, quote(secret, safe=""))):
            text = text.replace(spelled, REDACTED)
    return text


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that are named like secrets."""
    named = {name.upper(): value.strip() for name, value in environment.items()}
    found = {name: value for name, value in named.items() if _VARIABLE.search(name)}
    return tuple(
        value
        for name, value in found.items()
        if len(value) >= _LEAST and not (_PLACE.search(name) and _PATH.fullmatch(value))
    )


def secrets_of(address: str) -> tuple[str, ...]:
    """The password that an address names, or the token that stands in its place."""
    authority = address.partition("://")[2].partition("/")[0]
    user, found, _ = authority.rpartition("@")
    secret = user.partition(":")[2] or user if found else ""
    both = dict.fromkeys((secret, unquote(secret)))
    return tuple(one for one in both if len(one) >= _LEAST_OF_PASSWORDS)
