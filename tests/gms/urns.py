"""Urns, and the keys that stand in them."""

import functools
from typing import Any
from urllib.parse import quote, unquote

from tests.gms.models import is_entity, key_fields
from tests.gms.refusals import BadUrn, Dropped

LONGEST = 512
"""Bytes of a urn, percent-encoded, that the real server's table holds."""
_PARTS = 4


@functools.lru_cache(maxsize=100_000)
def entity_of(urn: str) -> str:
    """The kind of entity that a urn names. Raises `BadUrn` where it is none."""
    parts = urn.split(":", _PARTS - 1)
    if len(parts) < _PARTS or parts[0] != "urn" or parts[1] != "li" or not parts[3]:
        raise BadUrn(urn)
    if (
        not is_entity(parts[2])
        or urn != urn.strip()
        or len(_elements(parts[3], urn)) != len(key_fields(parts[2]))
    ):
        raise BadUrn(urn)
    return parts[2]


@functools.lru_cache(maxsize=100_000)
def check(urn: str) -> str:
    """The kind of entity, where the urn can be stored; what rest.li leaves out is `Dropped`."""
    entity = entity_of(urn)
    if len(quote(urn, safe="")) > LONGEST:
        raise Dropped(f"Error: cannot provide an URN longer than {LONGEST} bytes: {urn}")
    for (name, symbols), value in zip(key_fields(entity), _values(urn), strict=True):
        if symbols and value not in symbols:
            raise Dropped(f"Invalid urn {urn}: {value} is not a value of {name}")
    return entity


def key(urn: str) -> dict[str, Any]:
    """The key aspect that a urn says."""
    names = (name for name, _ in key_fields(entity_of(urn)))
    return dict(zip(names, _values(urn), strict=True))


def lowercased(urn: str) -> str:
    """The same urn, its name in lower case; platform and environment stay."""
    parts = key(urn)
    name = next((parts[one] for one in ("name", "id", "guid") if one in parts), "")
    return urn.replace(name, name.lower()) if name else urn


def _values(urn: str) -> list[str]:
    return [unquote(one) for one in _elements(urn.split(":", _PARTS - 1)[3], urn)]


def _elements(content: str, urn: str) -> list[str]:
    """The elements of `(a,(b,c),d)`, of which only the outer commas count."""
    if not content.startswith("("):
        return [content]
    found, depth, start = [], 0, 1
    for at, letter in enumerate(content):
        depth += (letter == "(") - (letter == ")")
        if depth < 1 and at < len(content) - 1:
            raise BadUrn(urn)
        if (letter == "," and depth == 1) or at == len(content) - 1:
            found.append(content[start:at])
            start = at + 1
    if depth or not all(found):
        raise BadUrn(urn)
    return found
