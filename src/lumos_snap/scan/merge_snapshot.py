"""Merges the result of a scan into a snapshot: source metadata is replaced, all else is kept.

Each table format has property names of its own. Properties of other origin are kept, and a property
that was unset is removed.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.rule_checks import check_key_columns, displayable_name
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, Step, format_path, walk
from lumos_snap.model.snapshot import DatasetKind, Partition, Schema, Storage
from lumos_snap.model.types import Kind
from lumos_snap.model.urn import parse_urn
from lumos_snap.scan.description import DatasetDescription
from lumos_snap.scan.newest_data import remove_marks
from lumos_snap.scan.schemas.supertype import NO_PARAMETERS, union_scalars
from lumos_snap.scan.schemas.union import union_schemas
from lumos_snap.schema import Document, document_of, value_of

Stored = JsonObject


class OwnedKeys(NamedTuple):
    """The keys that a format determines, besides the columns."""

    schema: frozenset[str]
    """Keys of `schema`."""
    properties: tuple[str, ...]
    """Names in `storage.properties`; those that end with a dot are prefixes."""
    storage: frozenset[str] = frozenset()
    """Keys of `storage` that no other format determines."""
    all_properties: bool = False


OWNED_KEYS: Mapping[str, OwnedKeys] = {
    "delta": OwnedKeys(frozenset(("constraints",)), ("delta.", "name", "clustering")),
    "iceberg": OwnedKeys(
        frozenset(("primary_key",)),
        (
            "write.",
            "read.",
            "history.expire.",
            "commit.",
            "compatibility.",
            "gc.enabled",
            "view_dialect",
            "view_names_in",
            "view_stored_in",
        ),
        frozenset(("compression", "definition")),
    ),
    "hudi": OwnedKeys(frozenset(("primary_key",)), ("hoodie.",)),
    "spark": OwnedKeys(
        frozenset(), (), frozenset(("bucketing", "definition")), all_properties=True
    ),
}
COMMON_STORAGE_KEYS = frozenset(
    (
        "file_format", "id", "reader_version", "writer_version", "column_mapping", "features",
        "sorting",
    )
)  # fmt: skip
"""Keys of `storage` that every format determines."""


def drop_owned_storage(storage: Stored, formats: Collection[str | None]) -> JsonObject:
    """Return a `storage` section without the keys that these formats determine."""
    owned = [OWNED_KEYS[one] for one in formats if one and one in OWNED_KEYS]
    if not owned:
        return dict(storage)
    keys = COMMON_STORAGE_KEYS.union(*(one.storage for one in owned))
    left = {name: held for name, held in storage.items() if name not in keys}
    names = [name for one in owned for name in one.properties]
    known = left.pop("properties", {})
    properties = {
        name: held
        for name, held in ({} if any(one.all_properties for one in owned) else known).items()
        if not any(name.startswith(one) if one.endswith(".") else name == one for one in names)
    }
    return {**left, "properties": properties} if properties else left


def drop_owned_schema(schema: Stored, formats: Collection[str | None]) -> JsonObject:
    """Return a `schema` section without the keys that these formats determine."""
    keys = {key for one in formats if one and one in OWNED_KEYS for key in OWNED_KEYS[one].schema}
    return {name: held for name, held in schema.items() if name not in keys}


_OWN_STORAGE = frozenset(
    ("format", "location", "files", "encoding", "description", "partitioning", "options")
)
"""Keys of `storage` that every scan replaces; all others are kept."""
_OWN_SCHEMA = frozenset(("inferred", "description", "fields", "definitions"))
_AS_IT_IS = "identity"
_HEADED = frozenset(("csv",))
"""Formats whose header lists the columns: only their types are inferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetLocation:
    """The location of a dataset, and the partitions in its path."""

    urn: str
    location: str | None
    files: str | None
    partitioning: tuple[Partition, ...]
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MergedSnapshot:
    """The document of a snapshot after a scan, with notes for the user."""

    document: Document
    notes: tuple[str, ...] = ()


