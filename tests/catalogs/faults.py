"""Around any catalog, what goes wrong between us and it: at the writes and reads that a test names.

Nothing of the catalog is replaced: what reaches it, it stores as it always does.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum

from lumos_snap.catalogs.adapter import (
    NO_MARKS,
    Capabilities,
    Catalog,
    DocumentWrite,
    Identity,
    Projection,
    Reading,
    WriteAnswer,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    WriteUnanswered,
)
from lumos_snap.errors import OutsideError
from lumos_snap.json_object import JsonObject


class Crash(BaseException):
    """The process is gone."""


class Fault(Enum):
    """What happens to one write."""

    BUSY = "turned away for now"
    BUSY_AFTER = "turned away, and told when to come back"
    REFUSED = "refused"
    NOT_STORED = "no answer, and nothing stored"
    NOT_ANSWERED = "stored, and no answer"
    CUT_OFF = "stored, and the connection breaks"
    OWN_WRITE = "stored, asked again by a layer below, and refused because of that"
    SWALLOWED = "confirmed, and nothing stored"
    EDITED = "somebody edits the document just before"
    CRASH_BEFORE = "the process dies before it"
    CRASH_AFTER = "the process dies before the answer"


CRASHES = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)
HARMLESS = (
    Fault.BUSY, Fault.BUSY_AFTER, Fault.NOT_STORED, Fault.NOT_ANSWERED, Fault.CUT_OFF,
    Fault.OWN_WRITE,
)  # fmt: skip
"""After these, a run ends as if nothing had been."""


class Faulty:
    """A catalog in bad company."""

    def __init__(
        self,
        catalog: Catalog,
        faults: Mapping[int, Fault],
        *,
        edit: Callable[[Identity], None] | None = None,
        unread: Iterable[int] = (),
    ) -> None:
        self.name = catalog.name
        self.capabilities: Capabilities = catalog.capabilities
        self.met: list[Fault] = []
        self.asked: list[DocumentWrite] = []
        self.looked_at: list[Identity] = []
        self._catalog = catalog
        self._faults = dict(faults)
        self._edit = edit
        self._unread = frozenset(unread)
        self._reads = 0
        self._lock = threading.Lock()

    def project(self, identity: Identity, document: JsonObject) -> Projection:
        return self._catalog.project(identity, document)

    def read(
        self, identities: Iterable[Identity], marks: Mapping[Identity, str] = NO_MARKS
    ) -> Iterator[Reading]:
        with self._lock:
            number, self._reads = self._reads, self._reads + 1
            listed = list(identities)
            self.looked_at += listed
        if number in self._unread:
            raise OutsideError("the connection was refused")
        yield from self._catalog.read(listed, marks)

    def search(self, words: str) -> Iterator[Identity]:
        return self._catalog.search(words)

    def apply(self, change: DocumentWrite) -> WriteAnswer:
        with self._lock:
            fault = self._faults.get(len(self.asked))
            self.asked.append(change)
            if fault is not None:
                self.met.append(fault)
        return self._catalog.apply(change) if fault is None else self._disturbed(fault, change)

    def _disturbed(self, fault: Fault, change: DocumentWrite) -> WriteAnswer:
        if fault in _WITHOUT:
            return _WITHOUT[fault]
        if fault is Fault.CRASH_BEFORE:
            raise Crash
        if fault is Fault.EDITED and self._edit is not None:
            self._edit(change.identity)
            return self._catalog.apply(change)
        self._catalog.apply(change)
        if fault is Fault.CRASH_AFTER:
            raise Crash
        if fault is Fault.CUT_OFF:
            raise OutsideError("the connection broke")
        return WriteStale() if fault is Fault.OWN_WRITE else WriteUnanswered("no answer in time")


_WITHOUT: Mapping[Fault, WriteAnswer] = {
    Fault.BUSY: WriteRefused("too many requests", is_busy=True),
    Fault.BUSY_AFTER: WriteRefused("too many requests", is_busy=True, after=0.01),
    Fault.REFUSED: WriteRefused("not allowed"),
    Fault.NOT_STORED: WriteUnanswered("no answer in time"),
    Fault.SWALLOWED: WriteConfirmed(),
}
