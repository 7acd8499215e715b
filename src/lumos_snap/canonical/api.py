"""Canonical bytes and paths of snapshots, for the Python API."""

from lumos_snap.canonical import encode as digests
from lumos_snap.canonical import paths
from lumos_snap.canonical.encode import encode
from lumos_snap.canonical.read import read
from lumos_snap.errors import LumosError
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.urn import Urn
from lumos_snap.schema import document_of

__all__ = ["decode", "digest", "encode", "path_of", "urn_of"]


def decode(raw: bytes) -> Snapshot:
    """Decode a snapshot from JSON bytes in any order and layout.

    Raises `LumosError` with the line and column of the first problem.
    """
    reading = read(raw, Snapshot)
    value = reading.value
    if value is None or reading.problems:
        first = reading.problems[0]
        where = f"line {first.place.line}, column {first.place.column}"
        raise LumosError(f"{where}: {first.message}", hint=first.hint)
    return value


def digest(snapshot: Snapshot) -> str:
    """SHA-256 of a snapshot's content, without its versions."""
    return digests.digest(document_of(snapshot))


def path_of(urn: Urn) -> str:
    """The path of a urn's snapshot, below `snapshots/`."""
    return paths.path_of(urn)


def urn_of(path: str) -> Urn:
    """The urn of the snapshot at a path below `snapshots/`."""
    return paths.urn_of(path)
