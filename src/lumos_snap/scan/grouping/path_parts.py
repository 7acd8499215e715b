"""A folder's path, read: what each segment was taken for, and what follows for what lies there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lumos_snap.scan.grouping.include_exclude import literal

NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """The value of one partition column, as a path has it.

    A `date` has a year and what follows, a `part` is one number of a date, a `null` stands for no
    value. `format` writes `value` as it stands in the path.
    """

    name: str
    value: str
    style: Literal["hive", "path", "file"]  # `file`: in the file's name, where no folder says it
    format: str | None = None
    kind: Literal["date", "part", "value", "null"] = "value"


@dataclass(frozen=True, slots=True)
class Piece:
    """Segments that were taken for one thing; `partitions` or `name` is what they give."""

    texts: tuple[str, ...]
    why: str
    name: str | None = None
    partitions: tuple[PartitionValue, ...] = ()
    glob: str | None = None  # where it may be spelled in other ways for the same dataset

    @property
    def pattern(self) -> str:
        """A glob of what may stand here for the same dataset."""
        return self.glob or "/".join(map(literal, self.texts))


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder's path says."""

    pieces: tuple[Piece, ...]
    names: tuple[str, ...]
    partitions: tuple[PartitionValue, ...]
    location: str  # where the dataset of the folder lies
    files: str | None  # a glob below that, where the folder is not all of its own
    stems: tuple[str, str]  # location and glob for a dataset that is named by its files


def folder_of(pieces: Sequence[Piece]) -> Folder:
    """What pieces say together."""
    names = tuple(piece.name for piece in pieces if piece.name is not None)
    last = max((n for n, piece in enumerate(pieces, 1) if piece.name is not None), default=0)
    location, rest = _place(pieces[:last])
    stems, above = _place(pieces)
    return Folder(
        pieces=tuple(pieces),
        names=names,
        partitions=tuple(value for piece in pieces for value in piece.partitions),
        location=location,
        files=f"{rest}*" if rest else None,
        stems=(stems, above),
    )


def _place(pieces: Sequence[Piece]) -> tuple[str, str]:
    """The folder above the first piece that varies, and the glob of what follows it."""
    fixed = next((n for n, piece in enumerate(pieces) if piece.glob), len(pieces))
    folder = "/".join(text for piece in pieces[:fixed] for text in piece.texts)
    return folder.rstrip("/"), "".join(f"{piece.pattern}/" for piece in pieces[fixed:])
