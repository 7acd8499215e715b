"""The evidence of one dataset's files, and the description that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lumos_snap.json_object import JsonObject
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Kind
from lumos_snap.scan.dataset_files import DatasetFiles
from lumos_snap.scan.executors.file_task import EXAMPLES
from lumos_snap.scan.formats.registry import SCHEMAS, describe_evidence
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.schemas.union import Disagreement, SchemaUnion, union_schemas
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.stores.store import Trouble
from lumos_snap.text import readable


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of a dataset with the same evidence."""

    format: str
    schema: str
    files: int
    rows: int | None
    versions: tuple[str, ...]
    codecs: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(slots=True)
class Evidence:
    """The evidence of all files of one dataset."""

    said: dict[tuple[str, str], FileGroup] = field(default_factory=dict)
    bad: list[Trouble] = field(default_factory=list)

    def add(self, line: JsonObject) -> None:
        """Add a task's report; several tasks may report the same evidence for different files."""
        if "reason" in line:
            self.bad.append(Trouble(line["path"], line["reason"], line["detail"]))
            return
        key = (line["format"], line["schema"])
        self.said[key] = _extend_group(self.said.get(key), line)


def _extend_group(before: FileGroup | None, line: JsonObject) -> FileGroup:
    rows = line["rows"]
    if before is not None:
        rows = None if rows is None or before.rows is None else rows + before.rows
    examples = (*(before.examples if before else ()), *line["examples"])
    return FileGroup(
        format=line["format"],
        schema=line["schema"],
        files=line["files"] + (before.files if before else 0),
        rows=rows,
        versions=tuple({*line["versions"], *(before.versions if before else ())}),
        codecs=tuple({*line["codecs"], *(before.codecs if before else ())}),
        examples=tuple(sorted(examples)[:EXAMPLES]),
    )


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """One dataset as its files describe it."""

    format: str
    leading: DatasetSchema
    united: SchemaUnion
    rows: int | None
    versions: tuple[str, ...]
    codecs: tuple[str, ...]
    files: int
    notes: tuple[str, ...]


def describe_dataset(evidence: Evidence) -> DatasetDescription:
    """Combine the evidence into one description, in a deterministic order."""
    ranks = list(SCHEMAS)
    said = sorted(evidence.said.values(), key=lambda one: (ranks.index(one.format), one.schema))
    kinds = [describe_evidence(one.format, one.schema) for one in said]
    beside = ""
    if kinds[0].table is not None and len(kinds) > 1:
        beside = (
            f"other files lie beside its log, and are not described: {_describe_formats(said[1:])}"
        )
        said, kinds = said[:1], kinds[:1]
    main = [kind for kind, one in zip(kinds, said, strict=True) if one.format == said[0].format]
    joined = union_schemas([kind.schema for kind in kinds])
    rows = [one.rows for one in said]
    return DatasetDescription(
        format=said[0].format,
        leading=kinds[next(which for which in joined.order if which < len(main))],
        united=joined,
        rows=None if None in rows else sum(row or 0 for row in rows),
        versions=tuple(sorted({version for one in said for version in one.versions})),
        codecs=tuple(sorted({codec for one in said for codec in one.codecs})),
        files=sum(one.files for one in said),
        notes=(*_notes(said, kinds, main, joined), *([beside] if beside else ())),
    )


def _notes(
    said: Sequence[FileGroup],
    kinds: Sequence[DatasetSchema],
    main: Sequence[DatasetSchema],
    joined: SchemaUnion,
) -> Iterable[str]:
    yield from dict.fromkeys(note for kind in kinds for note in kind.notes)
    if len(main) < len(kinds):
        yield f"has files of several formats: {_describe_formats(said)}"
    for name, values in _find_differing_options(main):
        yield f"its files differ in {name}: {', '.join(values)}"
    is_json = all(one.format == "json" for one in said)
    for who, paths in () if is_json else joined.lacking.items():
        verb = "is" if len(paths) == 1 else "are"
        yield f"{_describe_columns(paths)} {verb} missing in {_describe_files(who, said)}"
    for found in joined.disagreements:
        if not (joined.schema.inferred and _is_usual(found)):
            yield _describe_disagreement(found, said)
    if joined.renumbered:
        yield f"ids of {_describe_columns(joined.renumbered)} differ between files and are left out"


def _describe_columns(paths: Sequence[str]) -> str:
    if len(paths) <= _MOST_NAMED:
        return ", ".join(paths)
    return f"{len(paths):,} columns such as {', '.join(paths[:_MOST_NAMED])}"


def _describe_formats(said: Sequence[FileGroup]) -> str:
    formats = dict.fromkeys(one.format for one in said)
    examples = {name: next(o.examples[0] for o in said if o.format == name) for name in formats}
    return ", ".join(f"{name} ({readable(examples[name])})" for name in formats)


def _find_differing_options(main: Sequence[DatasetSchema]) -> Iterable[tuple[str, list[str]]]:
    """Find the read options that differ between files of one format, with their values."""
    names = sorted({name for kind in main for name in kind.options})
    for name in names:
        values = sorted({kind.options.get(name, "none") for kind in main})
        if len(values) > 1:
            yield name, values
    encodings = sorted({kind.encoding or "utf-8" for kind in main})
    if len(encodings) > 1:
        yield "encoding", encodings


_MOST_OPINIONS = 4
_MOST_NAMED = 3
_LAST_RESORTS = frozenset((Kind.STRING, Kind.JSON))


def _is_usual(found: Disagreement) -> bool:
    """Whether inferred types differ in the usual way, such as integers and decimals."""
    return found.became is not None and found.became.type not in _LAST_RESORTS


def _describe_disagreement(found: Disagreement, said: Sequence[FileGroup]) -> str:
    opinions = [f"{one.says} in {_describe_files(one.schemas, said)}" for one in found.opinions]
    more = "" if len(opinions) <= _MOST_OPINIONS else ", …"
    became = "" if found.became is None else f"; together they are {format_type(found.became)}"
    return (
        f"files disagree about {found.path}: {', '.join(opinions[:_MOST_OPINIONS])}{more}{became}"
    )


def _describe_files(schemas: Sequence[int], said: Sequence[FileGroup]) -> str:
    number = sum(said[which].files for which in schemas)
    example = readable(min(path for which in schemas for path in said[which].examples))
    return example if number == 1 else f"{number:,} files such as {example}"


@dataclass(frozen=True, slots=True)
class SourceDataset:
    """One dataset of a source."""

    source: Source
    names: tuple[str, ...]
    gathered: DatasetFiles
    evidence: Evidence
    in_sight: bool = True
    """Whether every folder below it could be listed."""

    @property
    def urn(self) -> str:
        """The urn of the dataset."""
        return self.source.urn(self.names)

    def location(self, folder: str) -> str | None:
        """Return its location, valid on every machine; a catalog may not know it."""
        if self.source.catalog is not None:
            return self.gathered.location
        return self.source.located(folder)

    @property
    def is_whole(self) -> bool:
        """Whether all files were listed and read: otherwise a missing column may still exist."""
        return self.in_sight and not self.evidence.bad
