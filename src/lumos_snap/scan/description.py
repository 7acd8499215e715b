"""The description of a dataset that follows from the evidence of its files."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lumos_snap.model.snapshot import Schema
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Kind
from lumos_snap.scan.dataset import DECLARED_FORMATS, Evidence, FileGroup
from lumos_snap.scan.encoding_agreement import agree_on_encoding
from lumos_snap.scan.formats.registry import SCHEMAS, describe_evidence
from lumos_snap.scan.newest_data import (
    NewestData,
    find_absent,
    find_newest_data,
    find_newest_types,
)
from lumos_snap.scan.schemas.supertype import DatasetSchema
from lumos_snap.scan.schemas.union import Disagreement, SchemaUnion, union_schemas
from lumos_snap.text import readable


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
    newest: NewestData | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    """The number of files that lack a field, by its path."""


def describe_dataset(evidence: Evidence, doubt: str = "") -> DatasetDescription:
    """Combine the evidence into one description, in a deterministic order.

    `doubt` says why the newest partition may have files whose evidence is not known.
    """
    ranks = list(SCHEMAS)
    said = sorted(
        agree_on_encoding(evidence.said.values()),
        key=lambda one: (ranks.index(one.format), one.schema),
    )
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
    newest = find_newest_data(evidence, tuple(zip(said, kinds, strict=True)), doubt)
    compared = joined.schema if newest is None else newest.compare(joined.schema)
    absent = find_absent(compared)
    return DatasetDescription(
        format=said[0].format,
        leading=kinds[next(which for which in joined.order if which < len(main))],
        united=joined,
        rows=None if None in rows else sum(row or 0 for row in rows),
        versions=tuple(sorted({version for one in said for version in one.versions})),
        codecs=tuple(sorted({codec for one in said for codec in one.codecs})),
        files=sum(one.files for one in said),
        notes=(
            *_notes(said, kinds, main, joined, absent),
            *(() if newest is None else _describe_newest(newest, compared, absent)),
            *([beside] if beside else ()),
        ),
        newest=newest,
        missing=_count_missing(said, joined),
    )


def _count_missing(said: Sequence[FileGroup], joined: SchemaUnion) -> Mapping[str, int]:
    """Count the files that lack a field; those of sampled formats are not all known."""
    if any(one.format not in DECLARED_FORMATS for one in said):
        return {}
    return {
        path: sum(said[which].files for which in who)
        for who, paths in joined.lacking.items()
        for path in paths
    }


def _describe_newest(newest: NewestData, compared: Schema, absent: Sequence[str]) -> Iterable[str]:
    """Describe what the newest partitions lack, and what they have otherwise."""
    by_last: dict[str, list[str]] = {}
    for path in absent:
        by_last.setdefault(newest.last.get(path, ""), []).append(path)
    for last, paths in by_last.items():
        verb = "is" if len(paths) == 1 else "are"
        seen = f"; the last partition with {'it' if len(paths) == 1 else 'them'} is {last}"
        what = f"absent from {newest.name}{seen if last else ''}"
        if newest.doubt:
            verb, what = "may be", f"{what}; {newest.doubt}"
        elif not newest.is_declared:
            what = f"{what}; not every file of it names its columns"
        yield f"{_describe_columns(paths)} {verb} {what}"
    for path, text in find_newest_types(compared):
        yield f"{path} is {text} in {newest.name}"


def _notes(
    said: Sequence[FileGroup],
    kinds: Sequence[DatasetSchema],
    main: Sequence[DatasetSchema],
    joined: SchemaUnion,
    absent: Collection[str],
) -> Iterable[str]:
    yield from dict.fromkeys(note for kind in kinds for note in kind.notes)
    if len(main) < len(kinds):
        yield f"has files of several formats: {_describe_formats(said)}"
    for name, values in _find_differing_options(main):
        yield f"its files differ in {name}: {', '.join(values)}"
    is_json = all(one.format == "json" for one in said)
    for who, every in () if is_json else joined.lacking.items():
        paths = [path for path in every if path not in absent]
        if not paths:
            continue
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
