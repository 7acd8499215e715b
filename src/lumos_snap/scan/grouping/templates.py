"""Templates: layouts that a source declares, such as `/raw/{domain}/{dataset}/`.

Parts in braces are named; `{dataset}` ends the dataset's names. A part with a date format is never
a name, and parts after `{dataset}` are partition columns. A template with a trailing slash matches
folders, and everything below belongs to the dataset; any other one matches files.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from lumos_snap.documents.patterns import Match, wildcards
from lumos_snap.errors import LumosError
from lumos_snap.scan.grouping.dates import parse_date_format
from lumos_snap.scan.grouping.extensions import split_suffixes
from lumos_snap.scan.grouping.folders import (
    NULL,
    ParsedFolder,
    PartitionValue,
    Piece,
    decode_hive,
    folder_of,
    kind_of,
    read_segments,
    rename_duplicates,
)
from lumos_snap.scan.grouping.include_exclude import escape_glob

DATASET = "dataset"

_HINT = "write it as in /raw/{domain}/{dataset}/ or /in/{dataset}_{day:yyyyMMdd}.csv"
_MOST_OPEN = 4
_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)", re.DOTALL)
_PLACEHOLDER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::(.+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A part of a template: text, in which `*` matches anything, or a named part."""

    text: str = ""
    name: str = ""
    format: str | None = None

    @property
    def pattern(self) -> str:
        """The regular expression of the part."""
        if not self.name:
            return "[^/]*".join(map(re.escape, self.text.split("*")))
        pattern = parse_date_format(self.format).pattern if self.format else "[^/]+"
        return f"(?P<p_{self.name}>{pattern})"


@dataclass(frozen=True, slots=True)
class Template:
    """One parsed layout; equal to any other with the same text."""

    text: str
    segments: tuple[tuple[TemplatePart, ...], ...] = field(compare=False)
    is_of_folders: bool = field(compare=False)
    regex: re.Pattern[str] = field(compare=False)

    @property
    def dataset_at(self) -> int:
        """The index of the segment with `{dataset}`."""
        names = [{part.name for part in segment} for segment in self.segments]
        return next(at for at, parts in enumerate(names) if DATASET in parts)

    def read(self, path: str) -> re.Match[str] | None:
        """Match a path, and return its parts.

        A match is first tested in linear time, because `re` may try very many ways to split a name.
        """
        return self.regex.fullmatch(path) if _compile_linear(self.regex)(path) else None


@lru_cache(maxsize=256)
def _compile_linear(regex: re.Pattern[str]) -> Match:
    return wildcards(regex.pattern, regex.pattern.count("[^/]"))


def parse_template(text: str) -> Template:
    """Parse a template from the settings of a source."""
    whole = text.removeprefix("/")
    segments = _parse_segments(text, whole.removesuffix("/"))
    _check(text, segments)
    patterns = [f"(?P<s{at}>{_pattern(segment)})" for at, segment in enumerate(segments)]
    end = "(?:/(?P<rest>.*))?" if whole.endswith("/") else ""
    regex = re.compile("/".join(patterns) + end, re.DOTALL)
    return Template(text, segments, whole.endswith("/"), regex)


def _parse_segments(text: str, whole: str) -> tuple[tuple[TemplatePart, ...], ...]:
    segments: list[list[TemplatePart]] = [[]]
    at = 0
    for found in _PIECE.finditer(whole):
        if found.start() != at:
            break
        at = found.end()
        inside, outside = found.groups()
        if outside is None:
            segments[-1].append(_parse_placeholder(text, inside))
            continue
        first, *others = outside.split("/")
        segments[-1] += [TemplatePart(first)] if first else []
        segments += [[TemplatePart(other)] if other else [] for other in others]
    if at != len(whole):
        raise LumosError(f"template {text!r}: a brace has no partner", hint=_HINT)
    return tuple(tuple(segment) for segment in segments)