def merge_snapshot(
    old: Document | None,
    place: DatasetLocation,
    found: DatasetDescription,
    *,
    environment: str | None,
    reinfer: bool,
    whole: bool,
    complete: bool,
) -> MergedSnapshot:
    """Build the snapshot of a dataset from its files and its old snapshot.

    If some files could not be read (`whole` is false), columns that the others lack are kept. If
    only a sample was read (`complete` is false), so are inferred columns that it lacks.
    """
    before = {**(old or _new_document(place.urn, _kind(found))), **_tree_keys(environment)}
    schema = found.united.schema
    storage = _build_storage(place, found)
    is_alike = _has_same_format(before, storage)
    kept_fields: tuple[str, ...] = ()
    if not whole and is_alike:
        schema, kept_fields = _keep_unread_fields(before, schema)
    if not reinfer and is_alike:
        schema = _widen_schema(before, schema, by_header=complete and found.format in _HEADED)
        storage = replace(storage, partitioning=_widen_partitions(before, storage.partitioning))
    schema = _mark_newest(before, schema, found)
    if found.leading.partitioning is None:
        storage = replace(storage, partitioning=_refer_to_fields(storage.partitioning, schema))
    formats = (before.get("storage", {}).get("format"), storage.format, found.format)
    kept, known = _foreign_sections(before, formats)
    told = {**found.leading.properties, **place.parameters}
    properties = {**kept.pop("properties", {}), **told}
    document = {
        **before,
        "storage": {**kept, **document_of(storage), "properties": properties},
        "schema": {**known, **document_of(schema)},
    }
    renewed_document, notes = _drop_gone_keys(document)
    twice = _note_duplicates(storage) if found.leading.partitioning is None else ()
    return MergedSnapshot(renewed_document, (*kept_fields, *notes, *twice))


def _mark_newest(before: Document, schema: Schema, found: DatasetDescription) -> Schema:
    """Mark the fields that the newest partition lacks; no mark of before stays by itself."""
    if found.newest is None:
        return remove_marks(schema)
    known = value_of(before.get("schema", {}), Schema) if found.newest.doubt else Schema()
    return found.newest.mark(schema, known)


def _foreign_sections(
    before: Document, formats: Sequence[str | None]
) -> tuple[dict[str, Any], Document]:
    """Return the parts of `storage` and `schema` that no scan of these formats writes."""
    storage = drop_owned_storage(before.get("storage", {}), formats)
    schema = drop_owned_schema(before.get("schema", {}), formats)
    return (
        {name: held for name, held in storage.items() if name not in _OWN_STORAGE},
        {name: held for name, held in schema.items() if name not in _OWN_SCHEMA},
    )


def _note_duplicates(storage: Storage) -> Iterator[str]:
    for one in storage.partitioning:
        if one.transform == _AS_IT_IS:
            yield f"{one.name} stands in the path and in the files: readers take one of the two"


def _tree_keys(environment: str | None) -> Document:
    """Keys that are configured for the whole tree."""
    return {} if environment is None else {"environment": environment}


def _new_document(urn: str, kind: DatasetKind) -> Document:
    parsed = parse_urn(urn)
    return {
        "lumos_version": FORMAT_VERSION,
        "urn": urn,
        "name": displayable_name(parsed),
        "platform": parsed.platform,
        "kind": kind.value,
    }


def _keep_unread_fields(before: Document, schema: Schema) -> tuple[Schema, tuple[str, ...]]:
    """Keep the known columns that unreadable files may still have."""
    names = {field.name for field in schema.fields}
    known = value_of(before.get("schema", {}), Schema)
    unread = tuple(replace(one, nullable=True) for one in known.fields if one.name not in names)
    if not unread:
        return schema, ()
    order = [one.name for one in known.fields]
    fields = sorted(
        (*schema.fields, *unread),
        key=lambda one: order.index(one.name) if one.name in order else len(order),
    )
    defined = {one.name for one in schema.definitions}
    more = (one for one in known.definitions if one.name not in defined)
    listed = ", ".join(one.name for one in unread)
    note = f"not all of it could be read: what is known of {listed} stays"
    definitions = (*schema.definitions, *more)
    return replace(schema, fields=tuple(fields), definitions=definitions), (note,)


def _build_storage(place: DatasetLocation, found: DatasetDescription) -> Storage:
    said = found.leading.partitioning
    return replace(
        found.leading.storage or Storage(),
        format=_format(found),
        location=place.location,
        files=None if found.leading.table else place.files,
        encoding=found.leading.encoding,
        description=found.leading.description,
        partitioning=place.partitioning if said is None else said,
        options=found.leading.options,
    )


def _format(found: DatasetDescription) -> str:
    """Return the format; a table from a catalog names its own."""
    said = found.leading.storage
    return (said.format if said else None) or found.format


def _kind(found: DatasetDescription) -> DatasetKind:
    if found.leading.table is None:
        return DatasetKind.FILES
    said = found.leading.storage
    is_view = found.leading.table.is_view or bool(said and said.definition)
    return DatasetKind.VIEW if is_view else DatasetKind.TABLE


def _has_same_format(before: Document, storage: Storage) -> bool:
    """Whether the old columns still apply: not if the format has changed."""
    return bool(before.get("storage", {}).get("format") == storage.format)


