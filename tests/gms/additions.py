"""What the server adds by itself: aspects of a new entity, and parts of a few values."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.gms import urns
from tests.gms.models import aspects_of, key_of

Json = Any
_SYSTEM_TYPE = "urn:li:ownershipType:__system__"


def of_new_entity(urn: str) -> Iterator[tuple[str, Json]]:
    """The aspects that an entity gets with its first one."""
    entity = urns.entity_of(urn)
    key = urns.key(urn)
    yield key_of(entity), key
    may_have = frozenset(aspects_of(entity))
    if "browsePathsV2" in may_have:
        yield "browsePathsV2", {"path": [{"id": "Default"}]}
    platform = key.get("platform")
    if "dataPlatformInstance" in may_have and platform:
        yield "dataPlatformInstance", {"platform": platform}
    lowercased = urns.lowercased(urn)
    if "aliases" in may_have and lowercased != urn:
        yield "aliases", {"lowercasedUrn": lowercased}


def completed(aspect: str, value: Json) -> Json:
    """A value with what the server puts into it, after it was compared with the stored one."""
    if aspect == "ownership":
        return {**value, "ownerTypes": _owner_types(value)}
    if aspect == "domains" and value.get("domains"):
        return {**value, "domainAssociations": _associations(value)}
    return value


def _owner_types(value: Json) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in value["owners"]:
        kind = one.get("typeUrn") or f"{_SYSTEM_TYPE}{one['type'].lower()}"
        found.setdefault(kind, []).append(one["owner"])
    return found


def _associations(value: Json) -> list[Mapping[str, Json]]:
    known = {one["domain"]: one for one in value.get("domainAssociations", ())}
    return [known.get(domain, {"domain": domain}) for domain in value["domains"]]
