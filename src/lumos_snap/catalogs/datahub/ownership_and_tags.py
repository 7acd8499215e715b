"""Owners, tags, terms, the domain and links ↔ their aspects."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from lumos_snap.catalogs.datahub.aspect import (
    NO_STAMP,
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    drop_none,
    get_list,
    within,
)
from lumos_snap.catalogs.datahub.urns import fits

_SYSTEM = "urn:li:ownershipType:__system__"
# Roles with a system ownership type, and roles that only the old enumeration has.
_SYSTEM_TYPES = ("TECHNICAL_OWNER", "BUSINESS_OWNER", "DATA_STEWARD")
_OLD_TYPES = ("DEVELOPER", "DATAOWNER", "DELEGATE", "PRODUCER", "CONSUMER", "STAKEHOLDER")
_OWNERS = {"user": "corpuser", "group": "corpGroup"}


def associations(ids: Iterable[str], kind: str, key: str, scope: Scope) -> list[Aspect]:
    """Tags or terms as DataHub associations, without those whose urns are too long."""
    urns = (scope.identity.entity(kind, one) for one in ids)
    return [{key: urn, "attribution": scope.attribution()} for urn in urns if fits(urn)]


def ids_of(items: Iterable[Aspect], key: str, scope: Scope) -> list[str]:
    """The ids of DataHub tags or terms, each once."""
    return sorted({scope.identity.of_entity(one[key]) for one in items if one.get(key)})


def tags(ids: Iterable[str], scope: Scope) -> Aspect | None:
    """Build the aspect of some tags."""
    found = associations(ids, "tag", "tag", scope)
    return {"tags": found} if found else None


def terms(ids: Iterable[str], scope: Scope) -> Aspect | None:
    """Build the aspect of some terms."""
    found = associations(ids, "glossaryTerm", "urn", scope)
    return {"terms": found, "auditStamp": dict(NO_STAMP)} if found else None


def _governance(document: Document) -> Any:
    return document.get("governance", {})


TAGS = Codec(
    "globalTags",
    (Home("governance.tags", "tags[].tag", "marked as ours by `attribution`"),),
    lambda document, scope: tags(_governance(document).get("tags", ()), scope),
    lambda aspect, scope: within(
        "governance", "tags", value=ids_of(get_list(aspect, "tags"), "tag", scope)
    ),
)
TERMS = Codec(
    "glossaryTerms",
    (Home("governance.terms", "terms[].urn", "marked as ours by `attribution`"),),
    lambda document, scope: terms(_governance(document).get("terms", ()), scope),
    lambda aspect, scope: within(
        "governance", "terms", value=ids_of(get_list(aspect, "terms"), "urn", scope)
    ),
)


def _domain(path: tuple[str, ...], document: Document, scope: Scope) -> Aspect | None:
    held: Any = document
    for name in path:
        held = held.get(name) or {}
    urn = scope.identity.entity("domain", held) if held else ""
    return {"domains": [urn]} if urn and fits(urn) else None


def _our_domain(path: tuple[str, ...], aspect: Aspect, scope: Scope) -> Document:
    first = next(iter(get_list(aspect, "domains")), None)
    return within(*path, value=first and scope.identity.of_entity(first))


def domain(*path: str) -> Codec:
    """The codec of a domain at a path of a document."""
    note = "the first one: DataHub's pages show no other"
    return Codec(
        "domains",
        (Home(".".join(path), "domains[0]", note),),
        partial(_domain, path),
        partial(_our_domain, path),
    )


def _owner(owner: Document, scope: Scope) -> Aspect | None:
    kind = "user" if "user" in owner else "group"
    urn = scope.identity.entity(_OWNERS[kind], owner[kind])
    type_, type_urn = _their_type(owner.get("type"), scope)
    if not fits(urn) or not fits(type_urn or ""):
        return None
    detail = {"description": owner["description"]} if "description" in owner else None
    return {
        **drop_none(owner=urn, type=type_, typeUrn=type_urn),
        "attribution": scope.attribution(detail),
    }


def _their_type(role: str | None, scope: Scope) -> tuple[str, str | None]:
    if role is None:
        return "NONE", f"{_SYSTEM}none"
    if role in _SYSTEM_TYPES:
        return role, _SYSTEM + role.lower()
    if role in _OLD_TYPES:
        return role, None
    return "CUSTOM", scope.identity.entity("ownershipType", role)


def _our_type(owner: Aspect, scope: Scope) -> str | None:
    urn = owner.get("typeUrn")
    if urn is None:
        role: str = owner.get("type", "NONE")
        return None if role == "NONE" else role
    if urn.startswith(_SYSTEM):
        name = urn.removeprefix(_SYSTEM).upper()
        return name if name in _SYSTEM_TYPES else None
    return scope.identity.of_entity(urn)


def _our_owner(owner: Aspect, scope: Scope) -> Document | None:
    for key, kind in _OWNERS.items():
        if owner["owner"].startswith(f"urn:li:{kind}:"):
            detail = (owner.get("attribution") or {}).get("sourceDetail") or {}
            found = drop_none(type=_our_type(owner, scope), description=detail.get("description"))
            return {key: scope.identity.of_entity(owner["owner"]), **found}
    return None


def _ownership(document: Document, scope: Scope) -> Aspect | None:
    owners = document.get("ownership", {}).get("owners", ())
    found = [theirs for one in owners if (theirs := _owner(one, scope))]
    return {"owners": found, "lastModified": dict(NO_STAMP)} if found else None


def _our_ownership(aspect: Aspect, scope: Scope) -> Document:
    found: dict[tuple[object, ...], Document] = {}
    for one in get_list(aspect, "owners"):
        owner = _our_owner(one, scope)
        if owner is not None:
            found.setdefault(tuple(map(owner.get, ("user", "group", "type"))), owner)
    return within("ownership", "owners", value=list(found.values()))


OWNERSHIP = Codec(
    "ownership",
    (
        Home("ownership.owners[].user", "owners[].owner", "`corpuser`"),
        Home("ownership.owners[].group", "owners[].owner", "`corpGroup`"),
        Home("ownership.owners[].type", "owners[].typeUrn", "a custom type where none is known"),
        Home("ownership.owners[].description", "owners[].attribution.sourceDetail"),
    ),
    _ownership,
    _our_ownership,
)


def _links(path: tuple[str, ...], document: Document, scope: Scope) -> Aspect | None:
    held: Any = document
    for name in path:
        held = held.get(name) or {}
    stamp = {"time": 0, "actor": scope.identity.naming.actor}
    found = [
        {"url": one["url"], "description": one.get("label", ""), "createStamp": stamp}
        for one in held
    ]
    return {"elements": found} if found else None


def _our_links(path: tuple[str, ...], aspect: Aspect, _scope: Scope) -> Document:
    found: dict[str, Document] = {}
    for one in get_list(aspect, "elements"):
        if one.get("url"):
            link = drop_none(url=one["url"], label=one.get("description") or None)
            found.setdefault(one["url"], link)
    return within(*path, value=list(found.values()))


def links(*path: str) -> Codec:
    """The codec of links at a path of a document."""
    at = ".".join(path)
    return Codec(
        "institutionalMemory",
        (
            Home(f"{at}[].url", "elements[].url"),
            Home(f"{at}[].label", "elements[].description"),
        ),
        partial(_links, path),
        partial(_our_links, path),
    )
