"""What the routes share: what is stored, its copies, what waits, and how the server is set up."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.gms.index import Index
from tests.gms.messages import Answer, Deed, Wrote
from tests.gms.rows import Proposal
from tests.gms.store import KEPT, Store
from tests.gms.traces import Traces
from tests.gms.write_batch import Written

FRESH = "X-DataHub-Sync-Index-Update"
"""A header of a proposal: searches shall see it at once."""


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Which server this is."""

    version: str = "v1.4.0"
    server_env: str = "core"
    has_openapi: bool = True
    """Old servers have no OpenAPI v3."""
    has_versioning: bool = False
    """Version sets: off in the open source by default."""
    is_frontend: bool = False
    """Answers pages for people; the server is behind `/api/gms`."""
    has_no_code: bool = True
    """Without it, `/config` is not that of a metadata server."""
    fills_defaults: bool = True
    """Whether values come back with what the schemas say by default."""
    counts_versions: bool = True
    """Without it, no version is told, and conditions on them are not looked at: an old server."""
    retention: int = KEPT
    most_results: int = 10_000
    largest_body: int = 16 * 1024 * 1024


@dataclass
class State:
    """All behind the wire."""

    wire: Wire
    store: Store = field(init=False)
    index: Index = field(init=False)
    traces: Traces = field(init=False)

    def __post_init__(self) -> None:
        self.store = Store(
            kept=self.wire.retention,
            fills=self.wire.fills_defaults,
            counts=self.wire.counts_versions,
        )
        self.index = Index()
        self.store.listeners.append(self.index.tell)
        self.traces = Traces(self.store, self.index)

    def write(
        self, proposals: Sequence[Proposal], *, actor: str, trace: str, drops: bool = False
    ) -> tuple[Written, ...]:
        """Store a batch now, and remember it under its trace."""
        written = self.store.write(proposals, actor=actor, drops=drops)
        self.traces.note(trace, written)
        if any(one.header(FRESH) == "true" for one in proposals):
            self.index.catch_up()
        return written

    def half(self, proposals: Sequence[Proposal], *, actor: str) -> None:
        """Store the first half of a batch, as a server that dies in the middle."""
        self.store.write(proposals[: len(proposals) // 2], actor=actor)


def traced(answer: Answer, trace: str) -> Answer:
    """An answer that says under which trace the request is known."""
    told = {**answer.headers, "traceparent": f"00-{trace}-{trace[-16:]}-01"}
    return Answer(answer.status, answer.body, told, answer.kind)


def wrote(proposals: Sequence[Proposal]) -> tuple[Wrote, ...]:
    return tuple(
        Wrote(one.urn, one.aspect, one.change, one.value, one.header("If-Version-Match"))
        for one in proposals
    )


def nothing(answer: Answer) -> Deed:
    """What is answered alike each time, and changes nothing."""
    return Deed(lambda: answer)
