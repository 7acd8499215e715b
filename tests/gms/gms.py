"""One server, as a test holds it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.gms import edits
from tests.gms.edits import JDOE, Change
from tests.gms.faults import Faults
from tests.gms.request_log import Asked, Record
from tests.gms.state import State, Wire
from tests.gms.traces import Rejects


@dataclass
class Gms:
    """What it holds, what it was asked, and what is to go wrong."""

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

    def edit(self, urn: str, aspect: str, change: Change, *, actor: str = JDOE) -> None:
        """Change an aspect as somebody does in the user interface.

        `change` is a new value, or a function that makes one of the stored value, which is empty
        where nothing is stored.
        """
        edits.edit(self.state.store, urn, aspect, change, actor=actor)

    def value(self, urn: str, aspect: str) -> Any:
        """What is stored of an aspect, or None."""
        row = self.state.store.row(urn, aspect)
        return None if row is None else row.json()

    def version(self, urn: str, aspect: str) -> int:
        """The version of an aspect; 0 where there is none."""
        row = self.state.store.row(urn, aspect)
        return 0 if row is None else row.version

    def system(self, urn: str, aspect: str) -> dict[str, Any]:
        """The system metadata of an aspect; empty where there is none."""
        row = self.state.store.row(urn, aspect)
        return {} if row is None else dict(row.system)

    def reject_later(self, aspect: str | None, urn: str = "", *, is_told: bool = True) -> None:
        """Refuse an aspect only when its turn in the queue comes; None refuses none any more.

        Without `is_told` the error gets lost: the trace knows nothing of the write.
        """
        place = None if aspect is None else Rejects((urn, aspect), is_told)
        self.state.traces.rejects = place

    def forget_versions(self, urn: str) -> None:
        """Make the aspects of an entity those of a server that did not count versions yet."""
        self.state.store.forget_versions(urn)

    def catch_up(self) -> None:
        """Store at once what waits, and let searches see everything."""
        self.state.traces.catch_up(at_once=True)
        self.state.index.catch_up()

    def dump(self) -> dict[str, dict[str, Any]]:
        """All that is stored, with versions and without times, to compare two runs."""
        return self.state.store.dump()
