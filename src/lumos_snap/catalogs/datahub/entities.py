"""Users, groups, terms, domains, tags, properties and jobs ↔ their DataHub aspects."""

from collections.abc import Iterable, Mapping
from typing import Any

from lumos_snap.catalogs.datahub.aspect import (
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    drop_none,
    get_list,
)
from lumos_snap.catalogs.datahub.urns import escape_urn_part, fits
from lumos_snap.json_object import JsonObject


def _urns(ids: Iterable[str] | None, kind: str, scope: Scope) -> list[str]:
    urns = (scope.identity.entity(kind, one) for one in ids or ())
    return [urn for urn in urns if fits(urn)]


def _ids(urns: Iterable[str] | None, scope: Scope) -> list[str] | None:
    return sorted({scope.identity.of_entity(urn) for urn in urns or ()}) or None


def _texts(aspect: JsonObject, names: Mapping[str, str]) -> Document:
    """Some texts of an aspect under our names; empty ones are left out."""
    return {ours: aspect[theirs] for ours, theirs in names.items() if aspect.get(theirs)}


_USER = {"name": "displayName", "title": "title", "email": "email"}
USER_INFO = Codec(
    "corpUserInfo",
    (Home("active", "active", "`true` where ours says nothing"),),
    lambda document, _: {"customProperties": {}, "active": document.get("active", True)},
    lambda aspect, _: {
        **_texts(aspect, _USER),
        **({"active": False} if aspect.get("active") is False else {}),
    },
)
_USER_WORDS = {**_USER, "description": "aboutMe"}
USER_WORDS = Codec(
    "corpUserEditableInfo",
    tuple(Home(ours, theirs) for ours, theirs in _USER_WORDS.items()),
    lambda document, _: _write_words(document, _USER_WORDS),
    lambda aspect, _: _texts(aspect, _USER_WORDS),
)
MEMBERSHIP = Codec(
    "groupMembership",
    (Home("groups", "groups[]"),),
    lambda document, scope: _some("groups", _urns(document.get("groups"), "corpGroup", scope)),
    lambda aspect, scope: drop_none(groups=_ids(aspect.get("groups"), scope)),
)


def _write_words(document: Document, names: Mapping[str, str]) -> Aspect | None:
    found = {theirs: document[ours] for ours, theirs in names.items() if ours in document}
    return found or None


def _some(name: str, urns: list[str]) -> Aspect | None:
    return {name: urns} if urns else None


_GROUP_WORDS = {"description": "description", "email": "email"}
GROUP_INFO = Codec(
    "corpGroupInfo",
    (Home("name", "displayName"), Home("members", "members[]")),
    lambda document, scope: drop_none(
        displayName=document.get("name"),
        admins=[],
        members=_urns(document.get("members"), "corpuser", scope),
        groups=[],
    ),
    lambda aspect, scope: {
        **_texts(aspect, {**_GROUP_WORDS, "name": "displayName"}),
        **drop_none(members=_ids(aspect.get("members"), scope)),
    },
)
GROUP_WORDS = Codec(
    "corpGroupEditableInfo",
    tuple(Home(ours, theirs) for ours, theirs in _GROUP_WORDS.items()),
    lambda document, _: _write_words(document, _GROUP_WORDS),
    lambda aspect, _: _texts(aspect, _GROUP_WORDS),
)
_TERM = {"name": "name", "description": "definition", "source": "sourceRef"}
TERM_INFO = Codec(
    "glossaryTermInfo",
    tuple(Home(ours, theirs) for ours, theirs in _TERM.items()),
    lambda document, _: {
        "customProperties": {},
        **drop_none(name=document.get("name"), sourceRef=document.get("source")),
        "definition": document.get("description", ""),
        "termSource": "EXTERNAL" if "source" in document else "INTERNAL",
    },
    lambda aspect, _: _texts(aspect, _TERM),
)


def _write_relations(document: Document, scope: Scope) -> Aspect | None:
    parent = [document["parent"]] if "parent" in document else []
    found = {
        "isRelatedTerms": _urns(parent, "glossaryTerm", scope),
        "relatedTerms": _urns(document.get("related"), "glossaryTerm", scope),
    }
    return {name: urns for name, urns in found.items() if urns} or None


RELATED = Codec(
    "glossaryRelatedTerms",
    (
        Home("parent", "isRelatedTerms[0]", "what it is a kind of"),
        Home("related", "relatedTerms[]"),
    ),
    _write_relations,
    lambda aspect, scope: drop_none(
        parent=next(map(scope.identity.of_entity, get_list(aspect, "isRelatedTerms")), None),
        related=_ids(aspect.get("relatedTerms"), scope),
    ),
)


def name_or_id(document: Document) -> str:
    """The name that DataHub requires: the id if the document has none."""
    found: str = document["name"] if "name" in document else document["id"]
    return found


def our_name(aspect: JsonObject, ours: str) -> str | None:
    """The name of an aspect; None if it equals the id, which stands in for a missing name."""
    name: Any = aspect.get("name")
    return name if name and name != ours else None


def _domain(document: Document, scope: Scope) -> Aspect:
    parent = _urns([document["parent"]] if "parent" in document else (), "domain", scope)
    return drop_none(
        customProperties={},
        name=name_or_id(document),
        description=document.get("description"),
        parentDomain=next(iter(parent), None),
    )


