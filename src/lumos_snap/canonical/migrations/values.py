"""How single values are read. Each returns None for what it is not about."""

import re
from decimal import Decimal

_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_AMOUNT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_SCIENTIFIC = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?[eE][+-]?[0-9]{1,2}")
_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?")
_REFERENCE = re.compile(r"urn:li:[A-Za-z]+:(.+)", re.DOTALL)


def string(value: object) -> str | None:
    """Any text."""
    return value if isinstance(value, str) else None


def text(value: object) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value else None


def flag(value: object) -> bool | None:
    """True or false."""
    return value if isinstance(value, bool) else None


def natural(value: object) -> int | None:
    """A count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def amount(value: object) -> str | None:
    """A number in portable notation."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return None
    if _SCIENTIFIC.fullmatch(value):
        value = f"{Decimal(value):f}"
    return value if _AMOUNT.fullmatch(value) else None


def moment(value: object) -> str | None:
    """A point in time."""
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else None


def version(value: object) -> str | None:
    """A version of a schema: three numbers."""
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


def reference(value: object) -> str | None:
    """The id of a user, a group, a tag or a term, bare or as a catalog writes it."""
    if not isinstance(value, str):
        return None
    match = _REFERENCE.fullmatch(value)
    return match[1] if match else text(value)


def filled(document: dict[str, object]) -> dict[str, object]:
    """The document without what is empty."""
    return {key: held for key, held in document.items() if held not in (None, "", [], {})}
