"""The extensions of data files: what they say of the format, and what of a name is left of them."""

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
    "txt": "",  # anything: its content decides
    "dat": "",
}
"""Extensions of data files, and the format that each promises."""

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
"""Extensions of compressed files, each with its usual spelling."""

DATA_SUFFIXES = frozenset({*FORMATS, *COMPRESSIONS})


@dataclass(frozen=True, slots=True)
class SplitName:
    """A file name without the extensions of data, and the end that files of its sort share."""

    bare: str
    ending: str  # from the format on, as in `.csv.gz`


def suffixes_of(name: str) -> tuple[str, str]:
    """The format and the compression that the end of a name promises; "" where it says nothing.

    `part-0.snappy.parquet` is Parquet and not compressed: what stands before the format is the
    codec inside the file.
    """
    rest, _, last = name.rpartition(".")
    compression = COMPRESSIONS.get(last.lower(), "") if rest else ""
    if compression:
        rest, _, last = rest.rpartition(".")
    return (FORMATS.get(last.lower(), "") if rest else ""), compression


def split_suffixes(name: str) -> SplitName:
    """What is left of a name without the extensions of data at its end."""
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
