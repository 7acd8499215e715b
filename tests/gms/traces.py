"""Writes that are stored later, and what became of each write."""

import itertools
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.gms.index import Index
from tests.gms.refusals import Refusal
from tests.gms.rows import Proposal
from tests.gms.store import Store
from tests.gms.write_batch import Written

Json = Any
Place = tuple[str, str]
PENDING, ERROR, ACTIVE, HISTORIC = "PENDING", "ERROR", "ACTIVE_STATE", "HISTORIC_STATE"


@dataclass(frozen=True, slots=True)
class _Fate:
    status: str
    message: str = ""
    version: int = 0
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    due: float
    trace: str
    proposals: tuple[Proposal, ...]
    actor: str


@dataclass(frozen=True, slots=True)
class Rejects:
    """An aspect that is refused when its turn comes."""

    place: Place
    is_told: bool
    """Whether the trace of the write says so: else nothing is known of it."""


class Traces:
    """What clients asked for, by the trace of the request."""

    def __init__(self, store: Store, index: Index) -> None:
        self.delay = 0.0
        self.rejects: Rejects | None = None
        self._store = store
        self._index = index
        self._waiting: deque[_Waiting] = deque()
        self._fates: dict[str, dict[Place, _Fate]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    def new(self) -> str:
        """A name for a request: the time in microseconds, and a number."""
        return f"{time.time_ns() // 1000:016x}{next(self._numbers):016x}"

    def note(self, trace: str, written: Sequence[Written]) -> None:
        """Remember what a request stored."""
        with self._lock:
            fates = self._fates.setdefault(trace, {})
            for one in written:
                version = one.row.version
                fates[one.urn, one.aspect] = _Fate(ACTIVE, "", version, time.monotonic())

    def later(self, trace: str, proposals: Sequence[Proposal], actor: str) -> None:
        """Store something after the delay, each item for itself."""
        with self._lock:
            fates = self._fates.setdefault(trace, {})
            fates.update({(one.urn, one.aspect): _Fate(PENDING) for one in proposals})
            due = time.monotonic() + self.delay
            self._waiting.append(_Waiting(due, trace, tuple(proposals), actor))

    def catch_up(self, *, at_once: bool = False) -> None:
        """Store what is due by now, or all that waits."""
        with self._lock:
            while self._waiting and (at_once or self._waiting[0].due <= time.monotonic()):
                one = self._waiting.popleft()
                for proposal in one.proposals:
                    self._try(one, proposal)

    def _try(self, waiting: _Waiting, proposal: Proposal) -> None:
        place = proposal.urn, proposal.aspect
        if self.rejects is not None and self.rejects.place == place:
            fate = _Fate(ERROR, f"{proposal.aspect} is not to be written")
            self._fates[waiting.trace].pop(place)
            if self.rejects.is_told:
                self._fates[waiting.trace][place] = fate
            return
        try:
            self.note(waiting.trace, self._store.write([proposal], actor=waiting.actor))
        except Refusal as exc:
            fate = _Fate(ERROR, exc.message)
            self._fates[waiting.trace][proposal.urn, proposal.aspect] = fate

    def told(self, trace: str, asked: Mapping[str, Sequence[str]], *, errors: bool) -> Json:
        """What became of some aspects, as the trace endpoint tells it."""
        with self._lock:
            fates = self._fates.get(trace, {})
            told = {
                urn: {name: self._status(urn, name, fates.get((urn, name))) for name in names}
                for urn, names in asked.items()
            }
        if not errors:
            return told
        kept = {
            urn: {name: one for name, one in some.items() if not one["success"]}
            for urn, some in told.items()
        }
        return {urn: some for urn, some in kept.items() if some}

    def _status(self, urn: str, aspect: str, fate: _Fate | None) -> Json:
        if fate is None:
            return _told("UNKNOWN", "UNKNOWN")
        status, search = fate.status, fate.status
        if status == ACTIVE:
            row = self._store.row(urn, aspect)
            if row is None or row.version > fate.version:
                status = HISTORIC
            shown = fate.at + self._index.lag <= time.monotonic()
            search = status if shown else PENDING
        return _told(status, search, fate.message)


def _told(primary: str, search: str, message: str = "") -> Json:
    stored: dict[str, Json] = {"writeStatus": primary}
    if message:
        stored["writeMessage"] = message
    is_good = primary in (ACTIVE, HISTORIC, PENDING, "NO_OP")
    return {"success": is_good, "primaryStorage": stored, "searchStorage": {"writeStatus": search}}
