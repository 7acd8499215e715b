"""The journal of a run: what is to be written, what was sent, and the outcomes.

One line of JSON each, append-only. A send is synced to disk before the request goes out; a run that
was killed at any point is finished by reading all unconfirmed documents from the catalog.
"""

import fcntl
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from lumos_snap.catalogs.adapter import CatalogDocument, Identity
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject
from lumos_snap.merging import same
from lumos_snap.schema import Document

FORMAT = 1
_OVER = b'{"over":true}\n'
_SENT = b'\n{"sent":'


@dataclass(frozen=True, slots=True)
class Proof:
    """A document whose wanted content was confirmed in the catalog."""

    base: Document | None
    """The new base of it; None if it was deleted."""
    versions: Mapping[str, str]
    mark: str = ""
    """The unique mark of the content, if the base equals the catalog's content."""


def build_proof(base: Document, held: CatalogDocument) -> Proof:
    """The proof for a document, from its new base and the catalog's current content."""
    return Proof(base, held.versions, held.mark if same(base, held.document) else "")


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """The content of a journal."""

    catalog: str
    plan: str
    pending: Mapping[Identity, SyncSides]
    """Every document of the run: the base's side and the tree's."""
    proven: Mapping[Identity, Proof] = field(default_factory=dict)


class Journal:
    """An open journal, used by one run at a time."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file = file
        self._adding = threading.Lock()
        self._writing = threading.Lock()
        self._lines: list[bytes] = []

    def sent(self, identity: Identity, stage: str) -> None:
        """Record that a document is being sent. Threads share one sync to disk."""
        with self._adding:
            self._lines.append(_line({"sent": identity, "stage": stage}))
        with self._writing:
            with self._adding:
                lines, self._lines = self._lines, []
            if lines:  # otherwise another thread wrote this line with its own
                _append(self.path, self._file, b"".join(lines))
                os.fsync(self._file)

    def proven(self, identity: Identity, proven: Proof) -> None:
        """Record a confirmed document; if this line is lost, the catalog is asked again."""
        line = {
            "confirmed": identity,
            "base": proven.base,
            "versions": dict(proven.versions),
            "mark": proven.mark,
        }
        with self._writing:
            _append(self.path, self._file, _line(line))

    def failed(self, identity: Identity, outcome: str, reason: str) -> None:
        """Record why a document was not written."""
        with self._writing:
            _append(
                self.path,
                self._file,
                _line({"failed": identity, "outcome": outcome, "reason": reason}),
            )

    def begin(self, head: JsonObject, writes: Sequence[SyncDecision]) -> None:
        """Record all planned writes, before the first one."""
        lines = [_line({**head, "items": len(writes)})]
        lines += (
            _line({"pending": one.identity, "base": one.sides.base, "tree": one.sides.tree})
            for one in writes
        )
        _append(self.path, self._file, b"".join(lines))
        os.fsync(self._file)

    def close(self) -> None:
        """Release it for another run."""
        os.close(self._file)


def begin(path: Path, catalog: str, plan: Plan) -> Journal:
    """Create a journal of all planned writes, synced to disk.

    It replaces that of a finished run, even if some writes failed: the new plan covers these.
    """
    file = _open_locked(path)
    if path.stat().st_size and not is_over(path):
        os.close(file)
        raise LumosError(
            f"{path}: there is a journal of another run", hint="finish that run, or delete the file"
        )
    os.ftruncate(file, 0)
    journal = Journal(path, file)
    journal.begin({"journal": FORMAT, "catalog": catalog, "plan": plan.hash()}, plan.writes)
    return journal


def end(path: Path) -> None:
    """Mark a run as finished with its results kept; a successful run has no journal."""
    if path.exists():
        with path.open("ab") as journal:
            journal.write(_OVER)


def is_over(path: Path) -> bool:
    """Whether nothing was sent since a run finished, or at all, because it was killed early."""
    said = path.read_bytes()
    return said.endswith(b"\n" + _OVER) or _SENT not in said


def require_idle(path: Path) -> None:
    """Refuse if another run is using a journal."""
    os.close(_open_locked(path))


def reopen_journal(path: Path) -> tuple[Journal, JournalRecord]:
    """Open the journal of an interrupted run and read it; an incomplete last line is dropped."""
    if not path.exists():
        raise LumosError(f"{path}: there is no journal", hint="plan again: nothing is unfinished")
    file = _open_locked(path)
    try:
        raw = path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        record = _record(path, [orjson.loads(line) for line in whole.splitlines()])
        os.ftruncate(file, len(whole))
    except (orjson.JSONDecodeError, KeyError, TypeError) as exc:
        os.close(file)
        raise OutsideError(f"{path}: is damaged", hint="delete it, and plan again") from exc
    except LumosError:
        os.close(file)
        raise
    return Journal(path, file), record


def _record(path: Path, lines: Sequence[JsonObject]) -> JournalRecord:
    head = lines[0] if lines else {}
    pending = dict(_pending(one) for one in lines if "pending" in one)
    if len(pending) != head.get("items"):
        raise LumosError(
            f"{path}: the run ended before it wrote anything", hint="delete it, and plan again"
        )
    if head["journal"] != FORMAT:
        raise LumosError(
            f"{path}: is of another version", hint="finish it with the version that began it"
        )
    proven = {
        Identity(*one["confirmed"]): Proof(one["base"], one["versions"], one["mark"])
        for one in lines
        if "confirmed" in one
    }
    return JournalRecord(head["catalog"], head["plan"], pending, proven)


def _pending(line: JsonObject) -> tuple[Identity, SyncSides]:
    identity = Identity(*line["pending"])
    return identity, SyncSides(identity, line["base"], line["tree"])


def _line(said: JsonObject) -> bytes:
    return orjson.dumps(said, default=list) + b"\n"  # an identity is written as a list


def _open_locked(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        raise _unwritten(path, exc) from exc
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = _is_at(path, file)
    except BlockingIOError:
        is_ours = False
    if not is_ours:  # or the other run has just finished and deleted its journal
        os.close(file)
        raise OutsideError(f"{path}: another run is at work with it", hint="wait until it is over")
    return file


def _is_at(path: Path, file: int) -> bool:
    """Whether an open file is still the one at its path."""
    return path.exists() and os.path.samestat(path.stat(), os.fstat(file))


def _append(path: Path, file: int, content: bytes) -> None:
    """Append everything or raise: without a journal nothing may be sent."""
    left = memoryview(content)
    while left:
        try:
            left = left[os.write(file, left) :]
        except OSError as exc:
            raise _unwritten(path, exc) from exc


def _unwritten(path: Path, exc: OSError) -> OutsideError:
    hint = "check its permissions and the free space"
    return OutsideError(f"{path}: cannot be written: {exc.strerror}", hint=hint)
