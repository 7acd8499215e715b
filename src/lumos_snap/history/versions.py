"""Versions of files in git as documents, each read once and released after its last use."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from lumos_snap.canonical.read import read_fast
from lumos_snap.documents.limits import loads
from lumos_snap.git import EntryKind, GitEntry, Repository, blobs
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot

if TYPE_CHECKING:
    from lumos_snap.documents import Problem

Document = JsonObject


@dataclass(frozen=True, slots=True)
class UnreadableVersion:
    """An unreadable version, and the reason."""

    why: str


Side = Document | UnreadableVersion | None
Parse = Callable[[bytes], Document | UnreadableVersion]


def parse_strictly(raw: bytes) -> Document | UnreadableVersion:
    """Parse a snapshot in canonical form, for diffs."""
    document = read_fast(raw, Snapshot)
    if document is not None:
        return document
    from lumos_snap.canonical.read import read  # noqa: PLC0415 - takes its time to load

    reading = read(raw, Snapshot)
    if reading.canonical is None:
        return UnreadableVersion(_first(reading.problems))
    found: Document = orjson.loads(reading.canonical)
    return found


def _first(problems: "tuple[Problem, ...]") -> str:
    first = min(problems)
    return f"{first.place.line}:{first.place.column}: {first.message}"


def parse_loosely(raw: bytes) -> Document | UnreadableVersion:
    """Parse any JSON object; its columns are validated only where they differ."""
    try:
        document = loads(raw)
    except orjson.JSONDecodeError:
        return UnreadableVersion("is not valid JSON")
    return document if isinstance(document, dict) else UnreadableVersion("is not a JSON object")


class Documents:
    """Documents by blob id, read ahead in the expected order."""

    def __init__(self, repository: Repository, parse: Parse) -> None:
        self._repository = repository
        self._parse = parse
        self._held: dict[str, Document | UnreadableVersion] = {}
        self._uses: Counter[str] = Counter()
        self._waiting: dict[str, None] = {}
        self._stream: Generator[tuple[str, bytes], None, None] | None = None

    def expect(self, entries: Iterable[GitEntry | None]) -> None:
        """Announce the next documents, so that one process can read them all.

        A document that is listed twice stays in memory until its second use.
        """
        self.close()
        oids = (one.oid for one in entries if one is not None and one.kind is EntryKind.FILE)
        self._uses = Counter(oids)
        self._waiting = {oid: None for oid in self._uses if oid not in self._held}
        self._stream = blobs(self._repository, self._waiting)

    def of(self, entry: GitEntry | None) -> Side:
        """The document in a file; None where there is no file."""
        if entry is None:
            return None
        if entry.kind is not EntryKind.FILE:
            return UnreadableVersion(f"is a {entry.kind.value}, not a file")
        if entry.oid not in self._held:
            self._read_up_to(entry.oid)
        return self._held[entry.oid]

    def forget(self, entries: Iterable[GitEntry | None]) -> None:
        """Count one use of documents; those without further uses are released."""
        for entry in entries:
            if entry is not None:
                self._uses[entry.oid] -= 1
                if self._uses[entry.oid] <= 0:
                    self._held.pop(entry.oid, None)

    def close(self) -> None:
        """End the reading process."""
        if self._stream is not None:
            self._stream.close()
        self._stream, self._waiting = None, {}

    def _read_up_to(self, wanted: str) -> None:
        while self._stream is not None and wanted in self._waiting:
            oid, raw = next(self._stream)
            del self._waiting[oid]
            self._held[oid] = self._parse(raw)
        if wanted not in self._held:
            ((_, raw),) = blobs(self._repository, [wanted])
            self._held[wanted] = self._parse(raw)
