"""What a Delta table's log says, in portable types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.model.snapshot import Constraint, Partition, Schema, Storage
from lumos_snap.model.types import Field
from lumos_snap.scan.schemas.delta_columns import Columns, Stored
from lumos_snap.scan.schemas.described import Described, TableFacts
from lumos_snap.scan.schemas.types import parameters_of


_CHECK = "delta.constraints."
_MAPPING = "delta.columnMapping.mode"
_NOT_MAPPED = frozenset((None, "none"))
_KNOWN = frozenset(
    (
        "appendOnly", "allowColumnDefaults", "catalogManaged", "catalogOwned-preview",
        "changeDataFeed", "checkConstraints", "clustering", "collations-preview", "columnMapping",
        "deletionVectors", "domainMetadata", "generatedColumns", "icebergCompatV1",
        "icebergCompatV2", "icebergCompatV3", "icebergWriterCompatV1", "icebergWriterCompatV3",
        "identityColumns", "inCommitTimestamp", "invariants", "materializePartitionColumns",
        "redirectReaderWriter-preview", "redirectWriterOnly-preview", "rowTracking",
        "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
        "vacuumProtocolCheck", "variantShredding", "variantShredding-preview", "variantType",
        "variantType-preview", "checkpointProtection",
    )
)  # fmt: skip
"""Features that change nothing in what is described here, or are described."""
_OF_CATALOGS = frozenset(("catalogManaged", "catalogOwned-preview"))


def schema_of(evidence: Stored) -> Described:
    """What the newest version of a table says."""
    properties: dict[str, Any] = dict(evidence["properties"])
    mode = properties.pop(_MAPPING, None)
    columns = Columns(is_mapped=mode not in _NOT_MAPPED)
    fields = columns.members(evidence["schema"].get("fields", ()), 1, ())
    constraints = tuple(_constraints(properties, columns))
    if evidence["name"]:
        properties["name"] = evidence["name"]
    if evidence["clustering"]:
        properties["clustering"] = _clustering(fields, evidence["clustering"])
    partitioning, lost = _partitioning(fields, evidence["partitioning"])
    features = evidence["protocol"]["features"]
    return Described(
        Schema(fields=fields, constraints=constraints),
        description=evidence["description"],
        partitioning=partitioning,
        properties={k: one for k, one in properties.items() if not k.startswith(_CHECK)},
        storage=Storage(
            file_format=evidence["provider"],
            id=evidence["id"],
            reader_version=evidence["protocol"]["reader"],
            writer_version=evidence["protocol"]["writer"],
            column_mapping=None if mode in _NOT_MAPPED else mode,
            features=tuple({*features["reader"], *features["writer"]}),
        ),
        table=TableFacts(
            version=str(evidence["version"]),
            files=evidence["files"],
            bytes=evidence["bytes"],
            properties=_measured(evidence),
        ),
        notes=(*_of_features(features), *lost, *columns.notes()),
    )


def _measured(evidence: Stored) -> dict[str, Any]:
    vectors = evidence["vectors"]
    return {"delta.filesWithDeletionVectors": vectors} if vectors else {}


def _constraints(properties: Stored, columns: Columns) -> Iterator[Constraint]:
    for name, expression in properties.items():
        if name.startswith(_CHECK) and name != _CHECK:
            yield Constraint(name=name.removeprefix(_CHECK), expression=expression)
    for path, expression in columns.invariants.items():
        yield Constraint(name=f"invariant of {path}", expression=expression)


def _clustering(fields: Sequence[Field], paths: Sequence[Sequence[str]]) -> list[str]:
    """Columns by the names that they have now: the log calls them as files do."""
    return [format_path(tuple(_logical(fields, path))) for path in paths if path]


def _logical(fields: Sequence[Field], path: Sequence[str]) -> Iterator[Part]:
    for name in path:
        found = next((one for one in fields if (one.physical_name or one.name) == name), None)
        yield Part(Step.MEMBER, found.name if found else name)
        fields = found.fields if found else ()


def _partitioning(
    fields: Sequence[Field], names: Sequence[str]
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """The columns that divide the table; case makes no difference to Delta."""
    by_name = {one.name.casefold(): one for one in fields}
    found = [by_name[name.casefold()] for name in names if name.casefold() in by_name]
    lost = [name for name in names if name.casefold() not in by_name]
    return (
        tuple(
            Partition(
                **parameters_of(one),
                name=one.name,
                source=format_path((Part(Step.MEMBER, one.name),)),
                transform="identity",
            )
            for one in found
        ),
        tuple(f"it is divided by {name}, which is no column of it" for name in lost),
    )


def _of_features(features: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name in features["reader"]:
        if name not in _KNOWN:
            yield f"readers need the table feature `{name}`, which is not known here"
    if _OF_CATALOGS & {*features["reader"], *features["writer"]}:
        yield "its catalog manages commits: those that lie only there are not seen"
