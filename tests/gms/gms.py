"""One server: what is asked of it goes through the plan of faults, and into the record."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.gms import editing, plain
from tests.gms.asked import Asked, Record
from tests.gms.control import PREFIX, controlled
from tests.gms.faults import Fault, Faults, Kind
from tests.gms.messages import Answer, Deed, Request, page, said
from tests.gms.refusals import Refusal, Why
from tests.gms.refusing import failed, refused
from tests.gms.routing import deed
from tests.gms.rows import SYSTEM
from tests.gms.state import State, Wire

OPEN = ("/config", "/health", "/check/ready")
"""What needs no token."""
_STORED_ANYWAY = (Kind.CUT_AFTER, Kind.LOST, Kind.CUT_INSIDE)


@dataclass
class Gms:
    """A running server, as a test holds it."""

    wire: Wire = field(default_factory=Wire)
    tokens: dict[str, str] = field(default_factory=dict)
    """Who somebody is, by the token; with none, everybody may do everything."""
    url: str = ""
    latency: float = 0.0
    """Seconds that each answer takes longer."""
    meanwhile: Callable[[Asked], object] | None = None
    """Called before each write: what others do between a client's reading and writing."""
    asked: Record = field(default_factory=Record)
    faults: Faults = field(default_factory=Faults)
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = State(self.wire)

    @property
    def token(self) -> str | None:
        """A token that is known, if any is needed."""
        return next(iter(self.tokens), None)

    @property
    def lag(self) -> float:
        """Seconds until searches, scrolls and GraphQL see what was written."""
        return self.state.index.lag

    @lag.setter
    def lag(self, seconds: float) -> None:
        self.state.index.lag = seconds

    @property
    def delay(self) -> float:
        """Seconds until what is written with `async=true` is stored."""
        return self.state.traces.delay

    @delay.setter
    def delay(self, seconds: float) -> None:
        self.state.traces.delay = seconds

    def edit(
        self, urn: str, aspect: str, change: editing.Change, *, actor: str = editing.JDOE
    ) -> None:
        """Change an aspect as somebody does in the user interface."""
        editing.edit(self.state.store, urn, aspect, change, actor=actor)

    def value(self, urn: str, aspect: str) -> Any:
        """What is stored of an aspect, or None."""
        row = self.state.store.row(urn, aspect)
        return None if row is None else row.json()

    def version(self, urn: str, aspect: str) -> int:
        """The version of an aspect; 0 where there is none."""
        row = self.state.store.row(urn, aspect)
        return 0 if row is None else row.version

    def catch_up(self) -> None:
        """Store at once what waits, and let searches see everything."""
        self.state.traces.catch_up(at_once=True)
        self.state.index.catch_up()

    def dump(self) -> dict[str, dict[str, Any]]:
        """All that is stored, with versions and without times, to compare two runs."""
        return self.state.store.dump()

    def answer(self, request: Request) -> Answer | None:
        """What goes back; None ends the connection."""
        if request.path.startswith(PREFIX):
            return controlled(self, request)
        asked = self.asked.note(request)
        if self.latency:
            time.sleep(self.latency)
        known = self._known(request)
        if known is None:
            answer: Answer | None = page("<h2>HTTP ERROR 401 Unauthorized</h2>", 401)
        else:
            self.state.traces.catch_up()
            answer = self._met(known, asked)
        asked.status = answer.status if answer is not None else 0
        return answer

    def _known(self, request: Request) -> Request | None:
        """The request with the name of who asks; None where that is nobody."""
        if not self.tokens:
            return replace(request, actor=request.headers.get("x-datahub-actor", SYSTEM))
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token in self.tokens:
            return replace(request, actor=self.tokens[token])
        return request if request.path.startswith(OPEN) else None

    def _met(self, request: Request, asked: Asked) -> Answer | None:
        """The answer, with what goes wrong on the way."""
        try:
            found = self._deed(request)
        except Refusal as exc:
            found = _refusing(request, exc)
        asked.wrote = found.wrote
        fault = self.faults.pick(asked)
        if fault is not None and fault.kind not in (Kind.DELAY, Kind.EDIT, *_STORED_ANYWAY):
            return self._instead(fault, found, request)
        if fault is not None and fault.kind is Kind.DELAY:
            time.sleep(fault.seconds)
        if fault is not None and fault.kind is Kind.EDIT:
            self.edit(fault.edit["urn"], fault.edit["aspect"], fault.edit["value"])
        if asked.wrote and self.meanwhile is not None:
            self.meanwhile(asked)
        return _afterwards(fault, self._done(found, request))

    def _deed(self, request: Request) -> Deed:
        if self.wire.is_frontend and not request.is_behind_front:
            return Deed(plain.front)
        found = deed(self.state, request)
        if found is None:
            told = {"status": 404, "error": "Not Found", "path": request.path}
            return Deed(lambda: said(told, 404))
        return found

    def _done(self, found: Deed, request: Request) -> Answer:
        try:
            return found.run()
        except Refusal as exc:
            return refused(request, exc)

    def _instead(self, fault: Fault, found: Deed, request: Request) -> Answer | None:
        if fault.kind is Kind.STALE:
            message = "Expected version 1, actual version 2"
            return refused(request, Refusal(Why.PRECONDITION, message))
        if fault.kind is Kind.STATUS:
            return _status(fault, request)
        if fault.kind is Kind.HALF and found.half is not None:
            found.half()
        return None


def _refusing(request: Request, refusal: Refusal) -> Deed:
    return Deed(lambda: refused(request, refusal))


def _status(fault: Fault, request: Request) -> Answer:
    answer = failed(request, fault.status, fault.message)
    after = {} if fault.after is None else {"Retry-After": fault.after}
    return replace(answer, headers=after)


def _afterwards(fault: Fault | None, answer: Answer) -> Answer | None:
    """What becomes of the answer once everything is done."""
    if fault is None or fault.kind not in _STORED_ANYWAY:
        return answer
    if fault.kind is Kind.LOST:
        return page("<h1>Bad Gateway</h1>", fault.status)
    if fault.kind is Kind.CUT_INSIDE:
        return replace(answer, shown=len(answer.body) // 2)
    return None