def _parse_placeholder(text: str, inside: str) -> TemplatePart:
    found = _PLACEHOLDER.fullmatch(inside)
    if found is None:
        raise LumosError(f"template {text!r}: {{{inside}}} has no valid name", hint=_HINT)
    name, form = found.groups()
    if form is not None:
        try:
            parse_date_format(form)
        except LumosError as wrong:
            raise LumosError(f"template {text!r}: {wrong.message}", hint=wrong.hint) from wrong
    return TemplatePart(name=name, format=form)


def _check(text: str, segments: Sequence[Sequence[TemplatePart]]) -> None:
    parts = [part for segment in segments for part in segment]
    names = [part.name for part in parts if part.name]
    wrong = ""
    if DATASET not in names:
        wrong = "{dataset} is missing"
    elif len(set(names)) < len(names):
        wrong = "two parts have one name"
    elif any(part.name == DATASET and part.format for part in parts):
        wrong = "{dataset} is a name and has no date format"
    elif not all(segments):
        wrong = "nothing stands between two slashes"
    elif any(_count_open(segment) > _MOST_OPEN for segment in segments):
        wrong = f"the name of a file or folder has over {_MOST_OPEN} parts without a date format"
    elif any("**" in part.text for part in parts):
        wrong = "`**` is not known; `*` stands for one folder"
    if wrong:
        raise LumosError(f"template {text!r}: {wrong}", hint=_HINT)


def _count_open(segment: Sequence[TemplatePart]) -> int:
    """Count the parts of any length: each multiplies the ways to split a name."""
    named = sum(1 for part in segment if part.name and not part.format)
    return named + sum(part.text.count("*") for part in segment)


def _pattern(segment: Sequence[TemplatePart]) -> str:
    if len(segment) == 1 and segment[0].text == "*":
        return "[^/]+"
    return "".join(part.pattern for part in segment)


