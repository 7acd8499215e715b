"""Removal of secrets from text that is printed, logged or written."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote

REDACTED = "…"
_LEAST = 8
"""Minimum length of a secret: a shorter one would also match ordinary words."""
_LEAST_OF_PASSWORDS = 4
_NO_USERS = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes whose addresses have a container in place of the user."""
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
"""The path of a secret's file. The variable's name must say so: secrets can begin with `/`."""


def redact_addresses(text: str) -> str:
    """Remove users and secret query parameters from addresses in a text."""
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
    """Remove secrets from a text, also in their JSON and URL encodings; the longest first."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        escaped = secret.replace("\\", "\\\\").replace('"', '\\"')
        for spelled in dict.fromkeys((escaped, secret, quote(secret, safe=""))):
            text = text.replace(spelled, REDACTED)
    return text


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables with names of secrets."""
    named = {name.upper(): value.strip() for name, value in environment.items()}
    found = {name: value for name, value in named.items() if _VARIABLE.search(name)}
    return tuple(
        value
        for name, value in found.items()
        if len(value) >= _LEAST and not (_PLACE.search(name) and _PATH.fullmatch(value))
    )


def secrets_of(address: str) -> tuple[str, ...]:
    """The password in an address, or the token in its place."""
    authority = address.partition("://")[2].partition("/")[0]
    user, found, _ = authority.rpartition("@")
    secret = user.partition(":")[2] or user if found else ""
    both = dict.fromkeys((secret, unquote(secret)))
    return tuple(one for one in both if len(one) >= _LEAST_OF_PASSWORDS)
