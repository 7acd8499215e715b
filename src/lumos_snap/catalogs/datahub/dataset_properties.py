"""Dataset properties ↔ aspects: names, descriptions, field metadata, deprecation, views."""

import datetime

from lumos_snap.catalogs.datahub.aspect import (
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    drop_none,
    get_list,
    within,
)
from lumos_snap.catalogs.datahub.ownership_and_tags import ids_of, tags, terms
from lumos_snap.catalogs.datahub.urns import fits
from lumos_snap.json_object import JsonObject

_DAY = 24 * 60 * 60 * 1000
_START = datetime.date(1970, 1, 1)
_SUBTYPES = {
    "TABLE": "Table", "VIEW": "View", "FILES": "Files", "TOPIC": "Topic", "STREAM": "Stream",
    "MODEL": "Model", "OTHER": "Other",
}  # fmt: skip
_KINDS = {there: here for here, there in _SUBTYPES.items()}


def _properties(document: Document, _scope: Scope) -> Aspect:
    return drop_none(
        customProperties={},
        name=document["name"],
        qualifiedName=document["urn"],
        description=document.get("storage", {}).get("description"),
    )


PROPERTIES = Codec(
    "datasetProperties",
    (
        Home("name", "name", "follows from the urn, and is not read"),
        Home("urn", "qualifiedName", "likewise: the urn there is read"),
        Home("storage.description", "description", "the source's own words"),
    ),
    _properties,
    lambda aspect, _: within("storage", "description", value=aspect.get("description")),
)


def _editable(document: Document, _scope: Scope) -> Aspect | None:
    words = document.get("documentation", {})
    return drop_none(description=words.get("description"), name=words.get("title")) or None


def _our_words(aspect: Aspect, _scope: Scope) -> Document:
    found = {"title": aspect.get("name"), "description": aspect.get("description")}
    return within("documentation", value={name: one for name, one in found.items() if one})


EDITABLE = Codec(
    "editableDatasetProperties",
    (
        Home("documentation.title", "name", "what DataHub's pages show and edit"),
        Home("documentation.description", "description", "likewise"),
    ),
    _editable,
    _our_words,
)


def _field_words(document: Document, scope: Scope) -> Aspect | None:
    found: dict[str, dict[str, object]] = {}
    for one in document.get("documentation", {}).get("fields", ()):
        if "description" in one and scope.can_say(one["path"]):
            found[one["path"]] = {"description": one["description"]}
    for one in document.get("governance", {}).get("fields", ()):
        if scope.can_say(one["path"]):
            marks = drop_none(
                globalTags=tags(one.get("tags", ()), scope),
                glossaryTerms=terms(one.get("terms", ()), scope),
            )
            if marks:
                found.setdefault(one["path"], {}).update(marks)
    infos = [{"fieldPath": scope.field(path), **one} for path, one in sorted(found.items())]
    return {"editableSchemaFieldInfo": infos} if infos else None


def _our_field_words(aspect: Aspect, scope: Scope) -> Document:
    words: dict[str, Document] = {}
    marks: dict[str, Document] = {}
    for info in get_list(aspect, "editableSchemaFieldInfo"):
        path = scope.our_field(info["fieldPath"])
        if info.get("description"):
            words.setdefault(path, {"path": path, "description": info["description"]})
        found = _marks(info, scope)
        if found:
            marks.setdefault(path, {"path": path, **found})
    return {
        **within("documentation", "fields", value=list(words.values())),
        **within("governance", "fields", value=list(marks.values())),
    }


def _marks(info: JsonObject, scope: Scope) -> Document:
    tagged = ids_of(get_list(info.get("globalTags") or {}, "tags"), "tag", scope)
    meant = ids_of(get_list(info.get("glossaryTerms") or {}, "terms"), "urn", scope)
    return drop_none(tags=tagged or None, terms=meant or None)


FIELDS = Codec(
    "editableSchemaMetadata",
    (
        Home("documentation.fields[].description", "editableSchemaFieldInfo[].description"),
        Home("governance.fields[].tags", "editableSchemaFieldInfo[].globalTags"),
        Home("governance.fields[].terms", "editableSchemaFieldInfo[].glossaryTerms"),
    ),
    _field_words,
    _our_field_words,
)


def _kind(document: Document, _scope: Scope) -> Aspect | None:
    return {"typeNames": [_SUBTYPES[document["kind"]]]} if "kind" in document else None


def _our_kind(aspect: Aspect, _scope: Scope) -> Document:
    known = (name for name in get_list(aspect, "typeNames") if name in _KINDS)
    return within("kind", value=_KINDS.get(next(known, "")))


SUBTYPES = Codec("subTypes", (Home("kind", "typeNames[]"),), _kind, _our_kind)


def _deprecation(document: Document, scope: Scope) -> Aspect | None:
    contract = document.get("contract", {})
    if "deprecated" not in contract:
        return None
    next_one = contract.get("replaced_by")
    urn = scope.identity.dataset(next_one) if next_one else None
    return drop_none(
        deprecated=True,
        note=contract["deprecated"],
        actor=scope.identity.naming.actor,
        decommissionTime=_moment(contract.get("sunset")),
        replacement=urn if urn and fits(urn) else None,
    )


def _moment(day: str | None) -> int | None:
    """A day in milliseconds since 1970; None if the text is no valid date."""
    try:
        found = datetime.date.fromisoformat(day or "")
    except ValueError:
        return None
    return (found - _START).days * _DAY


def _our_deprecation(aspect: Aspect, scope: Scope) -> Document:
    if not aspect.get("deprecated"):
        return {}
    theirs = aspect.get("replacement") or ""
    is_dataset = theirs.startswith("urn:li:dataset:")
    found = drop_none(
        deprecated=aspect.get("note") or "deprecated",
        sunset=_day(aspect.get("decommissionTime")),
        replaced_by=scope.identity.of_dataset(theirs) if is_dataset else None,
    )
    return {"contract": found}


def _day(moment: int | None) -> str | None:
    try:
        return None if moment is None else str(_START + datetime.timedelta(days=moment // _DAY))
    except OverflowError:
        return None


DEPRECATION = Codec(
    "deprecation",
    (
        Home("contract.deprecated", "note", "with `deprecated: true`"),
        Home("contract.sunset", "decommissionTime", "beside `contract.deprecated` only"),
        Home("contract.replaced_by", "replacement", "beside `contract.deprecated` only"),
    ),
    _deprecation,
    _our_deprecation,
)
STATUS = Codec(
    "status",
    (),
    lambda _document, _scope: {"removed": False},
    lambda _aspect, _scope: {},
)


def _view(document: Document, _scope: Scope) -> Aspect | None:
    storage = document.get("storage", {})
    if "definition" not in storage:
        return None
    return {"materialized": False, "viewLogic": storage["definition"], "viewLanguage": "SQL"}


VIEW = Codec(
    "viewProperties",
    (Home("storage.definition", "viewLogic"),),
    _view,
    lambda aspect, _: within("storage", "definition", value=aspect.get("viewLogic")),
)


def _instance(document: Document, scope: Scope) -> Aspect | None:
    instance = scope.identity.naming.instance
    if not instance:
        return None
    platform = scope.identity.platform(document["platform"])
    urn = f"urn:li:dataPlatformInstance:({platform},{instance})"
    return {"platform": platform, "instance": urn}


INSTANCE = Codec(
    "dataPlatformInstance",
    (Home("platform", "platform", "where there is an instance; it is not read"),),
    _instance,
    lambda _aspect, _scope: {},
)
