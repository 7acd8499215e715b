"""What was measured, as a matrix: by old type, new type and reader, the outcome and a witness."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.engines import ReadOutcome
from tests.engines.samples import Sample
from tests.engines.values import Value, difference

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a reader did with the files of one sample, told the type of another."""

    outcome: ReadOutcome
    shows: str = ""


Matrix = Mapping[tuple[str, str, str], Cell]
"""By old sample, new sample and reader."""

REFUSED = Cell(ReadOutcome.REFUSED)


def judged(stored: Sequence[Value], read: Sequence[Value]) -> Cell:
    """What came back, compared with what was written."""
    if len(read) < len(stored):
        return REFUSED
    shows = difference(stored, read)
    return Cell(ReadOutcome.CHANGED, shows) if shows else Cell(ReadOutcome.EXACT)


def worst(cells: Iterable[Cell]) -> Cell:
    """The cell that harms most; of equals the first."""
    order = (ReadOutcome.CHANGED, ReadOutcome.REFUSED, ReadOutcome.EXACT)
    return min(cells, key=lambda cell: order.index(cell.outcome))


def written(matrix: Matrix, readers: Sequence[str], samples: Sequence[Sample]) -> str:
    """The matrix as text: by old type and reader, what is exact, what changes and what fails."""
    return "\n".join(
        _paragraph(old, reader, {new.name: matrix[old.name, new.name, reader] for new in samples})
        for old in samples
        for reader in readers
    )


def _paragraph(old: Sample, reader: str, cells: Mapping[str, Cell]) -> str:
    by_outcome = {one: [new for new in cells if cells[new].outcome is one] for one in ReadOutcome}
    exact, refused = by_outcome[ReadOutcome.EXACT], by_outcome[ReadOutcome.REFUSED]
    lines = [
        f"{old.name} ({reader})" if reader else old.name,
        *([f"  ✓ {' '.join(exact)}"] if exact else []),
        *(f"  ≈ {new}: {cells[new].shows}" for new in by_outcome[ReadOutcome.CHANGED]),
        *([f"  ✗ {' '.join(refused)}"] if refused else []),
    ]
    return "".join(f"{line}\n" for line in lines)
