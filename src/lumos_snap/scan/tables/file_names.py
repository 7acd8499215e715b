"""File names in the logs of table formats."""

import re
from typing import NamedTuple

DELTA, ICEBERG, HUDI = "_delta_log", "metadata", ".hoodie"
TIMELINE = "timeline"
"""Subfolder with Hudi's commits since table version 8."""

HINT = "version-hint.text"
PROPERTIES = ("hoodie.properties", "hoodie.properties.backup")

_COMMIT = re.compile(r"([0-9]{20})\.json")
_CHECKPOINT = re.compile(
    r"([0-9]{20})\.checkpoint"
    r"(?:\.([0-9]{10})\.([0-9]{10})|\.([0-9A-Fa-f-]{36})(?=\.))?\.(parquet|json)"
)
_METADATA = re.compile(r"(?:v([0-9]+)|([0-9]+)-[^/]+?)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_INSTANT = re.compile(r"([0-9]{14,20})(?:_([0-9]{14,20}))?\.(commit|deltacommit|replacecommit)")


class DeltaFile(NamedTuple):
    """A commit, or a part of a checkpoint."""

    version: int
    part: int = 0
    parts: int = 0
    """Number of parts of the checkpoint; 0 for a commit."""
    label: str = ""
    """Distinguishes checkpoints of one version; the first in sort order is used."""

    @property
    def is_commit(self) -> bool:
        """Whether it is a single commit, and not a checkpoint."""
        return not self.parts


class Instant(NamedTuple):
    """The end, the start and the action of a completed change of a Hudi table."""

    ended: str
    began: str
    action: str


def split_path(path: str, folder: str) -> tuple[str, str] | None:
    """Split a path at a folder of that name: the part before and the part behind, if it exists."""
    if path.startswith(f"{folder}/"):
        return "", path[len(folder) + 1 :]
    root, found, rest = path.partition(f"/{folder}/")
    return (root, rest) if found else None


def parse_delta_name(name: str) -> DeltaFile | None:
    """Parse the name of a Delta log file; None for files that only help to find the others."""
    commit = _COMMIT.fullmatch(name)
    if commit:
        return DeltaFile(int(commit[1]))
    checkpoint = _CHECKPOINT.fullmatch(name)
    if not checkpoint:
        return None
    version, part, parts, unique, suffix = checkpoint.groups()
    if parts:
        number, of = int(part), int(parts)
        is_one = suffix == "parquet" and 0 < number <= of
        return DeltaFile(int(version), number, of, f"2 {of:010}") if is_one else None
    if unique:
        return DeltaFile(int(version), 1, 1, f"3 {unique}.{suffix}")
    return DeltaFile(int(version), 1, 1, "1") if suffix == "parquet" else None


def parse_iceberg_name(name: str) -> int | None:
    """Parse the version from the name of a metadata file."""
    found = _METADATA.fullmatch(name)
    return int(found[1] or found[2]) if found else None


def parse_hudi_name(name: str) -> Instant | None:
    """Parse the name of a completed change; None for pending ones."""
    found = _INSTANT.fullmatch(name)
    return Instant(found[2] or found[1], found[1], found[3]) if found else None
