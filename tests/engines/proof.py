"""A measured matrix against a profile: every cell, every witness, and the golden file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lumos_snap.engines import Profile, ProfileRow, ReadOutcome, ask, profile
from lumos_snap.engines.profile import same
from tests.engines.matrix import GOLDEN, Cell, Matrix, worst, written
from tests.engines.samples import Sample

Pair = tuple[Sample, Sample, str]


def disagreements(engine: str, matrix: Matrix, samples: Sequence[Sample]) -> Iterator[str]:
    """Each pair of which the profile says something else than the engine did."""
    about = profile(engine)
    for old, new in pairs(samples):
        cells = {reader: matrix[old.name, new.name, reader] for reader in readers(about)}
        for reader, row in about.answers(old.type, new.type):
            told = ReadOutcome.EXACT if _one_type(about, old, new) else row.reads
            if told != cells[reader].outcome:
                yield _line(engine, old, new, reader, told, cells[reader])
        told = ask(engine, old.type, new.type).outcome
        if told != worst(cells.values()).outcome:
            yield _line(engine, old, new, "as a whole", told, worst(cells.values()))


def readers(about: Profile) -> Sequence[str]:
    """The readers inside an engine; one without a name where there is no other."""
    return about.readers or ("",)


def pairs(samples: Sequence[Sample]) -> Iterator[tuple[Sample, Sample]]:
    """Every ordered pair of two types that differ."""
    for old in samples:
        yield from ((old, new) for new in samples if not same(old.type, new.type))


def _one_type(about: Profile, old: Sample, new: Sample) -> bool:
    return same(about.stored(old.type), about.asked(new.type))


def _line(engine: str, old: Sample, new: Sample, reader: str, told: ReadOutcome, cell: Cell) -> str:
    what = f"{engine} {reader}".strip()
    found = f"{cell.outcome} {cell.shows}".strip()
    return f"{old.name} → {new.name}: the profile says {told}, {what} did: {found}"


def unreadable(matrix: Matrix) -> set[str]:
    """The types that an engine does not even read as what they are.

    All others must come back: a file that a witness lost would look like one that was refused.
    """
    return {
        old
        for (old, new, _), cell in matrix.items()
        if old == new and cell.outcome is not ReadOutcome.EXACT
    }


def first_pairs(engine: str, samples: Sequence[Sample]) -> Mapping[ProfileRow, Pair]:
    """For each row the first pair that it answers: the one whose witness it shows."""
    about = profile(engine)
    found: dict[ProfileRow, Pair] = {}
    for old, new in pairs(samples):
        if not _one_type(about, old, new):
            for reader, row in about.answers(old.type, new.type):
                found.setdefault(row, (old, new, reader))
    return found


def wrong_witnesses(
    engine: str,
    matrix: Matrix,
    samples: Sequence[Sample],
    error: Callable[[Sample, Sample, str], str],
) -> Iterator[str]:
    """Each row that shows another value, or another error, than the engine did."""
    for row, (old, new, reader) in first_pairs(engine, samples).items():
        if row.reads is ReadOutcome.CHANGED:
            did = matrix[old.name, new.name, reader].shows
            right = did == row.shows
        elif row.reads is ReadOutcome.REFUSED:
            did = error(old, new, reader)
            right = bool(did) and did.startswith(row.shows)
        else:
            continue
        if not right:
            yield f"{old.name} → {new.name} {reader}: the row shows {row.shows!r}, not {did!r}"


def compare_golden(
    engine: str, matrix: Matrix, samples: Sequence[Sample], *, rewrite: bool
) -> None:
    """The matrix as text is what is stored, byte for byte."""
    path: Path = GOLDEN / f"{engine}.txt"
    text = written(matrix, readers(profile(engine)), samples)
    if rewrite:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
