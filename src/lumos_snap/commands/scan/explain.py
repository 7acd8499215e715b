"""`lumos snap scan --explain`: why a file belongs to its dataset, by segments of its path."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.scan.cache import open_cache
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.commands.scan.source import find_stored, open_sources, read_known_datasets
from lumos_snap.config.settings import StoreSettings
from lumos_snap.errors import LumosError
from lumos_snap.report.scan import PathStep, PlacementReport
from lumos_snap.scan.assign_files import place_table
from lumos_snap.scan.dataset import TABLE_RULE_SUFFIX
from lumos_snap.scan.grouping.assign import RULES, FilePlacement, Layout, place_file
from lumos_snap.scan.grouping.folders import Piece, read_folder
from lumos_snap.scan.grouping.templates import match_template
from lumos_snap.scan.scan_cache import CachedDecision
from lumos_snap.scan.sources.source import Source
from lumos_snap.scan.sources.urls import address_of, is_url, local_path
from lumos_snap.scan.tables.registry import log_of
from lumos_snap.text import readable
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True)
class PathSegment:
    """The interpretation of one segment of a path, or of the file name."""

    text: str
    why: str
    name: str | None = None  # its part of the dataset's name
    columns: tuple[str, ...] = ()  # partition columns that it has a value of


def explain_path(path: str, layout: Layout) -> tuple[PathSegment, ...]:
    """Interpret each segment of a path, with the reason; the file name is last."""
    folder, _, name = path.rpartition("/")
    placed = place_file(path, layout)
    matches = (match_template(template, folder, name) for template in layout.templates)
    matched = next(filter(None, matches), None)
    if matched is not None:
        return tuple(_steps((*matched.folder.pieces, matched.file)))
    by_file = layout.grouping == "file"
    steps = tuple(_steps(_as_names(path, folder) if by_file else read_folder(folder).pieces))
    added = placed.names[sum(step.name is not None for step in steps) :]
    return (*steps, PathSegment(name, RULES[placed.rule], "/".join(added) if added else None))


def _as_names(path: str, folder: str) -> tuple[Piece, ...]:
    segments = folder.split("/") if "/" in path else []
    why = "Every folder above the file is part of its name."
    return tuple(Piece((text,), why, text or None) for text in segments)


def _steps(pieces: tuple[Piece, ...]) -> Iterator[PathSegment]:
    for piece in pieces:
        columns = tuple(value.name for value in piece.partitions)
        for at, text in enumerate(piece.texts):
            yield PathSegment(text, piece.why, piece.name if at == 0 else None, columns)


def explain(tree: Tree, path: str, wanted: Sequence[str]) -> PlacementReport:
    """Explain the placement of a path in a scan; the file need not exist."""
    source, relative = _home(open_sources(tree, wanted), path)
    steps = tuple(
        PathStep(part=readable(step.text), meaning=step.why)
        for step in explain_path(relative, source.layout)
    )
    told = PlacementReport(source=source.name, path=readable(relative), steps=steps)
    last = open_cache(tree, source, ScanOptions()).decisions
    found = _of_table(source, last, relative)
    if found is not None:
        return _describe_placement(told, source, found, last)
    why = source.passed_over(relative)
    if why is not None:
        return replace(told, ignored=why)
    stored = dict(find_stored(tree.paths(SNAPSHOT), source))
    own = read_known_datasets(tree, source, stored).place(
        relative, place_file(relative, source.layout)
    )
    return _describe_placement(told, source, own, last)


Last = Mapping[str, CachedDecision]
"""Decisions of the last scan on this machine, by urn."""


def _of_table(source: Source, last: Last, path: str) -> FilePlacement | None:
    """The table that a path belongs to: by its log, or as found by the last scan."""
    log = log_of(path)
    if log is not None:
        return place_table(*log)
    names = path.split("/")
    for depth in range(len(names)):
        known = last.get(source.urn(names[:depth]))
        if known is not None and known["rule"].endswith(TABLE_RULE_SUFFIX):
            return place_table(
                "/".join(names[:depth]), known["rule"].removesuffix(TABLE_RULE_SUFFIX)
            )
    return None


def _describe_placement(
    told: PlacementReport, source: Source, placed: FilePlacement, last: Last
) -> PlacementReport:
    urn = source.urn(placed.names)
    return replace(
        told,
        urn=urn,
        document=SNAPSHOT.path(urn),
        rule=placed.rule,
        why=RULES[placed.rule],
        last=_describe_last_scan(last.get(urn)),
    )


def _describe_last_scan(kept: CachedDecision | None) -> str | None:
    """Describe how the last scan grouped files under a urn."""
    if kept is None:
        return None
    if kept["rule"].endswith(TABLE_RULE_SUFFIX):
        return f"a table, by {kept['rule']}"
    files = "1 file" if kept["files"] == 1 else f"{kept['files']} files"
    return f"{files} by {kept['rule']}, the first of them {kept['example']}"


def _home(sources: Sequence[Source], path: str) -> tuple[Source, str]:
    """Find the source that contains a path, and the path relative to it."""
    if is_url(path):
        return _home_of_url(sources, path)
    path = local_path(path)
    if not path or Path(path).is_dir():
        raise LumosError(f"{path or 'nothing'}: is no file", hint="name a file below a source")
    folders = [one for one in sources if not is_url(one.address)]
    for absolute in (os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - as typed
        for source in folders:
            for root in (source.address, os.path.realpath(source.address)):
                relative = os.path.relpath(absolute, root)
                if relative != "." and Path(relative).parts[0] != "..":
                    return source, relative
    inside = os.path.normpath(path)
    if not inside.startswith(("/", "..")) and len(sources) == 1:
        return sources[0], inside
    raise LumosError(
        f"{path}: lies in no source", hint="name a file below a source, or the source as well"
    )


def _home_of_url(sources: Sequence[Source], path: str) -> tuple[Source, str]:
    """Find the source that contains a URL in any spelling, and the path relative to it."""
    address = address_of(path, StoreSettings()).url
    for source in sources:
        inside = source.below(address)
        if inside is not None:
            return source, inside
    raise LumosError(
        f"{readable(address)}: lies in no source", hint="name an object below a source"
    )
