"""Why a file belongs where it belongs: a sentence for each segment of its path."""

from collections.abc import Iterator
from dataclasses import dataclass

from lumos_snap.scan.grouping.matching import match
from lumos_snap.scan.grouping.pieces import Piece
from lumos_snap.scan.grouping.placing import Layout, place
from lumos_snap.scan.grouping.rules import RULES
from lumos_snap.scan.grouping.segments import read_folder


@dataclass(frozen=True, slots=True)
class Step:
    """What one segment of a path, or the file's name, was taken for."""

    text: str
    why: str
    name: str | None = None  # what it adds to the dataset's names
    columns: tuple[str, ...] = ()  # the partition columns that it has a value of


def explain(path: str, layout: Layout) -> tuple[Step, ...]:
    """Each segment of a path with what it was taken for and why; the file's name is last."""
    folder, _, name = path.rpartition("/")
    placed = place(path, layout)
    matches = (match(template, folder, name) for template in layout.templates)
    matched = next(filter(None, matches), None)
    if matched is not None:
        return tuple(_steps((*matched.folder.pieces, matched.file)))
    by_file = layout.grouping == "file"
    steps = tuple(_steps(_as_names(path, folder) if by_file else read_folder(folder).pieces))
    added = placed.names[sum(step.name is not None for step in steps) :]
    return (*steps, Step(name, RULES[placed.rule], "/".join(added) if added else None))


def _as_names(path: str, folder: str) -> tuple[Piece, ...]:
    segments = folder.split("/") if "/" in path else []
    why = "Every folder above the file is part of its name."
    return tuple(Piece((text,), why, text or None) for text in segments)


def _steps(pieces: tuple[Piece, ...]) -> Iterator[Step]:
    for piece in pieces:
        columns = tuple(value.name for value in piece.partitions)
        for at, text in enumerate(piece.texts):
            yield Step(text, piece.why, piece.name if at == 0 else None, columns)