def _widen_schema(before: Document, schema: Schema, *, by_header: bool) -> Schema:
    """Widen inferred types by the old ones: they never narrow, because a sample may miss values."""
    said = before.get("schema", {})
    if not (schema.inferred and said.get("inferred")):
        return schema
    old = value_of(said, Schema)
    old = Schema(inferred=True, fields=old.fields, definitions=old.definitions)
    if not by_header:
        return union_schemas((old, schema), leading=True).schema
    names = {field.name for field in schema.fields}
    old = replace(old, fields=tuple(field for field in old.fields if field.name in names))
    return union_schemas((schema, old), leading=True).schema


def _widen_partitions(before: Document, now: Sequence[Partition]) -> tuple[Partition, ...]:
    """Widen partition types inferred from paths: they never narrow either."""
    said = value_of(before.get("storage", {}), Storage).partitioning
    old = {one.name: one for one in said if one.inferred}
    return tuple(_widen_partition(old.get(one.name), one) for one in now)


def _widen_partition(old: Partition | None, now: Partition) -> Partition:
    if old is None or not now.inferred:
        return now
    style = now.style if old.style == now.style else None
    if (old.type, old.format) == (now.type, now.format):
        return replace(now, style=style)
    if old.type is now.type:
        if old.type is Kind.DATE and old.format and now.format:  # two date formats: not a date
            now = replace(now, **{**NO_PARAMETERS, "type": Kind.STRING})
        return replace(now, format=None, style=style)
    wider = {**NO_PARAMETERS, **union_scalars((old, now), inferred=True)}
    return replace(now, **wider, format=None, style=style)


def _refer_to_fields(partitioning: Sequence[Partition], schema: Schema) -> tuple[Partition, ...]:
    """Refer a partition column that the files also contain to that field, unchanged."""
    names = {field.name for field in schema.fields}
    return tuple(
        replace(one, source=format_path((Part(Step.MEMBER, one.name),)), transform=_AS_IT_IS)
        if one.name in names
        else one
        for one in partitioning
    )


def _drop_gone_keys(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Drop keys and columns of sorting, bucketing and partitioning that no longer name a column."""
    sections: Document = {one: dict(document.get(one, {})) for one in ("schema", "storage")}
    notes = []
    for pointer, why in check_key_columns(document):
        section, name, *rest = map(str, pointer)
        notes.append(f"{why}: its entry in `{section}.{name}` is gone as well")
        held = sections[section]
        if rest:
            gone = document[section][name][int(rest[0])]
            held[name] = [one for one in held[name] if one is not gone]
        else:
            held.pop(name, None)
    kept = {one: held for one, held in sections.items() if one in document}
    return {**document, **kept}, tuple(notes)


_SCANNED_KEYS = frozenset(
    ("lumos_version", "urn", "name", "platform", "kind", "environment", "storage", "schema")
)


def has_curated_metadata(document: Document) -> bool:
    """Whether a document has metadata that a scan cannot restore."""
    storage, schema = _foreign_sections(document, (document.get("storage", {}).get("format"),))
    others = storage.keys() | schema.keys()
    return bool(others) or not _SCANNED_KEYS.issuperset(document)


def find_orphaned_metadata(document: Document) -> tuple[str, ...]:
    """Find curated metadata of fields that no longer exist: a sentence for each field."""
    spoken = tuple(_iter_curated_paths(document))
    if not spoken:
        return ()
    fields = value_of(document.get("schema", {}), Schema).fields
    there = {format_path(path) for path, _ in walk(fields)}
    partitions = document.get("storage", {}).get("partitioning", ())
    there |= {format_path((Part(Step.MEMBER, one["name"]),)) for one in partitions}
    lost: dict[str, list[str]] = {}
    for section, path in spoken:
        if path not in there:
            lost.setdefault(path, []).append(section)
    return tuple(
        f"{path} is gone, and still spoken of in {_join_sections(sections)}"
        for path, sections in lost.items()
    )


def _iter_curated_paths(document: Document) -> Iterator[tuple[str, str]]:
    for section in ("documentation", "governance", "contract"):
        yield from ((section, one["path"]) for one in document.get(section, {}).get("fields", ()))
    checks = document.get("quality", {}).get("checks", ())
    yield from (("quality", one["field"]) for one in checks if "field" in one)
    for edge in document.get("lineage", {}).get("upstream", ()):
        yield from (("lineage", column["to"]) for column in edge.get("columns", ()))


def _join_sections(sections: Sequence[str]) -> str:
    return " and ".join(f"`{section}`" for section in dict.fromkeys(sections))
