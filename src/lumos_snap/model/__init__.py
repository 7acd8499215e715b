"""The model of snapshots: every stored class, by its own name.

    from lumos_snap.model import Documentation, Field, Kind
    Field(name="id", type=Kind.INT64, nullable=False)

Classes are imported on demand. The functions for them are in `lumos_snap`.
"""

from typing import TYPE_CHECKING

from lumos_snap._lazy import lazily

if TYPE_CHECKING:
    from lumos_snap.model.contract import (
        Check,
        Contract,
        FieldContract,
        Lifecycle,
        Quality,
        Schedule,
        Severity,
        Sla,
    )
    from lumos_snap.model.curated_metadata import (
        Documentation,
        FieldDocumentation,
        FieldGovernance,
        Governance,
        Link,
        Owner,
        Ownership,
    )
    from lumos_snap.model.entities import Domain, Entity, Group, Job, Property, Tag, Term, User
    from lumos_snap.model.export import Export, ExportedLineage, ExportedSnapshot, Statistics
    from lumos_snap.model.lineage import ColumnEdge, Edge, EdgeType, Lineage
    from lumos_snap.model.observation import (
        CheckResult,
        Cost,
        MeasuredField,
        MeasuredQuality,
        Metric,
        Observation,
        PartitionRange,
        StoredData,
        Usage,
    )
    from lumos_snap.model.snapshot import (
        Bucketing,
        Constraint,
        DatasetKind,
        ForeignKey,
        Partition,
        Release,
        Schema,
        Snapshot,
        SortKey,
        Storage,
        UniqueKey,
        Versioning,
    )
    from lumos_snap.model.type_kinds import Kind, Unit
    from lumos_snap.model.types import Branch, DataType, Definition, Element, Field, MapKey

_HOMES = {
    "Branch": "types",
    "Bucketing": "snapshot",
    "Check": "contract",
    "CheckResult": "observation",
    "ColumnEdge": "lineage",
    "Constraint": "snapshot",
    "Contract": "contract",
    "Cost": "observation",
    "DataType": "types",
    "DatasetKind": "snapshot",
    "Definition": "types",
    "Documentation": "curated_metadata",
    "Domain": "entities",
    "Edge": "lineage",
    "EdgeType": "lineage",
    "Element": "types",
    "Entity": "entities",
    "Export": "export",
    "ExportedLineage": "export",
    "ExportedSnapshot": "export",
    "Field": "types",
    "FieldContract": "contract",
    "FieldDocumentation": "curated_metadata",
    "FieldGovernance": "curated_metadata",
    "ForeignKey": "snapshot",
    "Governance": "curated_metadata",
    "Group": "entities",
    "Job": "entities",
    "Kind": "type_kinds",
    "Lifecycle": "contract",
    "Lineage": "lineage",
    "Link": "curated_metadata",
    "MapKey": "types",
    "MeasuredField": "observation",
    "MeasuredQuality": "observation",
    "Metric": "observation",
    "Observation": "observation",
    "Owner": "curated_metadata",
    "Ownership": "curated_metadata",
    "Partition": "snapshot",
    "PartitionRange": "observation",
    "Property": "entities",
    "Quality": "contract",
    "Release": "snapshot",
    "Schedule": "contract",
    "Schema": "snapshot",
    "Severity": "contract",
    "Sla": "contract",
    "Snapshot": "snapshot",
    "SortKey": "snapshot",
    "Statistics": "export",
    "Storage": "snapshot",
    "StoredData": "observation",
    "Tag": "entities",
    "Term": "entities",
    "UniqueKey": "snapshot",
    "Unit": "type_kinds",
    "Usage": "observation",
    "User": "entities",
    "Versioning": "snapshot",
}

__all__ = [
    "Branch",
    "Bucketing",
    "Check",
    "CheckResult",
    "ColumnEdge",
    "Constraint",
    "Contract",
    "Cost",
    "DataType",
    "DatasetKind",
    "Definition",
    "Documentation",
    "Domain",
    "Edge",
    "EdgeType",
    "Element",
    "Entity",
    "Export",
    "ExportedLineage",
    "ExportedSnapshot",
    "Field",
    "FieldContract",
    "FieldDocumentation",
    "FieldGovernance",
    "ForeignKey",
    "Governance",
    "Group",
    "Job",
    "Kind",
    "Lifecycle",
    "Lineage",
    "Link",
    "MapKey",
    "MeasuredField",
    "MeasuredQuality",
    "Metric",
    "Observation",
    "Owner",
    "Ownership",
    "Partition",
    "PartitionRange",
    "Property",
    "Quality",
    "Release",
    "Schedule",
    "Schema",
    "Severity",
    "Sla",
    "Snapshot",
    "SortKey",
    "Statistics",
    "Storage",
    "StoredData",
    "Tag",
    "Term",
    "UniqueKey",
    "Unit",
    "Usage",
    "User",
    "Versioning",
]


__getattr__ = lazily(__name__, {name: f"lumos_snap.model.{home}" for name, home in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
