"""Ask the probe of text files, and put what it says into words that a test can compare."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import lumos_snap
from lumos_snap.canonical.read import read
from lumos_snap.model.snapshot import Snapshot, Storage
from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats import detect
from lumos_snap.scan.formats.csv import schema as csv_schema
from lumos_snap.scan.formats.json import schema as json_schema
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.stores.store import BadFileError, RangedFile

SCHEMAS = {"csv": csv_schema.schema_of, "json": json_schema.schema_of}


class Answer(NamedTuple):
    """What is known of one file."""

    format: str
    columns: list[tuple[str, str]]
    options: Mapping[str, str]
    encoding: str | None
    notes: tuple[str, ...]
    rows: int | None
    codecs: tuple[str, ...]

    @property
    def types(self) -> dict[str, str]:
        return dict(self.columns)


def file_of(data: bytes) -> RangedFile:
    return RangedFile(len(data), lambda offset, length: data[offset : offset + length])


def probed(data: bytes | str, hint: str = "", suffix: str = "") -> ProbeResult:
    raw = data.encode() if isinstance(data, str) else data
    return detect.probe(file_of(raw), hint, suffix)


def described(found: ProbeResult) -> DatasetSchema:
    return SCHEMAS[found.format](json.loads(found.schema))


def ask(data: bytes | str, hint: str = "", suffix: str = "") -> Answer:
    """The answer, after a look at whether a snapshot can hold it."""
    found = probed(data, hint, suffix)
    said = described(found)
    require_valid(said, found.format)
    return Answer(
        found.format,
        [(field.name, format_type(field)) for field in said.schema.fields],
        said.options,
        said.encoding,
        said.notes,
        found.rows,
        found.codecs,
    )


def require_valid(said: DatasetSchema, form: str) -> None:
    """A snapshot of what is said is one that every command accepts."""
    assert said.schema.inferred
    snapshot = Snapshot(
        lumos_version=lumos_snap.FORMAT_VERSION,
        urn="lumos://file/t/x",
        name="x",
        platform="file",
        schema=said.schema,
        storage=Storage(format=form, options=said.options, encoding=said.encoding),
    )
    assert read(lumos_snap.encode(snapshot), Snapshot).problems == ()


def refusal(data: bytes | str, hint: str = "", suffix: str = "") -> str:
    """The reason why a file is refused."""
    try:
        found: Any = probed(data, hint, suffix)
    except BadFileError as exc:
        return exc.reason
    raise AssertionError(f"it was described: {found}")
