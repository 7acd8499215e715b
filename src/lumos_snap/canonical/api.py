"""Bytes and places of snapshots, as the Python API offers them."""

from lumos_snap.canonical import digest as digests
from lumos_snap.canonical import paths
from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.read import read
from lumos_snap.errors import LumosError
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.urn import Urn
from lumos_snap.schema import document_of

__all__ = ["decode", "digest", "encode", "path_of", "urn_of"]


def decode(raw: bytes) -> Snapshot:
    """The snapshot that JSON bytes stand for, in whatever order and layout.

    Raises `LumosError` with the line and column of the first thing that is wrong.
    """
    reading = read(raw, Snapshot)
    value = reading.value
    if value is None or reading.problems:
        first = reading.problems[0]
        where = f"line {first.place.line}, column {first.place.column}"
        raise LumosError(f"{where}: {first.message}", hint=first.hint)
    return value


def digest(snapshot: Snapshot) -> str:
    """SHA-256 of what a snapshot says, but for its versions."""
    return digests.digest(document_of(snapshot))


def path_of(urn: Urn) -> str:
    """Where the snapshot of a urn lies, below `snapshots/`."""
    return paths.path_of(urn)


def urn_of(path: str) -> Urn:
    """The urn whose snapshot lies at a path below `snapshots/`."""
    return paths.urn_of(path)
