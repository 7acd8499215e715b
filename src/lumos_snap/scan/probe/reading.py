"""What a task does: look at its files, and say of each dataset what was found once.

Files that say the same are one line with a count, so that what reaches the driver grows with the
number of datasets and not of files.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.probed import Probed, written
from lumos_snap.scan.probe.reasons import DAMAGED
from lumos_snap.scan.probe.recognise import probed
from lumos_snap.scan.probe.store import Reader, Store

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES = 3
"""How many files stand for all that say the same."""

Key = tuple[int, str, str]
Task = Callable[[Iterator[Any]], Iterator[Any]]


class Tally:
    """What files of one dataset say alike: how many they are, and some of them."""

    def __init__(self) -> None:
        self.files = 0
        self.rows: int | None = 0
        self.versions: set[str] = set()
        self.codecs: set[str] = set()
        self.examples: list[str] = []

    def add(self, path: str, said: Probed) -> None:
        """Count a file in."""
        self.files += 1
        if said.rows is None or self.rows is None:
            self.rows = None
        else:
            self.rows += said.rows
        self.versions |= {said.version} - {""}
        self.codecs.update(said.codecs)
        self.examples = sorted([*self.examples, path])[:EXAMPLES]


def reading(stores: tuple[Store, ...]) -> Task:
    """What Spark maps over batches of files of some stores."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        readers = [store.reader() for store in stores]
        tallies: dict[Key, Tally] = {}
        lines: list[str] = []
        for batch in batches:
            columns = [batch.column(name).to_pylist() for name in COLUMNS]
            for dataset, store, raw, hint, suffix in zip(*columns, strict=True):
                path = raw.decode("utf-8", "surrogateescape")
                said = look(readers[store], path, hint, suffix)
                if isinstance(said, Probed):
                    key = (dataset, said.format, said.schema)
                    tallies.setdefault(key, Tally()).add(path, said)
                else:
                    lines.append(written({"dataset": dataset, "path": path, **said}))
        lines += [written(_told(key, tallies[key])) for key in sorted(tallies)]
        yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], ["line"])

    return task


COLUMNS = ("dataset", "store", "path", "hint", "suffix")

# What hostile bytes may make of code that does not expect them: one file must not end the scan.
_UNFORESEEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


def look(reader: Reader, path: str, hint: str, suffix: str) -> Probed | dict[str, str]:
    """What one file says, or why it says nothing."""
    try:
        with reader.opened(path) as file:
            return probed(file, hint, suffix)
    except BadFileError as exc:
        return {"reason": exc.reason, "detail": exc.detail}
    except _UNFORESEEN as exc:
        return {"reason": DAMAGED, "detail": f"cannot be understood ({type(exc).__name__})"}


def _told(key: Key, tally: Tally) -> dict[str, Any]:
    dataset, file_format, schema = key
    return {
        "dataset": dataset,
        "format": file_format,
        "schema": schema,
        "files": tally.files,
        "rows": tally.rows,
        "versions": sorted(tally.versions),
        "codecs": sorted(tally.codecs),
        "examples": tally.examples,
    }