_DATASET = "`{dataset}` of the template stands here."
_PART_OF_NAME = "The template has it above `{dataset}`, so it is part of the name."
_DATED = "The template has a date here."
_COLUMN = "The template has a partition column here."
_BELOW = "It lies below `{dataset}` and belongs to it."
_SILENT = "The template says nothing of the dataset here."


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A path parsed by a template."""

    folder: ParsedFolder
    file: Piece
    parameters: Mapping[str, str]


def match_template(template: Template, folder: str, name: str) -> TemplateMatch | None:
    """Parse a path by a template; None if it does not match."""
    if template.is_of_folders:
        return _match_below(template, folder, name)
    path = f"{folder}/{name}" if folder else name
    found = template.read(path)
    if found is None or (parameters := _parameters(template, found)) is None:
        return None
    *folders, file = rename_duplicates(_pieces(template, found))
    return TemplateMatch(folder_of(folders), file, parameters)


def _match_below(template: Template, folder: str, name: str) -> TemplateMatch | None:
    known = _match_folder(template, folder)
    return known and TemplateMatch(known[0], Piece((name,), _BELOW), known[1])


@lru_cache(maxsize=8192)
def _match_folder(template: Template, folder: str) -> tuple[ParsedFolder, Mapping[str, str]] | None:
    found = template.read(folder)
    if found is None or (parameters := _parameters(template, found)) is None:
        return None
    rest = found["rest"]
    below = read_segments(rest.split("/")) if rest is not None else ()
    belonging = (replace(p, name=None, why=_BELOW) if p.name is not None else p for p in below)
    return folder_of(rename_duplicates([*_pieces(template, found), *belonging])), parameters


def _parameters(template: Template, found: re.Match[str]) -> Mapping[str, str] | None:
    """Return the named parts; None if one of them is not a valid date."""
    parts = [part for segment in template.segments for part in segment if part.name]
    values = {part.name: found[f"p_{part.name}"] for part in parts}
    dates = all(parse_date_format(p.format).read(values[p.name]) for p in parts if p.format)
    if not dates:
        return None
    if not template.is_of_folders and template.dataset_at == len(template.segments) - 1:
        values[DATASET] = _bare_name(values[DATASET])
    return values


def _pieces(template: Template, found: re.Match[str]) -> list[Piece]:
    at_dataset = template.dataset_at
    in_file = -1 if template.is_of_folders else len(template.segments) - 1
    pieces: list[Piece] = []
    for at, segment in enumerate(template.segments):
        texts = tuple(found[f"s{at}"].split("/"))
        columns = _columns(segment, found, in_file=at == in_file)
        if at < at_dataset:
            pieces.append(_piece_above(segment, texts, columns))
        elif at == at_dataset:
            pieces.append(_dataset_piece(segment, found, texts, columns, in_file=at == in_file))
        else:
            why = _COLUMN if columns else _SILENT
            pieces.append(Piece(texts, why, None, columns, _partition_glob(columns, texts)))
    return pieces


def _partition_glob(columns: Sequence[PartitionValue], texts: Sequence[str]) -> str | None:
    return "/".join("*" for _ in texts) if columns else None


def _piece_above(
    segment: Sequence[TemplatePart], texts: tuple[str, ...], columns: tuple[PartitionValue, ...]
) -> Piece:
    """Build the piece of a segment above `{dataset}`: a date is a partition, all else a name."""
    if len(segment) == 1 and segment[0].text == "*":
        return read_segments(texts)[0]
    dates = tuple(column for column in columns if column.format)
    if dates:
        return Piece(texts, _DATED, None, dates, _partition_glob(dates, texts))
    return Piece(texts, _PART_OF_NAME, "/".join(texts))


def _dataset_piece(
    segment: Sequence[TemplatePart],
    found: re.Match[str],
    texts: tuple[str, ...],
    columns: tuple[PartitionValue, ...],
    *,
    in_file: bool,
) -> Piece:
    name = found[f"p_{DATASET}"]
    named = _bare_name(name) if in_file else name
    is_alone = len(segment) == 1 and not in_file
    glob = None if is_alone else _glob(segment, name, named)
    return Piece(texts, _DATASET, named, columns, glob)


def _bare_name(name: str) -> str:
    return split_suffixes(name).bare or name


def _glob(segment: Sequence[TemplatePart], name: str, named: str) -> str:
    """Return a glob of the other names of the same dataset."""
    own = escape_glob(named) + (
        "*" + escape_glob(split_suffixes(name).ending) if named != name else ""
    )
    spelled = "".join(
        own
        if p.name == DATASET
        else "*"
        if p.name
        else "*".join(map(escape_glob, p.text.split("*")))
        for p in segment
    )
    return re.sub(r"\*+", "*", spelled)


def _columns(
    segment: Sequence[TemplatePart], found: re.Match[str], *, in_file: bool
) -> tuple[PartitionValue, ...]:
    """Return the partition columns of a segment: all named parts except the dataset."""
    named = [part for part in segment if part.name and part.name != DATASET]
    if in_file:
        return tuple(_column(part, found[f"p_{part.name}"], "file") for part in named)
    if len(named) == 1 and segment == (TemplatePart(f"{named[0].name}="), named[0]):
        return (_column(named[0], decode_hive(found[f"p_{named[0].name}"]), "hive"),)
    return tuple(_folder_column(segment, part, found) for part in named)


def _column(
    part: TemplatePart, value: str, style: Literal["hive", "path", "file"], form: str | None = None
) -> PartitionValue:
    written = form or part.format
    if style == "hive" and value in (NULL, ""):
        return PartitionValue(part.name, value, style, None, "null")
    return PartitionValue(part.name, value, style, written, kind_of(part.format))


def _folder_column(
    segment: Sequence[TemplatePart], part: TemplatePart, found: re.Match[str]
) -> PartitionValue:
    """Return a column in a folder; the format of a date includes the text around it."""
    around = [other.text for other in segment if other is not part]
    if part.format is None or not all(around) or any("*" in text for text in around):
        return _column(part, found[f"p_{part.name}"], "path")
    form = "".join(p.format or _quote_literal(p.text) for p in segment)
    value = "".join(found[f"p_{p.name}"] if p.name else p.text for p in segment)
    return _column(part, value, "path", form)


def _quote_literal(text: str) -> str:
    return "'" + text + "'" if "'" not in text else text
