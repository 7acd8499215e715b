"""What a template says of a path that it matches: pieces, as for a path that is read by itself."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from lumos_snap.scan.grouping.dates import writing
from lumos_snap.scan.grouping.folders import decoded, distinct, kind_of, read_segments
from lumos_snap.scan.grouping.include_exclude import literal
from lumos_snap.scan.grouping.path_parts import NULL, Folder, PartitionValue, Piece, folder_of
from lumos_snap.scan.grouping.suffixes import split_suffixes
from lumos_snap.scan.grouping.templates import DATASET, Part, Template

_DATASET = "`{dataset}` of the template stands here."
_NAMED = "The template has it above `{dataset}`, so it is part of the name."
_DATED = "The template has a date here."
_COLUMN = "The template has a partition column here."
_BELOW = "It lies below `{dataset}` and belongs to it."
_SILENT = "The template says nothing of the dataset here."


@dataclass(frozen=True, slots=True)
class Matched:
    """A path as a template reads it."""

    folder: Folder
    file: Piece
    parameters: Mapping[str, str]


def match(template: Template, folder: str, name: str) -> Matched | None:
    """A path as a template reads it, where it matches."""
    if template.is_of_folders:
        return _below(template, folder, name)
    path = f"{folder}/{name}" if folder else name
    found = template.read(path)
    if found is None or (parameters := _parameters(template, found)) is None:
        return None
    *folders, file = distinct(_pieces(template, found))
    return Matched(folder_of(folders), file, parameters)


def _below(template: Template, folder: str, name: str) -> Matched | None:
    known = _of_folder(template, folder)
    return known and Matched(known[0], Piece((name,), _BELOW), known[1])


@lru_cache(maxsize=8192)
def _of_folder(template: Template, folder: str) -> tuple[Folder, Mapping[str, str]] | None:
    found = template.read(folder)
    if found is None or (parameters := _parameters(template, found)) is None:
        return None
    rest = found["rest"]
    below = read_segments(rest.split("/")) if rest is not None else ()
    belonging = (replace(p, name=None, why=_BELOW) if p.name is not None else p for p in below)
    return folder_of(distinct([*_pieces(template, found), *belonging])), parameters


def _parameters(template: Template, found: re.Match[str]) -> Mapping[str, str] | None:
    """The named parts; nothing where one of them is no real date."""
    parts = [part for segment in template.segments for part in segment if part.name]
    values = {part.name: found[f"p_{part.name}"] for part in parts}
    dates = all(writing(p.format).read(values[p.name]) for p in parts if p.format)
    if not dates:
        return None
    if not template.is_of_folders and template.dataset_at == len(template.segments) - 1:
        values[DATASET] = _of_file(values[DATASET])
    return values


def _pieces(template: Template, found: re.Match[str]) -> list[Piece]:
    at_dataset = template.dataset_at
    in_file = -1 if template.is_of_folders else len(template.segments) - 1
    pieces: list[Piece] = []
    for at, segment in enumerate(template.segments):
        texts = tuple(found[f"s{at}"].split("/"))
        columns = _columns(segment, found, in_file=at == in_file)
        if at < at_dataset:
            pieces.append(_above(segment, texts, columns))
        elif at == at_dataset:
            pieces.append(_dataset(segment, found, texts, columns, in_file=at == in_file))
        else:
            why = _COLUMN if columns else _SILENT
            pieces.append(Piece(texts, why, None, columns, _varying(columns, texts)))
    return pieces


def _varying(columns: Sequence[PartitionValue], texts: Sequence[str]) -> str | None:
    return "/".join("*" for _ in texts) if columns else None


def _above(
    segment: Sequence[Part], texts: tuple[str, ...], columns: tuple[PartitionValue, ...]
) -> Piece:
    """A segment above `{dataset}`: a date is a partition, all else a name."""
    if len(segment) == 1 and segment[0].text == "*":
        return read_segments(texts)[0]
    dates = tuple(column for column in columns if column.format)
    if dates:
        return Piece(texts, _DATED, None, dates, _varying(dates, texts))
    return Piece(texts, _NAMED, "/".join(texts))


def _dataset(
    segment: Sequence[Part],
    found: re.Match[str],
    texts: tuple[str, ...],
    columns: tuple[PartitionValue, ...],
    *,
    in_file: bool,
) -> Piece:
    name = found[f"p_{DATASET}"]
    named = _of_file(name) if in_file else name
    is_alone = len(segment) == 1 and not in_file
    glob = None if is_alone else _glob(segment, name, named)
    return Piece(texts, _DATASET, named, columns, glob)


def _of_file(name: str) -> str:
    return split_suffixes(name).bare or name


def _glob(segment: Sequence[Part], name: str, named: str) -> str:
    """Which other names mean the same dataset."""
    own = literal(named) + ("*" + literal(split_suffixes(name).ending) if named != name else "")
    spelled = "".join(
        own if p.name == DATASET else "*" if p.name else "*".join(map(literal, p.text.split("*")))
        for p in segment
    )
    return re.sub(r"\*+", "*", spelled)


def _columns(
    segment: Sequence[Part], found: re.Match[str], *, in_file: bool
) -> tuple[PartitionValue, ...]:
    """The partition columns that a segment has: every named part of it but the dataset."""
    named = [part for part in segment if part.name and part.name != DATASET]
    if in_file:
        return tuple(_column(part, found[f"p_{part.name}"], "file") for part in named)
    if len(named) == 1 and segment == (Part(f"{named[0].name}="), named[0]):
        return (_column(named[0], decoded(found[f"p_{named[0].name}"]), "hive"),)
    return tuple(_in_folder(segment, part, found) for part in named)


def _column(
    part: Part, value: str, style: Literal["hive", "path", "file"], form: str | None = None
) -> PartitionValue:
    written = form or part.format
    if style == "hive" and value in (NULL, ""):
        return PartitionValue(part.name, value, style, None, "null")
    return PartitionValue(part.name, value, style, written, kind_of(part.format))


def _in_folder(segment: Sequence[Part], part: Part, found: re.Match[str]) -> PartitionValue:
    """A column in a folder; the format of a date also says what stands around it there."""
    around = [other.text for other in segment if other is not part]
    if part.format is None or not all(around) or any("*" in text for text in around):
        return _column(part, found[f"p_{part.name}"], "path")
    form = "".join(p.format or _quoted(p.text) for p in segment)
    value = "".join(found[f"p_{p.name}"] if p.name else p.text for p in segment)
    return _column(part, value, "path", form)


def _quoted(text: str) -> str:
    return "'" + text + "'" if "'" not in text else text
