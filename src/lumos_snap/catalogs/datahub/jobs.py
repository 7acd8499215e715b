"""Jobs ↔ data jobs: all of ours stand in one flow."""

from lumos_snap.catalogs.datahub.codec import Aspect, Codec, Document, Home, Scope, listed, said
from lumos_snap.catalogs.datahub.entities import named, our_name
from lumos_snap.catalogs.datahub.identity import fits

_SIDES = {"inputs": "inputDatasets", "outputs": "outputDatasets"}


def _info(document: Document, _scope: Scope) -> Aspect:
    return said(
        customProperties={},
        name=named(document),
        externalUrl=document.get("code"),
        type={"string": document.get("type", "")},
    )


def _our_info(aspect: Aspect, scope: Scope) -> Document:
    type_ = aspect.get("type") or {}
    known = type_ if isinstance(type_, str) else next(iter(type_.values()), None)
    return said(
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
    lambda document, _: said(description=document.get("description")) or None,
    lambda aspect, _: said(description=aspect.get("description") or None),
)


def _sides(document: Document, scope: Scope) -> Aspect | None:
    found = {
        theirs: [urn for urn in map(scope.identity.dataset, document.get(ours, ())) if fits(urn)]
        for ours, theirs in _SIDES.items()
    }
    return found if any(found.values()) else None


def _our_sides(aspect: Aspect, scope: Scope) -> Document:
    found = {
        ours: sorted({scope.identity.of_dataset(urn) for urn in listed(aspect, theirs)})
        for ours, theirs in _SIDES.items()
    }
    return {name: urns for name, urns in found.items() if urns}


SIDES = Codec(
    "dataJobInputOutput",
    (Home("inputs", "inputDatasets[]"), Home("outputs", "outputDatasets[]")),
    _sides,
    _our_sides,
)
