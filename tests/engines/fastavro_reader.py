"""fastavro as a witness: files that are read with another schema."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastavro

from lumos_snap.engines import ReadOutcome
from tests.engines.avro import schema
from tests.engines.matrix import Cell, judged, worst
from tests.engines.samples import Sample
from tests.engines.values import Value, value


def read(paths: Sequence[Path], old: Sample, new: Sample) -> Cell:
    """What becomes of each value of a sample, told another type: the worst of it."""
    told = fastavro.parse_schema(schema(new))
    return worst(_read(path, one, told, old) for path, one in zip(paths, old.values, strict=True))


def _read(path: Path, stored: Value, told: Any, old: Sample) -> Cell:
    with path.open("rb") as file:
        try:
            rows: list[Any] = list(fastavro.reader(file, told))
        except (fastavro.read.SchemaResolutionError, ValueError, TypeError, OverflowError) as no:
            return Cell(ReadOutcome.REFUSED, f"{type(no).__name__}: {no}".partition("\n")[0])
    return judged([stored], [value(_plain(row["c"], old)) for row in rows])


def _plain(raw: Any, old: Sample) -> Any:
    """A record is compared by its values."""
    return list(raw.values()) if old.name == "STRUCT" and isinstance(raw, dict) else raw
