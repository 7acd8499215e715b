"""What a table's log decides in a snapshot: all of it is replaced, nothing else is.

Each format has its own names for properties. So what somebody else has said of a table stays, and
a property that was unset goes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.rule_checks import check_key_columns, displayable_name
from lumos_snap.model.field_path import Part, Step, format_path, walk
from lumos_snap.model.snapshot import DatasetKind, Partition, Schema, Storage
from lumos_snap.model.type_kinds import Kind
from lumos_snap.model.urn import parse_urn
from lumos_snap.scan.dataset import DatasetDescription
from lumos_snap.scan.schemas.supertype import NO_PARAMETERS, union_scalars
from lumos_snap.scan.schemas.union import union_schemas
from lumos_snap.schema import Document, document_of, value_of

Stored = Mapping[str, Any]


class OwnedKeys(NamedTuple):
    """What a format decides beside the columns."""

    schema: frozenset[str]
    """Keys of `schema`."""
    properties: tuple[str, ...]
    """Names in `storage.properties`; those that end with a point are beginnings."""
    storage: frozenset[str] = frozenset()
    """Keys of `storage` that no other format decides."""
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
        ),
        frozenset(("compression",)),
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
"""Keys of `storage` that every format decides."""


def drop_owned_storage(storage: Stored, formats: Collection[str | None]) -> dict[str, Any]:
    """Of a section `storage`, what none of some formats has said."""
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


def drop_owned_schema(schema: Stored, formats: Collection[str | None]) -> dict[str, Any]:
    """Of a section `schema`, what none of some formats has said."""
    keys = {key for one in formats if one and one in OWNED_KEYS for key in OWNED_KEYS[one].schema}
    return {name: held for name, held in schema.items() if name not in keys}


_OWN_STORAGE = frozenset(
    ("format", "location", "files", "encoding", "description", "partitioning", "options")
)
"""What files tell of how they are stored; all else that is known stays as it is."""
_OWN_SCHEMA = frozenset(("inferred", "description", "fields", "definitions"))
_AS_IT_IS = "identity"
_HEADED = frozenset(("csv",))
"""Formats whose header says which columns there are: only the types of such are inferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetLocation:
    """Where a dataset lies, and how its path divides it."""

    urn: str
    location: str | None
    files: str | None
    partitioning: tuple[Partition, ...]
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MergedSnapshot:
    """A snapshot's document after a scan, and what a person should know of it."""

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
    """The snapshot of a dataset, from what its files say and what the old one knows.

    Where some could not be read (`whole` is false), what the rest lacks is not gone. Where only
    some were looked at (`complete` is false), nor is what these lack of guessed columns.
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


def _foreign_sections(before: Document, formats: Sequence[str | None]) -> tuple[Document, Document]:
    """What no scan of these formats has said, of `storage` and of `schema`."""
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
    """What is said once, for the whole tree."""
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
    """The schema with the columns that files which cannot be read may still have."""
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
    """The format; a catalog knows tables of many."""
    said = found.leading.storage
    return (said.format if said else None) or found.format


def _kind(found: DatasetDescription) -> DatasetKind:
    if found.leading.table is None:
        return DatasetKind.FILES
    said = found.leading.storage
    return DatasetKind.VIEW if said and said.definition else DatasetKind.TABLE


def _has_same_format(before: Document, storage: Storage) -> bool:
    """Whether the old word about columns still counts: not where the format is another."""
    return bool(before.get("storage", {}).get("format") == storage.format)


def _widen_schema(before: Document, schema: Schema, *, by_header: bool) -> Schema:
    """Guessed types never narrow from one scan to the next: what a sample missed may be there."""
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
    """Types that were guessed from paths never narrow either."""
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
        if old.type is Kind.DATE and old.format and now.format:  # written in two ways: no date
            now = replace(now, **{**NO_PARAMETERS, "type": Kind.STRING})
        return replace(now, format=None, style=style)
    wider = {**NO_PARAMETERS, **union_scalars((old, now), inferred=True)}
    return replace(now, **wider, format=None, style=style)


def _refer_to_fields(partitioning: Sequence[Partition], schema: Schema) -> tuple[Partition, ...]:
    """A partition column that the files hold as well is that field, as it is."""
    names = {field.name for field in schema.fields}
    return tuple(
        replace(one, source=format_path((Part(Step.MEMBER, one.name),)), transform=_AS_IT_IS)
        if one.name in names
        else one
        for one in partitioning
    )


def _drop_gone_keys(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Keys were said by somebody who knew the columns: one that names no column is no key.

    So it is with the columns that data is sorted, bucketed or partitioned by.
    """
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
    """Whether somebody has said something that no scan can find out again."""
    storage, schema = _foreign_sections(document, (document.get("storage", {}).get("format"),))
    others = storage.keys() | schema.keys()
    return bool(others) or not _SCANNED_KEYS.issuperset(document)


def find_orphaned_metadata(document: Document) -> tuple[str, ...]:
    """What people say about fields that are not there: a sentence for each field."""
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
