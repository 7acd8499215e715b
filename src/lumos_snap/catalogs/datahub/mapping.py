"""Documents ↔ aspects: pure functions over plain JSON, the entry point of the mapping.

Content that DataHub's pages show is stored in the aspect that they show it from. Unmapped content
is stored as text in the custom properties, if the entity type has any; the rest is lost, and
`capabilities.losses` lists it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.datahub import quality
from lumos_snap.catalogs.datahub.aspect import Aspect, Document, Scope
from lumos_snap.catalogs.datahub.aspect_merge import without_nothing
from lumos_snap.catalogs.datahub.aspect_registry import TABLES, KindMapping
from lumos_snap.catalogs.datahub.custom_properties import fill_gaps, missing, of_texts, to_texts
from lumos_snap.catalogs.datahub.field_paths import is_v2
from lumos_snap.catalogs.datahub.schema import COLUMNS, SCHEMA, our_schema
from lumos_snap.catalogs.datahub.settings import PathStyle
from lumos_snap.catalogs.datahub.urns import UrnMapper, fits
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Value
from lumos_snap.schema.fast_check import fits as fits_class

Aspects = Mapping[str, JsonObject]

_FORMAT = "lumos_version"


@dataclass(frozen=True, slots=True)
class MappedDocument:
    """The aspects and companions that represent a document in the catalog."""

    urn: str
    aspects: dict[str, Aspect] = field(default_factory=dict)
    """By name. Empty: the document is not supported."""
    companions: dict[str, dict[str, Aspect]] = field(default_factory=dict)
    """Entities that represent a part of it, by urn: the assertions of a dataset."""


def to_aspects(document: JsonObject, kind: DocumentKind, identity: UrnMapper) -> MappedDocument:
    """Convert a canonical document to aspects."""
    table = TABLES[kind.name]
    scope = scope_of(document, kind, identity)
    urn = scope.urn
    if not fits(urn):
        return MappedDocument(urn)
    whole = dict(document)
    written = ((codec.aspect, codec.write(whole, scope)) for codec in table.codecs)
    aspects = {name: dict(aspect) for name, aspect in written if aspect is not None}
    companions = {}
    if kind is SNAPSHOT:
        found = quality.assertions(whole, scope)
        companions = {one: {quality.ASPECT: info} for one, info in found.items()}
    if table.texts:
        held = _read_aspects(table, scope, _without_columns(aspects), companions)
        texts = to_texts(_rest(whole, held, kind), kind.cls)
        if companions:
            texts[quality.INDEX] = orjson.dumps(list(companions)).decode()
        aspects[table.texts]["customProperties"] = texts
    return MappedDocument(urn, {**aspects}, companions)


def scope_of(document: JsonObject, kind: DocumentKind, identity: UrnMapper) -> Scope:
    """The scope for writing a document."""
    scope = Scope(identity, TABLES[kind.name].theirs(identity, document[kind.identity]))
    if identity.naming.field_paths is not PathStyle.V2:
        return scope
    return scope.with_columns(document.get("schema", {}).get("fields", ()))


def _reading(identity: UrnMapper, urn: str, schema: JsonObject) -> Scope:
    """The scope for reading aspects, given their `schemaMetadata`."""
    scope = Scope(identity, urn)
    if any(is_v2(one["fieldPath"]) for one in schema.get("fields", ())):
        return scope.with_columns(our_schema(dict(schema)).get("fields", ()))
    return scope


def _without_columns(aspects: Aspects) -> Aspects:
    """Aspects without the columns: these survive the round trip, and are the slowest to read."""
    schema = aspects.get(SCHEMA.aspect)
    return aspects if schema is None else {**aspects, SCHEMA.aspect: {**schema, "fields": []}}


def _rest(document: Document, held: Document, kind: DocumentKind) -> JsonObject:
    if kind is SNAPSHOT and "schema" in document:
        schema = {name: one for name, one in document["schema"].items() if name not in COLUMNS}
        document = {**document, "schema": schema}
    rest = missing(document, held, kind.cls)
    for name in (kind.identity, *(("name", "platform") if kind is SNAPSHOT else ())):
        rest.pop(name, None)
    if rest.get(_FORMAT) == FORMAT_VERSION:
        del rest[_FORMAT]
    return rest


def _read_aspects(
    table: KindMapping, scope: Scope, aspects: Aspects, companions: Mapping[str, Aspects]
) -> Any:
    """Read a document from its mapped aspects, without custom properties."""
    found: JsonObject = {}
    for codec in table.codecs:
        if codec.aspect in aspects:
            found = _join_documents(found, codec.read(dict(aspects[codec.aspect]), scope))
    infos = {
        urn: held[quality.ASPECT] for urn, held in companions.items() if quality.ASPECT in held
    }
    if table.kind is SNAPSHOT and (checks := quality.our_checks(infos, scope)):
        found = _join_documents(found, {"quality": {"checks": checks}})
    return found


def _join_documents(one: Document, other: Document) -> Document:
    """Merge two documents; sections are merged key by key, and the later value wins."""
    sections = {
        name: {**one[name], **held}
        for name, held in other.items()
        if isinstance(held, dict) and isinstance(one.get(name), dict)
    }
    return {**one, **other, **sections}


def from_aspects(
    kind: DocumentKind,
    urn: str,
    aspects: Aspects,
    identity: UrnMapper,
    companions: Mapping[str, Aspects] | None = None,
) -> Document:
    """Convert aspects of any author to a canonical document.

    Its structure is valid; raises `OutsideError` if a damaged aspect prevents that.
    """
    try:
        document = _read(kind, urn, aspects, Scope(identity, urn), companions or {})
        is_right = fits_class(document, kind.cls) or not _misfits(document, kind.cls)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, LumosError) as exc:
        raise _damage_error(urn) from exc
    if not is_right:
        raise _damage_error(urn)
    return canonical_document(document, kind.cls)


def _damage_error(urn: str) -> OutsideError:
    return OutsideError(
        f"{urn}: an aspect there is not what DataHub writes",
        hint="look at it in the catalog, and restore or delete it there",
    )


def _misfits(document: Document, cls: type[Value]) -> tuple[object, ...]:
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - it takes long to load

    return misfits(document, cls)


def _read(
    kind: DocumentKind,
    urn: str,
    aspects: Aspects,
    scope: Scope,
    companions: Mapping[str, Aspects],
) -> Document:
    table = TABLES[kind.name]
    known = {name: without_nothing(aspect) for name, aspect in aspects.items()}
    scope = _reading(scope.identity, urn, known.get(SCHEMA.aspect, {}))
    held = _read_aspects(table, scope, known, without_nothing(companions))
    texts = known.get(table.texts, {}).get("customProperties") or {}
    rest = of_texts(texts, kind.cls)
    document = fill_gaps(held, rest, kind.cls)
    format_version = {_FORMAT: rest[_FORMAT]} if _FORMAT in rest else {}
    return {**document, **table.ours(scope.identity, urn), **format_version}


def read_aspects_alone(
    kind: DocumentKind, urn: str, some: Aspects, aspects: Aspects, identity: UrnMapper
) -> Document:
    """Read some aspects of an entity by themselves, given all of them."""
    schema = without_nothing(aspects.get(SCHEMA.aspect, {}))
    scope = _reading(identity, urn, schema)
    found: Document = _read_aspects(TABLES[kind.name], scope, without_nothing(some), {})
    return found


def companion_urns(kind: DocumentKind, aspects: Aspects) -> tuple[str, ...]:
    """The urns of the entities that represent parts of a document, as its aspects name them."""
    held = aspects.get(TABLES[kind.name].texts, {})
    return quality.assertion_urns_in(held.get("customProperties") or {})


def project_document(
    document: JsonObject, kind: DocumentKind, identity: UrnMapper
) -> Document | None:
    """Reduce a canonical document to what the catalog can store; None if it is not supported."""
    theirs = to_aspects(document, kind, identity)
    if not theirs.aspects:
        return None
    return from_aspects(kind, theirs.urn, theirs.aspects, identity, theirs.companions)


def is_removed(aspects: Aspects) -> bool:
    """Whether an entity is soft-deleted."""
    return bool(aspects.get("status", {}).get("removed"))
