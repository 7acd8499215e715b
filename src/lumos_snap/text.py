"""Text that is printed, logged or written: sanitized where untrusted, and without secrets.

Commands of CI systems are escaped as well, because any line may be printed to their logs.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote

# Control and format characters, surrogates (bytes that are not UTF-8), line separators; the
# first character of `##vso[` and `##[`, which start commands of CI systems anywhere in a line.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]|#(?=#\\w*\\[)"
)
_COMMAND = re.compile(r"^(\s*):(?=:)")
"""`::error::` and similar commands count only at the start of a line."""
_SINGLE = re.compile("[\ud800-\udfff]")


def sanitize_text(text: str) -> str:
    """The text on one line, without control sequences of terminals."""
    return _COMMAND.sub(r"\1\\x3a", _UNSAFE.sub(_spell_out, text))


def escape_surrogates(text: str) -> str:
    r"""The text in valid UTF-8: `\xNN` for an invalid byte, `\uNNNN` for a lone surrogate."""
    return _SINGLE.sub(_spell_out, text)


def sanitize_brief(text: str, most: int) -> str:
    """Sanitize a text, and shorten it to a maximum length."""
    plain = sanitize_text(text[: most + 1])
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _spell_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - how Python spells a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:  # noqa: PLR2004
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def width(text: str) -> int:
    """Number of terminal columns of a text."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def readable(name: str) -> str:
    r"""The name with each byte that is not UTF-8 escaped, as in `caf\xe9.csv`."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


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
