"""The metadata files of an Iceberg table: the newest few are kept, and one is the current one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lumos_snap.scan.stores.store import BadFileError, FileEntry, Reader
from lumos_snap.scan.tables import log_files

MOST = 5
"""Number of files to keep: if the newest is damaged, the one before it is read."""


@dataclass(slots=True)
class IcebergLog:
    """The metadata files of a table to keep."""

    _hint: FileEntry | None = None
    _newest: list[tuple[int, int, str, FileEntry]] = field(default_factory=list)
    """By version, time and path, the newest first."""
    _unnumbered: list[tuple[int, str, FileEntry]] = field(default_factory=list)
    """By time and path, the newest first; the version hint may name any of them."""

    def add(self, entry: FileEntry) -> None:
        """Add a file; manifests are ignored."""
        name = entry.path.rpartition("/")[2]
        version = log_files.parse_iceberg_name(name)
        if name == log_files.HINT:
            self._hint = entry
        elif version == log_files.UNNUMBERED:
            word = (entry.modified, entry.path, entry)
            self._unnumbered = sorted([*self._unnumbered, word], reverse=True)[:MOST]
        elif version is not None:
            found = (version, entry.modified, entry.path, entry)
            self._newest = sorted([*self._newest, found], reverse=True)[:MOST]

    def parts(self) -> tuple[FileEntry, ...]:
        """Return the version hint, if it exists, then the metadata files, newest first."""
        files = (*(entry for *_, entry in self._newest), *(one for *_, one in self._unnumbered))
        hint = () if self._hint is None or not files else (self._hint,)
        return (*hint, *files)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def version_of(path: str) -> int | None:
    """Return the version of a metadata file; None for other files."""
    return log_files.parse_iceberg_name(_name(path))


def read_hint(reader: Reader, paths: Sequence[str]) -> str:
    """Return the text of the version hint; empty if there is none."""
    for path in paths:
        if _name(path) != log_files.HINT:
            continue
        with log_files.open_log_file(reader, path) as file:
            return file.head(_LONGEST_HINT).decode("ascii", "replace").strip()
    return ""


_LONGEST_HINT = 256


def _is_named(path: str, hint: str) -> bool:
    """Whether a hint names a file: by its whole name, without the ending, or by its word."""
    name = _name(path)
    stem = name[: -len(".gz")] if name.endswith(".gz") else name
    stem = stem.removesuffix(".metadata.json").removesuffix(".gz")
    return bool(hint) and hint in (name, stem, stem.removeprefix("v"))


def _versions_of_hint(numbered: Mapping[str, int], hint: str) -> set[int]:
    """The versions of the files that a hint names: by number, or by name."""
    number = int(hint) if hint.isascii() and hint.isdigit() else None
    return {
        version for path, version in numbered.items() if version == number or _is_named(path, hint)
    }


def order_files(paths: Sequence[str], hint: str) -> list[str]:
    """Order the metadata files: the current one first, then older ones.

    A writer creates the next version before it updates the hint: so consecutive versions after the
    hint are current too. Versions after a gap are not. A file without a version in its name counts
    where the hint names it, or where no other has one.
    """
    numbered = {path: version for path in paths if (version := version_of(path) or 0) >= 0}
    words = [path for path in paths if path not in numbered]
    named = [path for path in words if _is_named(path, hint)]
    if named or not numbered:
        return [*named, *(path for path in (numbered or words) if path not in named)]
    current = _versions_of_hint(numbered, hint)
    if not current:
        return list(numbered)
    reached = max(current)
    while reached + 1 in numbered.values():
        reached += 1
    return [path for path in numbered if numbered[path] <= reached]


def note_hint(paths: Sequence[str], hint: str) -> Iterable[str]:
    """Yield a note if the hint names a file that does not exist."""
    numbered = {path: version_of(path) or 0 for path in paths}
    if hint and not _versions_of_hint(numbered, hint) and not _is_forgotten(numbered, hint):
        named = hint[:_LONGEST_NAMED]
        yield f"{log_files.HINT} names {named!r}, which is missing: the newest other is described"


_LONGEST_NAMED = 60


def _is_forgotten(numbered: Mapping[str, int], hint: str) -> bool:
    """Whether the file may exist: of many, only the newest few are kept, so this is not known."""
    versions = [version for version in numbered.values() if version != log_files.UNNUMBERED]
    return len(versions) >= MOST and hint.isascii() and hint.isdigit() and int(hint) < min(versions)


def note_choice(
    first: BadFileError | None, paths: Sequence[str], path: str, hint: str
) -> Iterable[str]:
    """Yield notes on why this metadata file was chosen, if it may not be the current one."""
    if first is not None:
        yield f"its newest metadata cannot be read ({first.detail}): an older one is described"
    version = version_of(path)
    alike = [one for one in paths if version_of(one) == version]
    if len(alike) > 1 and not _is_named(path, hint):
        claim = "have no version in their names"
        claim = claim if version == log_files.UNNUMBERED else f"claim version {version}"
        yield f"{len(alike)} metadata files {claim}: the newest is described"
