"""Tables in a folder, as a scan meets them: found by path, read from their logs, described."""

import json
from pathlib import Path
from typing import Any

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.dataset import Evidence
from lumos_snap.scan.description import DatasetDescription, describe_dataset
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.registry import SCHEMAS
from lumos_snap.scan.merge_snapshot import DatasetLocation, merge_snapshot
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables.registry import LOGS, TableLog, log_of, read_table


def logs(folder: Path) -> dict[tuple[str, str], TableLog]:
    """The logs in a folder, by the table's place and format."""
    found: dict[tuple[str, str], TableLog] = {}
    for entry in LocalStore(str(folder)).entries("", lambda _: True):
        assert isinstance(entry, FileEntry)
        key = log_of(entry.path)
        if key is not None:
            found.setdefault(key, LOGS[key[1]]()).add(entry)
    return found


def probed(folder: Path) -> dict[tuple[str, str], ProbeResult]:
    """What the tables in a folder say of themselves."""
    reader = LocalStore(str(folder)).reader()
    parts = {key: [one.path for one in log.parts()] for key, log in logs(folder).items()}
    return {key: read_table(reader, key[1], key[0], paths) for key, paths in parts.items() if paths}


def said(folder: Path) -> ProbeResult:
    """What the one table that a folder is says of itself."""
    (found,) = probed(folder).values()
    return found


def described(folder: Path) -> DatasetSchema:
    """The one table that a folder is, in portable types; documents that it makes are sound."""
    found = said(folder)
    assert read(document(folder), Snapshot).problems == ()
    return SCHEMAS[found.format](json.loads(found.schema))


def columns(folder: Path) -> list[str]:
    """The columns of a table in one line each: `name TYPE`, `!` where never null, `#` its id."""
    return [
        f"{one.name} {format_type(one)}"
        + ("" if one.nullable else " !")
        + (f" #{one.id}" if one.id is not None else "")
        for one in described(folder).schema.fields
    ]


def evidence(*found: ProbeResult) -> DatasetDescription:
    """A dataset, as a scan describes it from what tasks report."""
    gathered = Evidence()
    for number, one in enumerate(found):
        gathered.add(
            {
                "format": one.format,
                "schema": one.schema,
                "files": 1,
                "rows": one.rows,
                "versions": [one.version],
                "codecs": list(one.codecs),
                "examples": [f"file-{number}"],
            }
        )
    return describe_dataset(gathered)


HERE = DatasetLocation(
    urn="lumos://file/lake/sales/orders",
    location="file:lake/sales/orders",
    files=None,
    partitioning=(),
    parameters={},
)


def snapshot(found: DatasetDescription, old: Any = None, *, whole: bool = True) -> dict[str, Any]:
    """The snapshot of a table, after a scan that found it."""
    new = merge_snapshot(
        old, HERE, found, environment=None, reinfer=False, whole=whole, complete=False
    )
    return dict(json.loads(encode_document(new.document, Snapshot)))


def document(folder: Path, old: Any = None) -> bytes:
    """The canonical snapshot of the one table that a folder is."""
    return encode_document(snapshot(evidence(said(folder)), old), Snapshot)
