"""Upgrade older datasets to snapshots and observations: storage, versions, sections and edges."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from lumos_snap.canonical.migrations.fields import ColumnUpgrade
from lumos_snap.canonical.migrations.result import (
    FORMAT,
    IMPORTED,
    KEPT,
    MEASURED,
    MOVED,
    RENAMED,
    AddNote,
    Document,
    MigrationNote,
    MigrationProblem,
    MigrationResult,
    Pointer,
)
from lumos_snap.canonical.migrations.sections import (
    documentation,
    downstream,
    entities,
    governance,
    measurements,
    ownership,
    upstream,
)
from lumos_snap.canonical.migrations.values import (
    KeptValue,
    Leftover,
    LegacyUrn,
    drop_empty,
    format_path,
    moment,
    nest_values,
    parse_legacy_urn,
    string,
    text,
    version,
)


def versioning(left: Leftover) -> Document:
    """The versions, with the newest history entry last."""
    said = left.at("versioning")
    return drop_empty(
        {
            "cloud_version": said.take("cloud_version", as_=text),
            "schema_version": said.take("schema_version", as_=version),
            "history": _newest_last([*map(_release, said.at("version_history").items())]),
        }
    )


def _release(item: Leftover) -> Document:
    changes = [change.take(as_=string) for change in item.at("changes").items()]
    return drop_empty(
        {
            "cloud_version": item.take("version", as_=text),
            "schema_version": item.take("schema_version", as_=version),
            "released_at": item.take("timestamp", as_=moment),
            "changes": [change for change in changes if change is not None],
        }
    )


def _newest_last(releases: list[Document]) -> list[Document]:
    """Sort releases: some exports begin with the newest."""
    said = [release for release in releases if release]
    times = [str(release.get("released_at", "")) for release in said]
    turned = len(times) > 1 and all(times) and times == sorted(times, reverse=True)
    return said[::-1] if turned and times[0] != times[-1] else said


PARTITION_TYPE = "the type of a partition column is not said: taken as its pattern reads"

_SCHEMES = {"s3": "s3", "gcs": "gs", "gs": "gs", "hdfs": "hdfs"}
_STEP = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)=)?\{([A-Za-z][A-Za-z0-9_-]*)\}")
# Engines read folders named like this as numbers, even with leading zeros.
_CLOCK = {
    "yyyy": ("year", "yyyy"), "mm": ("month", "MM"), "dd": ("day", "dd"), "hh": ("hour", "HH"),
}  # fmt: skip
_DAY = {"yyyy-mm-dd": "yyyy-MM-dd", "yyyymmdd": "yyyyMMdd"}


def storage(left: Leftover, named: LegacyUrn, columns: frozenset[str], say: AddNote) -> Document:
    """The storage section of the older dataset."""
    partitioning = left.at("location", "partitioning")
    if not partitioning.is_present:
        partitioning = left.at("partitioning")
    for key in ("database", "catalog"):
        left.take(key, as_=lambda said: said if said in named.parts[:-1] else None)
    return drop_empty(
        {
            "format": left.take("format", as_=_format),
            "location": left.take("location", as_=text) or _location(left, named.platform),
            "partitioning": _partitioning(partitioning, columns, say),
        }
    )


def _format(value: object) -> str | None:
    said = text(value)
    return said.lower() if said else None


def _location(left: Leftover, platform: str) -> str | None:
    """The address from a bucket and a prefix."""
    scheme = _SCHEMES.get(platform)
    bucket = left.take("location", "bucket", as_=text) if scheme else None
    if bucket is None:
        return None
    prefix = left.take("location", "prefix", as_=string)
    return f"{scheme}://{bucket}" + (f"/{prefix.removeprefix('/')}" if prefix else "")


def _partitioning(node: Leftover, columns: frozenset[str], say: AddNote) -> list[Document]:
    """The columns of a pattern such as `year={yyyy}/month={mm}`; all of them, or none."""
    pattern = text(node.value)
    steps = [_STEP.fullmatch(step) for step in (pattern or "").strip("/").split("/")]
    if not all(steps):
        return []
    found = [_partition(match[1], match[2], columns) for match in steps if match]
    node.take(as_=text)
    for one in found:
        name = one["name"]
        say("location.partitioning", f"storage.partitioning: {name}: type", PARTITION_TYPE)
    return found


def _partition(name: str | None, token: str, columns: frozenset[str]) -> Document:
    unit, written = _CLOCK.get(token.lower(), ("", ""))
    day = _DAY.get(token.lower(), "")
    kind = "INT32" if unit else "DATE" if day else "STRING"
    shown = name or unit or token
    # A partition column that is also a field refers to that field.
    source = {"source": shown, "transform": "identity"} if shown in columns else {}
    style = "hive" if name else "path"
    more = {"format": written or day, "style": style, **source, "inferred": True}
    return drop_empty({"name": shown, "type": kind, **more})


FIXED_AT = ("properties",)
VOLATILE_AT = ("observation", "properties")

_VOLATILE = frozenset({"statistics", "quality", "cost", "timestamps", "usage", "profile"})
_RULES = frozenset({"rules", "checks", "assertions", "expectations"})


@dataclass(frozen=True, slots=True)
class UpgradedDataset:
    """One upgraded dataset, and its downstream datasets in the same document."""

    snapshot: Document
    observation: Document
    leads_to: tuple[str, ...]
    notes: tuple[MigrationNote, ...]


def dataset(item: Mapping[str, Any], own: LegacyUrn, known: frozenset[str]) -> UpgradedDataset:
    """Upgrade one dataset; `known` are the urns of its document."""
    left = Leftover(item)
    notes: list[MigrationNote] = []

    def say(source: str, target: str, message: LiteralString) -> None:
        notes.append(MigrationNote(own.urn, source, target, message))

    environment = left.take("environment", as_=text) or own.environment
    _identity(left, own, environment, say)
    snapshot = _snapshot(left, own, environment, say)
    observation = measurements(left)
    leads_to = tuple(downstream(left, own.urn, environment, known))
    fixed, volatile = _properties(left, say)
    return UpgradedDataset(
        drop_empty({**snapshot, "properties": fixed}),
        drop_empty({**observation, "properties": volatile}),
        leads_to,
        tuple(notes),
    )


def _identity(left: Leftover, own: LegacyUrn, environment: str | None, say: AddNote) -> None:
    """Take urn, platform and environment if the new document states them equally well."""
    if own.is_exact and own.environment in (None, environment):
        said = left.take("urn", as_=text)
        if said != own.urn:
            say("urn", "urn", RENAMED)
    left.take(
        "platform", as_=lambda said: own.platform if _platform(said) == own.platform else None
    )


def _platform(said: object) -> str:
    return (text(said) or "").removeprefix("urn:li:dataPlatform:")


def _snapshot(left: Leftover, own: LegacyUrn, environment: str | None, say: AddNote) -> Document:
    columns = ColumnUpgrade(own.platform, say)
    fields = columns.read(left.at("schema", "fields").items())
    names = frozenset(one["name"] for one in fields)
    stored = storage(left, own, names, say)
    partitions = {one["name"] for one in stored.get("partitioning", ())}
    schema = {"fields": fields, "primary_key": _key(left, names | partitions)}
    sections = {
        "storage": stored,
        "schema": drop_empty(schema),
        "lineage": drop_empty({"upstream": upstream(left, own.urn, environment)}),
        "ownership": ownership(left),
        "governance": governance(left, columns.governance),
        "documentation": documentation(left, own.name, columns.documentation),
        "versioning": versioning(left),
    }
    identity = {"lumos_version": FORMAT, "urn": own.urn, "name": own.name}
    return {**identity, "platform": own.platform, "environment": environment, **sections}


def _key(left: Leftover, names: frozenset[str]) -> list[str]:
    """A primary key, if all of its columns exist."""

    def columns(value: object) -> list[str] | None:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return None
        return value if names.issuperset(value) else None

    return left.take("schema", "primary_key", as_=columns) or []


def _properties(left: Leftover, say: AddNote) -> tuple[Document, Document]:
    """Custom properties and unmapped values; values that are timestamps go to the observation."""
    fixed, volatile = _own_properties(left, say)
    kept = list(left.kept())
    for piece in kept:
        is_volatile = _is_volatile(piece)
        where = (*(VOLATILE_AT if is_volatile else FIXED_AT), IMPORTED, *piece.target)
        say(format_path(piece.source), format_path(where), MEASURED if is_volatile else KEPT)
    fixed[IMPORTED] = _nest_kept(piece for piece in kept if not _is_volatile(piece))
    volatile[IMPORTED] = _nest_kept(piece for piece in kept if _is_volatile(piece))
    return drop_empty(fixed), drop_empty(volatile)


def _own_properties(left: Leftover, say: AddNote) -> tuple[dict[str, object], dict[str, object]]:
    fixed: dict[str, object] = {}
    volatile: dict[str, object] = {}
    for source in (("properties", "custom_properties"), ("custom_properties",)):
        for key, node in left.at(*source).entries():
            if key == IMPORTED or key in fixed or key in volatile or node.value in (None, {}, []):
                continue
            is_moment = moment(node.value) is not None
            (volatile if is_moment else fixed)[key] = node.take(as_=lambda said: said)
            target = format_path((*(VOLATILE_AT if is_moment else FIXED_AT), key))
            say(format_path((*source, key)), target, MEASURED if is_moment else MOVED)
    return fixed, volatile


def _nest_kept(pieces: Iterable[KeptValue]) -> Document:
    return nest_values((piece.target, piece.value) for piece in pieces)


def _is_volatile(piece: KeptValue) -> bool:
    root, *more = piece.source
    is_rule = root == "quality" and bool(more) and more[0] in _RULES
    return piece.is_moment or (root in _VOLATILE and not is_rule)


def parse_dataset_urn(item: object) -> LegacyUrn | None:
    """Parse the urn of an item of an older document."""
    return parse_legacy_urn(item.get("urn")) if isinstance(item, dict) else None


NO_OBJECT = "is no object, so no dataset"
NO_URN = "has no urn that names a dataset"
TWICE = "is listed before under the same urn"
NO_DATASETS = "lists no dataset that can be read, so what it says of itself has no place"

EXPORT = "is about the document, not about a dataset: kept with every observation of it"
OBSERVED = "when the document was written is when its figures were read"
TURNED = "an edge stands with the dataset that it leads to"

_WRITTEN_AT = ("exported_at", "export_timestamp")
_VERSION = ("lumos_version", "version")


def document(value: Mapping[str, object], at: Pointer = ()) -> MigrationResult:
    """Upgrade a document that lists datasets; `at` is its position in the file."""
    left = Leftover(value)
    items = left.take("datasets", as_=lambda held: held if isinstance(held, list) else None)
    found, problems = _index_by_urn(items or [], (*at, "datasets"))
    if not found:
        problems = (*problems, MigrationProblem((), NO_DATASETS))
    listed, entity_notes, entity_problems = entities(left, at)
    export, export_notes = _export(left)
    upgraded = _upgrade_items(found)
    return MigrationResult(
        snapshots=upgraded.snapshots,
        observations=tuple(_add_export_data(one, export) for one in upgraded.observations),
        entities=listed,
        notes=tuple(sorted({*upgraded.notes, *entity_notes, *export_notes})),
        problems=(*problems, *entity_problems),
    )


def upgrade_single(value: Mapping[str, object]) -> MigrationResult:
    """Upgrade one dataset in a file of its own."""
    own = parse_dataset_urn(value)
    if own is None:
        return MigrationResult(problems=(MigrationProblem(("urn",), NO_URN),))
    said = {key: held for key, held in value.items() if (key, held) != ("lumos_version", FORMAT)}
    found = _upgrade_items({own.urn: _Item(said, own)})
    empty = {"lumos_version": FORMAT, "urn": own.urn}
    measured = tuple(one for one in found.observations if one != empty)
    return MigrationResult(found.snapshots, measured, found.entities, tuple(sorted(found.notes)))


@dataclass(frozen=True, slots=True)
class _Item:
    """A dataset of an older document, and its current urn."""

    value: Mapping[str, object]
    own: LegacyUrn


def _index_by_urn(
    items: Iterable[object], at: Pointer
) -> tuple[dict[str, _Item], tuple[MigrationProblem, ...]]:
    """The items that are datasets, by urn, and the problems of the others."""
    found: dict[str, _Item] = {}
    problems = []
    for index, item in enumerate(items):
        own = parse_dataset_urn(item)
        if not isinstance(item, dict):
            problems.append(MigrationProblem((*at, index), NO_OBJECT))
        elif own is None:
            problems.append(
                MigrationProblem((*at, index, *(("urn",) if "urn" in item else ())), NO_URN)
            )
        elif own.urn in found:
            problems.append(MigrationProblem((*at, index, "urn"), TWICE))
        else:
            found[own.urn] = _Item(item, own)
    return found, tuple(problems)


def _upgrade_items(items: Mapping[str, _Item]) -> MigrationResult:
    known = frozenset(items)
    found = {urn: dataset(items[urn].value, items[urn].own, known) for urn in sorted(items)}
    snapshots, edge_notes = _with_edges(found)
    identities = ({"lumos_version": FORMAT, "urn": urn} for urn in found)
    observations = (
        {**identity, **one.observation}
        for identity, one in zip(identities, found.values(), strict=True)
    )
    notes = (note for one in found.values() for note in one.notes)
    return MigrationResult(snapshots, tuple(observations), notes=(*notes, *edge_notes))


def _with_edges(
    found: Mapping[str, UpgradedDataset],
) -> tuple[tuple[Document, ...], list[MigrationNote]]:
    """Move each edge to the snapshot of its downstream dataset, even if the upstream stated it."""
    sources: dict[str, list[str]] = {urn: [] for urn in found}
    for urn, one in found.items():
        for other in one.leads_to:
            sources[other].append(urn)
    snapshots, notes = [], []
    for urn, one in found.items():
        own = one.snapshot.get("lineage", {}).get("upstream", [])
        told = {edge["urn"] for edge in own}
        missing = [source for source in sources[urn] if source not in told]
        notes += [
            MigrationNote(source, "lineage.downstream", f"{urn}: lineage.upstream", TURNED)
            for source in missing
        ]
        edges = [*own, *({"urn": source} for source in missing)]
        snapshots.append(drop_empty({**one.snapshot, "lineage": drop_empty({"upstream": edges})}))
    return tuple(snapshots), notes


def _export(left: Leftover) -> tuple[Document, tuple[MigrationNote, ...]]:
    """The document's own metadata, which every observation of it keeps."""
    for key in _VERSION:
        left.take(key, as_=lambda said: said if said == FORMAT else None)
    times = {key: at for key in _WRITTEN_AT if (at := left.take(key, as_=moment))}
    kept = {piece.source[0]: left.at(piece.source[0]).value for piece in left.kept()}
    target = (*VOLATILE_AT, IMPORTED, "document")
    notes = [
        MigrationNote("", format_path((key,)), format_path((*target, key)), EXPORT) for key in kept
    ]
    notes += [MigrationNote("", key, "observation.observed_at", OBSERVED) for key in times]
    return {"observed_at": next(iter(times.values()), None), "document": kept}, tuple(notes)


def _add_export_data(observation: Document, export: Document) -> Document:
    """An observation with its document's own metadata."""
    properties = observation.get("properties", {})
    imported = {**properties.get(IMPORTED, {})}
    if export["document"]:
        imported["document"] = export["document"]
    joined = drop_empty({**properties, IMPORTED: imported})
    return drop_empty({**observation, "observed_at": export["observed_at"], "properties": joined})