DOMAIN = Codec(
    "domainProperties",
    (
        Home("name", "name", "the id, where ours has none"),
        Home("description", "description"),
        Home("parent", "parentDomain"),
    ),
    _domain,
    lambda aspect, scope: drop_none(
        name=our_name(aspect, scope.identity.of_entity(scope.urn)),
        description=aspect.get("description") or None,
        parent=aspect.get("parentDomain") and scope.identity.of_entity(aspect["parentDomain"]),
    ),
)
TAG = Codec(
    "tagProperties",
    (
        Home("name", "name", "empty, where ours has none"),
        Home("description", "description"),
        Home("color", "colorHex"),
    ),
    lambda document, _: drop_none(
        name=document.get("name", ""),
        description=document.get("description"),
        colorHex=document.get("color"),
    ),
    lambda aspect, _: _texts(
        aspect, {"name": "name", "description": "description", "color": "colorHex"}
    ),
)

_DATA_TYPE = "urn:li:dataType:datahub."
_VALUES = {"text": "string", "number": "number", "date": "date", "urn": "urn"}
_OURS = {there: here for here, there in _VALUES.items()} | {"rich_text": "text"}
_QUALIFIER = "lumos.type"
_NONE = "none"


def _definition(document: Document, scope: Scope) -> Aspect:
    type_ = document.get("type", _NONE)
    qualifier = None if type_ in _VALUES else {_QUALIFIER: [type_]}
    values = [{"value": {"string": one}} for one in document.get("values", ())]
    return drop_none(
        qualifiedName=escape_urn_part(document["id"]),
        displayName=document.get("name"),
        valueType=_DATA_TYPE + _VALUES.get(type_, "string"),
        typeQualifier=qualifier,
        allowedValues=values or None,
        cardinality="MULTIPLE" if document.get("multiple") else "SINGLE",
        entityTypes=["urn:li:entityType:datahub.dataset"],
        description=document.get("description"),
    )


def _our_definition(aspect: Aspect, _scope: Scope) -> Document:
    values = (next(iter((one.get("value") or {}).values()), "") for one in _read_allowed(aspect))
    type_ = _OURS.get(aspect.get("valueType", "").removeprefix(_DATA_TYPE))
    qualifier = (aspect.get("typeQualifier") or {}).get(_QUALIFIER)
    if qualifier and type_ == "text":
        type_ = "boolean" if qualifier == ["boolean"] else None
    return {
        **_texts(aspect, {"name": "displayName", "description": "description"}),
        **drop_none(
            type=type_,
            multiple=aspect.get("cardinality") == "MULTIPLE" or None,
            values=sorted({str(one) for one in values if one != ""}) or None,
        ),
    }


def _read_allowed(aspect: Aspect) -> list[Aspect]:
    return get_list(aspect, "allowedValues")


PROPERTY = Codec(
    "propertyDefinition",
    (
        Home("id", "qualifiedName", "the urn is read"),
        Home("name", "displayName"),
        Home("description", "description"),
        Home("type", "valueType", "`boolean`, and none, are texts there, with a `typeQualifier`"),
        Home("multiple", "cardinality"),
        Home("values", "allowedValues[]"),
    ),
    _definition,
    _our_definition,
)


_SIDES = {"inputs": "inputDatasets", "outputs": "outputDatasets"}


def _info(document: Document, _scope: Scope) -> Aspect:
    return drop_none(
        customProperties={},
        name=name_or_id(document),
        externalUrl=document.get("code"),
        type={"string": document.get("type", "")},
    )


def _our_info(aspect: Aspect, scope: Scope) -> Document:
    type_ = aspect.get("type") or {}
    known = type_ if isinstance(type_, str) else next(iter(type_.values()), None)
    return drop_none(
        name=our_name(aspect, scope.identity.of_job(scope.urn) or scope.urn),
        description=aspect.get("description") or None,
        code=aspect.get("externalUrl") or None,
        type=known or None,
    )


INFO = Codec(
    "dataJobInfo",
    (
        Home("name", "name", "the id, where ours has none"),
        Home("code", "externalUrl"),
        Home("type", "type"),
    ),
    _info,
    _our_info,
)
WORDS = Codec(
    "editableDataJobProperties",
    (Home("description", "description", "what DataHub's pages show and edit"),),
    lambda document, _: drop_none(description=document.get("description")) or None,
    lambda aspect, _: drop_none(description=aspect.get("description") or None),
)


def _sides(document: Document, scope: Scope) -> Aspect | None:
    found = {
        theirs: [urn for urn in map(scope.identity.dataset, document.get(ours, ())) if fits(urn)]
        for ours, theirs in _SIDES.items()
    }
    return found if any(found.values()) else None


def _our_sides(aspect: Aspect, scope: Scope) -> Document:
    found = {
        ours: sorted({scope.identity.of_dataset(urn) for urn in get_list(aspect, theirs)})
        for ours, theirs in _SIDES.items()
    }
    return {name: urns for name, urns in found.items() if urns}


SIDES = Codec(
    "dataJobInputOutput",
    (Home("inputs", "inputDatasets[]"), Home("outputs", "outputDatasets[]")),
    _sides,
    _our_sides,
)
