"""The dataset of a file: a function of its path and the source's settings, of nothing else.

No other file, no count and no order has a say, so files that come or go rename no dataset.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from lumos_snap.scan.grouping.file_names import bare_words, stem_of, word_forms
from lumos_snap.scan.grouping.folders import PartitionValue, read_folder
from lumos_snap.scan.grouping.include_exclude import escape_glob
from lumos_snap.scan.grouping.rules import without_template
from lumos_snap.scan.grouping.suffixes import split_suffixes
from lumos_snap.scan.grouping.templates import Template, TemplateMatch, match_template

Grouping = Literal["auto", "folder", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a source lays out its files."""

    grouping: Grouping = "auto"
    templates: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePlacement:
    """Where a file belongs."""

    names: tuple[str, ...]  # lead to the dataset below the source; none: the source itself is it
    folder: str  # where the dataset lies, from the root on
    files: str | None  # a glob below `folder`, where other datasets may lie there too
    partitions: tuple[PartitionValue, ...]
    rule: str  # a key of `rules.RULES`
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)


def place_file(path: str, layout: Layout) -> FilePlacement:
    """The dataset of a file, by its path from the source's root on."""
    folder, _, name = path.rpartition("/")
    if layout.templates:
        for template in layout.templates:
            matched = match_template(template, folder, name)
            if matched is not None:
                return _place_by_template(matched)
        placed = _place_by_grouping(folder, name, layout.grouping)
        return replace(placed, rule=without_template(placed.rule))
    return _place_by_grouping(folder, name, layout.grouping)


def names_of_folder(folder: str, layout: Layout) -> tuple[str, ...]:
    """What the names of every dataset below a folder begin with, for `filtering.leads_to`."""
    if layout.templates:
        return ()
    if layout.grouping == "file":
        return tuple(filter(None, folder.split("/")))
    return read_folder(folder).names


def _place_by_grouping(folder: str, name: str, grouping: Grouping) -> FilePlacement:
    if grouping == "file":
        return _place_alone(folder, name)
    if grouping == "folder":
        return _place_in_folder(folder, "every-folder")
    stem = stem_of(name)
    if not stem.text:
        return _place_in_folder(folder, "generic-file")
    if _repeats_names(stem.words, folder):
        return _place_in_folder(folder, "folder-named-file")
    return _place_by_stem(folder, stem.text, stem.glob)


@lru_cache(maxsize=16384)
def _place_in_folder(path: str, rule: str) -> FilePlacement:
    folder = read_folder(path)
    found = rule if folder.names else "root"
    return FilePlacement(folder.names, folder.location, folder.files, folder.partitions, found)


@lru_cache(maxsize=16384)
def _place_by_stem(path: str, stem: str, glob: str) -> FilePlacement:
    folder = read_folder(path)
    location, above = folder.stems
    names = (*folder.names, stem)
    return FilePlacement(names, location, above + glob, folder.partitions, "own-named-file")


@lru_cache(maxsize=16384)
def _repeats_names(words: tuple[str, ...], path: str) -> bool:
    """Whether words say no more than the names above, and the last of them among these."""
    names = read_folder(path).names
    if not names:
        return False
    last = bare_words(names[-1])
    if all(_is_among(word, last) for word in words) or "".join(words) == "".join(last):
        return True
    every = tuple(word for name in names for word in bare_words(name))
    return all(_is_among(word, every) for word in words) and all(_is_among(w, words) for w in last)


def _is_among(word: str, words: tuple[str, ...]) -> bool:
    return any(word_forms(word) & word_forms(other) for other in words)


def _place_alone(folder: str, name: str) -> FilePlacement:
    """A file that is a dataset of its own; `a.csv` and `a.json` beside it are one of one name."""
    names = (*filter(None, folder.split("/")), split_suffixes(name).bare or name)
    return FilePlacement(
        tuple(filter(None, names)), folder.rstrip("/"), escape_glob(name), (), "every-file"
    )


def _place_by_template(matched: TemplateMatch) -> FilePlacement:
    folder, in_file = matched.folder, matched.file
    partitions = (*folder.partitions, *in_file.partitions)
    if in_file.name is None:
        where, files, names = folder.location, folder.files, folder.names
    else:
        where, above = folder.stems
        files, names = above + in_file.pattern, (*folder.names, in_file.name)
    return FilePlacement(names, where, files, partitions, "template", matched.parameters)
