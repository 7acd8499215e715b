"""Extensions of data files: the format that they suggest, and file names without them."""

from collections.abc import Mapping
from dataclasses import dataclass

FORMATS: Mapping[str, str] = {
    "parquet": "parquet",
    "pq": "parquet",
    "parq": "parquet",
    "orc": "orc",
    "avro": "avro",
    "arrow": "arrow",
    "arrows": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "csv": "csv",
    "psv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "geojson": "json",
    "txt": "",  # any format: the content decides
    "dat": "",
}
"""Extensions of data files, with the format that each suggests."""

COMPRESSIONS: Mapping[str, str] = {
    "gz": "gz",
    "gzip": "gz",
    "bz2": "bz2",
    "zst": "zst",
    "zstd": "zst",
    "snappy": "snappy",
    "lz4": "lz4",
    "xz": "xz",
    "deflate": "deflate",
}
"""Extensions of compressed files, with their usual spelling."""

DATA_SUFFIXES = frozenset({*FORMATS, *COMPRESSIONS})


@dataclass(frozen=True, slots=True)
class SplitName:
    """A file name without data extensions, and the ending that similar files share."""

    bare: str
    ending: str  # from the format on, such as `.csv.gz`


def suffixes_of(name: str) -> tuple[str, str]:
    """Return the format and the compression that a name suggests; "" if unknown.

    `part-0.snappy.parquet` is Parquet and not compressed: a codec before the format is internal to
    the file.
    """
    rest, _, last = name.rpartition(".")
    compression = COMPRESSIONS.get(last.lower(), "") if rest else ""
    if compression:
        rest, _, last = rest.rpartition(".")
    return (FORMATS.get(last.lower(), "") if rest else ""), compression


def split_suffixes(name: str) -> SplitName:
    """Split the data extensions off a name."""
    first, *others = name.split(".")
    left = len(others)
    while left and others[left - 1].lower() in DATA_SUFFIXES:
        left -= 1
    return SplitName(".".join([first, *others[:left]]), _ending(others))


def _ending(pieces: list[str]) -> str:
    start = len(pieces)
    while start and pieces[start - 1].lower() in COMPRESSIONS:
        start -= 1
    if start and pieces[start - 1].lower() in FORMATS:
        start -= 1
    return "".join(f".{piece}" for piece in pieces[start:])
