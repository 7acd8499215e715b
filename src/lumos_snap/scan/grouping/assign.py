"""Assignment of a file to a dataset, as a function of its path and the source's settings only.

Other files, their number and their order have no effect, so new or removed files rename no dataset.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from lumos_snap.scan.grouping.extensions import split_suffixes
from lumos_snap.scan.grouping.file_names import bare_words, stem_of, word_forms
from lumos_snap.scan.grouping.folders import PartitionValue, read_folder
from lumos_snap.scan.grouping.include_exclude import escape_glob
from lumos_snap.scan.grouping.templates import Template, TemplateMatch, match_template
from lumos_snap.scan.grouping.time_values import TimeValue, read_time

# The rules that assign files to datasets, in one table for code, guide and output.


_NO_TEMPLATE = "no-template/"

_DECIDING = {
    "generic-file": "The file name only numbers a part, so the folder is the dataset.",
    "folder-named-file": "The file name repeats the folder's name, so the folder is the dataset.",
    "own-named-file": "The file name has a name of its own, which is a dataset in the folder.",
    "root": "A file in the root whose name only numbers a part belongs to the source as a whole.",
    "nothing-in-common": "It shares hardly a column with the files beside it, or the tree knows it "
    "as a dataset of its own already; `grouping: folder` puts such files together.",
    "delta-table": "A Delta log makes the folder a table, whatever else lies there.",
    "iceberg-table": "Iceberg metadata makes the folder a table, whatever else lies there.",
    "hudi-table": "A Hudi timeline makes the folder a table, whatever else lies there.",
    "every-folder": "Every folder is a dataset, as the source is set.",
    "every-file": "Every file is a dataset, as the source is set.",
}

RULES: Mapping[str, str] = {
    **_DECIDING,
    "template": "A template of the source names the dataset.",
    **{
        f"{_NO_TEMPLATE}{name}": f"No template of the source matches. {sentence}"
        for name, sentence in _DECIDING.items()
    },
}
"""The rules by id, with a description each."""


def without_template(rule: str) -> str:
    """Return the rule with the prefix for templates that were tried first."""
    return f"{_NO_TEMPLATE}{rule}"


Grouping = Literal["auto", "folder", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The layout of a source's files."""

    grouping: Grouping = "auto"
    templates: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePlacement:
    """The dataset of a file, with location and partitions."""

    names: tuple[str, ...]  # the dataset's names below the source; empty: the source itself
    folder: str  # the dataset's folder, relative to the root
    files: str | None  # a glob below `folder`, if other datasets may share it
    partitions: tuple[PartitionValue, ...]
    rule: str  # a key of `rules.RULES`
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    time: TimeValue = ()  # of the partition; empty without a date


def place_file(path: str, layout: Layout) -> FilePlacement:
    """Place a file by its path relative to the source's root."""
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
    """Return the common names of all datasets below a folder, for `include_exclude.leads_to`."""
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
    return FilePlacement(
        folder.names,
        folder.location,
        folder.files,
        folder.partitions,
        rule if folder.names else "root",
        time=read_time(folder.partitions),
    )


@lru_cache(maxsize=16384)
def _place_by_stem(path: str, stem: str, glob: str) -> FilePlacement:
    folder = read_folder(path)
    location, above = folder.stems
    names = (*folder.names, stem)
    return FilePlacement(
        names,
        location,
        above + glob,
        folder.partitions,
        "own-named-file",
        time=read_time(folder.partitions),
    )


@lru_cache(maxsize=16384)
def _repeats_names(words: tuple[str, ...], path: str) -> bool:
    """Whether a file name only repeats names of folders, including the last one."""
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
    """Place a file as a dataset of its own; `a.csv` and `a.json` share a dataset."""
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
    time = read_time(partitions)
    return FilePlacement(names, where, files, partitions, "template", matched.parameters, time)
