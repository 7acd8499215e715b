"""The published JSON Schemas: their list, their generation, and their location."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.config import Config
from lumos_snap.errors import LumosError
from lumos_snap.model.export import Export
from lumos_snap.report.command_reports import (
    DoctorReport,
    FormatReport,
    ImportReport,
    InitReport,
    ListReport,
    MigrateReport,
    Report,
    SearchReport,
    ShowReport,
    ValidateReport,
)
from lumos_snap.report.diff import CheckReport, DiffLine, DiffReport, ExplainReport, WaiveReport
from lumos_snap.report.gate import CommentReport, GateReport, NotifyReport, RespondReport
from lumos_snap.report.history import BlameReport, EvolutionReport, LogReport, PredictReport
from lumos_snap.report.impact import ImpactReport
from lumos_snap.report.release import DatasetVersion, ReleaseReport
from lumos_snap.report.rules import Rulebook
from lumos_snap.report.scan import PlacementReport, ScanReport, SparkServer
from lumos_snap.report.sync import SyncLosses, SyncPlan, SyncReport, VerifyReport
from lumos_snap.schema import Value
from lumos_snap.schema.json_schema import schema_of

# The reports of all commands: a JSON Schema is published for each.


REPORTS: tuple[type[Report], ...] = (
    DatasetVersion,
    ReleaseReport,
    RespondReport,
    BlameReport,
    CommentReport,
    CheckReport,
    DoctorReport,
    DiffReport,
    EvolutionReport,
    ExplainReport,
    FormatReport,
    ImpactReport,
    GateReport,
    SearchReport,
    ImportReport,
    InitReport,
    ListReport,
    LogReport,
    MigrateReport,
    NotifyReport,
    ShowReport,
    PlacementReport,
    PredictReport,
    Rulebook,
    ScanReport,
    SparkServer,
    ValidateReport,
    WaiveReport,
    SyncPlan,
    SyncReport,
    SyncLosses,
    VerifyReport,
)


_ENDING = ".schema.json"


@dataclass(frozen=True, slots=True)
class PublishedSchema:
    """One schema: its title, the class that it describes, and its file."""

    title: str
    cls: type[Value]
    path: str


def _catalog() -> Mapping[str, PublishedSchema]:
    documents = {kind.name: kind.cls for kind in KINDS} | {"export": Export}
    return {
        **{
            name: PublishedSchema(
                f"Lumos {name}, format {FORMAT_VERSION}", cls, f"{FORMAT_VERSION}/{name}"
            )
            for name, cls in documents.items()
        },
        "lumos-yaml": PublishedSchema(
            "Settings of a Lumos tree (lumos.yaml)", Config, "lumos-yaml"
        ),
        **{
            f"output/{name}": PublishedSchema(f"What `{name} --json` prints", cls, f"output/{name}")
            for cls in REPORTS
            for name in (str(cls.__dataclass_fields__["report"].default),)
        },
        "output/diff-line": PublishedSchema(
            "A line of `diff --output ndjson`", DiffLine, "output/diff-line"
        ),
    }


CATALOG = _catalog()


def read_schema(name: str) -> bytes:
    """Read the published schema with this name, as shipped."""
    if name not in CATALOG:
        raise LumosError(f"there is no schema {name!r}", hint="`lumos schema` lists all")
    return (_home() / (CATALOG[name].path + _ENDING)).read_bytes()


def generate_schema(name: str) -> bytes:
    """Generate the schema with this name from the current classes."""
    row = CATALOG[name]
    schema = schema_of(row.cls, title=row.title, identity=f"urn:lumos-snap:schema:{row.path}")
    if issubclass(row.cls, Report):
        schema = _open({**schema, "required": ["report", "version", *schema.get("required", ())]})
    return orjson.dumps(schema, option=orjson.OPT_INDENT_2) + b"\n"


def _open(schema: Any) -> Any:
    """Allow additional properties, so that output of a later version stays valid."""
    if isinstance(schema, list):
        return [_open(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {k: v for k, v in schema.items() if (k, v) != ("additionalProperties", False)}
    return {name: _open(held) for name, held in kept.items()}


def file_of(name: str) -> str:
    """The path of a schema below `snapshot-schema/`."""
    return CATALOG[name].path + _ENDING


def _home() -> Traversable:
    """The schema folder: beside the installed code, or at the top of the repository."""
    installed = files("lumos_snap") / "_published"
    if installed.is_dir():
        return installed
    return Path(__file__).parents[3] / "snapshot-schema"
