"""Names in Spark's SQL: parts with dots between them, odd ones in backticks."""

import re

from lumos_snap.errors import LumosError

Parts = tuple[str, ...]

_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_SYSTEM = frozenset(("information_schema", "global_temp", "sys", "pg_catalog"))


def quoted(parts: Parts) -> str:
    """A name as SQL takes it, whatever its parts hold."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def parsed(text: str) -> Parts:
    """The parts of a name as Spark writes it, and people do."""
    parts: list[str] = []
    at = 0
    while (found := _PART.match(text, at)) is not None:
        quotes, plain = found.groups()
        parts.append(quotes.replace("``", "`") if quotes else plain)
        at = found.end() + 1
        if found.end() == len(text):
            return tuple(parts)
        if text[found.end()] != ".":
            break
    raise LumosError(f"{text!r} is no name in Spark", hint="write `catalog.database`")


def is_system(database: Parts) -> bool:
    """Whether a database holds what the system says of itself."""
    return database[-1].lower() in _SYSTEM
