"""Execute a plan with threads that share one catalog, and resume interrupted runs."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import (
    Catalog,
    CatalogDocument,
    DocumentWrite,
    Identity,
    SupportsSettle,
    Unreadable,
    WriteAction,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
    open_reading,
)
from lumos_snap.catalogs.sync.client import Clock, Pace, RetryingClient, Speed, WorkerPool
from lumos_snap.catalogs.sync.decide import base_after, decide, project_document
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.journal import (
    Journal,
    JournalRecord,
    Proof,
    begin,
    build_proof,
    reopen_journal,
)
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.write_order import WriteStage, change_at, references
from lumos_snap.errors import LumosError
from lumos_snap.merging import same

# One document of a run, written stage by stage, by one thread at a time.


MOST_DECISIONS = 2
"""The limit of decisions about a document: one more if it changed meanwhile."""
MOST_UNANSWERED = 3


class WriteOutcome(StrEnum):
    """The outcome of a document."""

    WRITTEN = "written"
    SETTLED = "settled"  # nothing left to write: the catalog has the content already
    CONFLICT = "conflict"  # a person decides: the catalog has changed
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """The outcome of one document, with its reason."""

    identity: Identity
    outcome: WriteOutcome
    action: WriteAction | None = None
    reason: str = ""
    proven: Proof | None = None
    """The new base, if the catalog's content was verified."""
    decision: SyncDecision | None = None
    """The last decision, if made in this run."""


class Task:
    """The state of a document in a run: decision, current content and outcome."""

    def __init__(
        self, decision: SyncDecision, *, in_steps: bool = True, is_resumed: bool = False
    ) -> None:
        self.decision = decision
        self.held = decision.sides.held
        self.outcome: WriteOutcome | None = None
        self.reason = ""
        self.has_written = False
        self._in_steps = in_steps
        self._must_look = is_resumed
        self._before: dict[str, str] = {}
        self._decisions = 1
        self._unanswered = 0

    @property
    def identity(self) -> Identity:
        """The identity of the document."""
        return self.decision.identity

    @property
    def is_to_be_checked(self) -> bool:
        """Whether it was confirmed completely, and must be read back."""
        return self.has_written and self.outcome in (None, WriteOutcome.WRITTEN)

    def is_due(self, stage: WriteStage) -> bool:
        """Whether something is to be written in a stage, as far as is known."""
        if self.outcome is not None:
            return False
        if self._must_look:
            is_going = self.decision.sides.tree is None
            return stage is (WriteStage.DELETES if is_going else WriteStage.WORDS)
        return self._change(stage) is not None

    def _change(self, stage: WriteStage) -> DocumentWrite | None:
        return change_at(self.decision, self.held, stage, in_steps=self._in_steps)

    def write(
        self, stage: WriteStage, asking: RetryingClient, rules: Rules, journal: Journal
    ) -> None:
        """Write the changes of one stage."""
        if self._must_look:
            self._must_look = False
            self._look(asking, rules)
        while self.outcome is None:
            change = self._change(stage)
            if change is None:
                return
            journal.sent(self.identity, stage.name.lower())
            if self._is_over(change, asking, rules):
                return

    def _is_over(self, change: DocumentWrite, asking: RetryingClient, rules: Rules) -> bool:
        """Send a change; return whether nothing is left to send for now."""
        answer = asking.write(change)
        if isinstance(answer, WriteConfirmed):
            self._has_stored(change, answer)
            return True
        if isinstance(answer, WriteRefused):
            self._end(WriteOutcome.FAILED, answer.reason)
            return True
        if isinstance(answer, WriteStale):
            self._decisions += 1
            self._look(asking, rules)
            if self._decisions > MOST_DECISIONS and self.outcome is None:
                self._end(WriteOutcome.CONFLICT, "it is changed again and again")
            return False
        self._unanswered += 1
        self._look(asking, rules)
        if self._unanswered >= MOST_UNANSWERED and self.outcome is None:
            self._end(WriteOutcome.FAILED, answer.reason)
        return False

    def _has_stored(self, change: DocumentWrite, answer: WriteConfirmed) -> None:
        self.has_written = True
        seen = change.seen or CatalogDocument(self.identity, {})
        self._before |= {name: seen.versions.get(name, "") for name in answer.versions}
        versions = {name: one for name, one in {**seen.versions, **answer.versions}.items() if one}
        is_gone = change.action is WriteAction.DELETE
        document = seen.document if is_gone else change.document
        self.held = replace(seen, document=document, versions=versions, is_removed=is_gone, mark="")
        if is_gone:
            self._end(WriteOutcome.WRITTEN)

    def _look(self, asking: RetryingClient, rules: Rules) -> None:
        """Read the document again, and decide anew."""
        found = asking.read_one(self.identity)
        if isinstance(found, Unreadable):
            self._end(WriteOutcome.FAILED, found.reason)
            return
        sides = self.decision.sides
        self.decision = decide(SyncSides(self.identity, sides.base, sides.tree, found), rules)
        self.held = found
        if self.decision.refusal and self.decision.action is None:
            self._end(WriteOutcome.FAILED, self.decision.refusal)
        elif self.decision.is_open and self.decision.action is None:
            self._end(WriteOutcome.CONFLICT, self.decision.disputes[0].conflict.why)

    def _end(self, outcome: WriteOutcome, reason: str = "") -> None:
        self.outcome, self.reason = outcome, reason

    def hold_back(self, reason: str) -> None:
        """Do not delete it, if that was planned."""
        if self.decision.sides.tree is None and self.outcome is None:
            self._end(WriteOutcome.FAILED, f"is not deleted: {reason}")

    def check(self, found: CatalogDocument | Unreadable | None) -> None:
        """Compare what was read back with what was confirmed."""
        if isinstance(found, Unreadable):
            self._end(WriteOutcome.FAILED, f"it cannot be read back: {found.reason}")
            return
        if self.decision.sides.tree is None:
            if found is not None and not found.is_removed and self._is_as_written(found):
                self._end(WriteOutcome.FAILED, "the catalog did not delete it")
            return
        if found is not None and not found.is_removed and self._is_like(found):
            assert self.held is not None  # noqa: S101 - it was just compared with
            # It may have versions that no answer contained. Keep one copy of the content, to save
            # memory.
            self.held = replace(found, document=self.held.document)
        elif found is None or self._is_as_written(found) or self._is_as_before(found):
            self._end(WriteOutcome.FAILED, "the catalog did not store it as it was sent")
        # Otherwise it was edited since: our write succeeded, and the next plan sees the edit.

    def _is_like(self, found: CatalogDocument) -> bool:
        cls = self.identity.cls
        ours = canonical_document(self.held.document if self.held else {}, cls)
        return same(ours, canonical_document(found.document, cls))

    def _is_as_written(self, found: CatalogDocument) -> bool:
        return self.held is not None and dict(found.versions) == dict(self.held.versions)

    def _is_as_before(self, found: CatalogDocument) -> bool:
        """Whether a confirmed part still has its previous version."""
        moved = {name: old for name, old in self._before.items() if old != self._now(name)}
        return any(found.versions.get(name, "") == old for name, old in moved.items())

    def _now(self, part: str) -> str:
        return self.held.versions.get(part, "") if self.held else ""

    def done(self, rules: Rules) -> DocumentOutcome:
        """The outcome of the document."""
        outcome = self.outcome or (
            WriteOutcome.WRITTEN if self.has_written else WriteOutcome.SETTLED
        )
        is_good = outcome in (WriteOutcome.WRITTEN, WriteOutcome.SETTLED)
        return DocumentOutcome(
            identity=self.identity,
            outcome=outcome,
            action=self.decision.action,
            reason=self.reason,
            proven=self._proven(rules) if is_good else None,
            decision=self.decision,
        )

    def _proven(self, rules: Rules) -> Proof:
        sides, held = self.decision.sides, self.held
        if sides.tree is None or held is None:
            return Proof(None, {})
        mine = self.decision.mine or project_document(sides.tree, self.identity, rules)
        return build_proof(base_after(sides, mine, held.document, rules), held)


Progress = Callable[[str, int, int], None]
"""Called with the stage, the number of finished documents, and the total."""


def _no_progress(_stage: str, _done: int, _total: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of a run besides its plan and catalog."""

    rules: Rules
    journal: Path
    speed: Speed = field(default_factory=Speed)
    progress: Progress = _no_progress
    clock: Clock = time.monotonic


def run_plan(catalog: Catalog, plan: Plan, means: RunSettings) -> tuple[DocumentOutcome, ...]:
    """Execute a plan; return the outcomes of its documents, in the order of the plan.

    The journal is deleted afterwards, unless something failed. An interrupted run ends after the
    requests under way; `resume` finishes it.
    """
    if not plan.writes:
        return ()
    journal = begin(means.journal, catalog.name, plan)
    in_steps = catalog.capabilities.needs_referents
    tasks = [Task(one, in_steps=in_steps) for one in plan.writes]
    return _run_tasks(catalog, journal, tasks, means)


def resume(catalog: Catalog, means: RunSettings) -> tuple[DocumentOutcome, ...]:
    """Finish an interrupted run: read and decide again about each unconfirmed document."""
    journal, record = reopen_journal(means.journal)
    if record.catalog != catalog.name:
        journal.close()
        raise LumosError(
            f"{means.journal}: is of catalog `{record.catalog}`", hint="name that catalog"
        )
    left = [sides for identity, sides in record.pending.items() if identity not in record.proven]
    in_steps = catalog.capabilities.needs_referents
    tasks = [Task(SyncDecision(sides=sides), in_steps=in_steps, is_resumed=True) for sides in left]
    before = {done.identity: done for done in _before(record)}
    now = {done.identity: done for done in _run_tasks(catalog, journal, tasks, means)}
    return tuple((before | now)[identity] for identity in record.pending)


def _before(record: JournalRecord) -> Iterator[DocumentOutcome]:
    for identity, proven in record.proven.items():
        yield DocumentOutcome(identity=identity, outcome=WriteOutcome.WRITTEN, proven=proven)


def _run_tasks(
    catalog: Catalog, journal: Journal, tasks: Sequence[Task], means: RunSettings
) -> tuple[DocumentOutcome, ...]:
    with contextlib.closing(journal):
        pace = Pace(means.speed, means.clock)
        asking = RetryingClient(catalog, pace)
        with WorkerPool(means.speed.most, pace) as pool:
            for stage in WriteStage:
                if stage is WriteStage.DELETES:
                    _hold_back(tasks)
                due = [task for task in tasks if task.is_due(stage)]
                under_way = [
                    pool.submit(task.write, stage, asking, means.rules, journal) for task in due
                ]
                _await(under_way, stage, means.progress)
        _read_back(tasks, asking, means)
        if isinstance(catalog, SupportsSettle):
            catalog.settle()
        done = tuple(task.done(means.rules) for task in tasks)
        for one in done:
            _note(journal, one)
        if all(one.proven for one in done):
            means.journal.unlink()
    return done


def _hold_back(tasks: Sequence[Task]) -> None:
    """Do not delete documents that failed documents still refer to in the catalog."""
    failed = [task for task in tasks if task.outcome is not None and task.held is not None]
    for task in failed:
        assert task.held is not None  # noqa: S101 - it was just looked at
        named = set(references(task.held.document, task.identity.cls))
        for other in tasks:
            if other.identity in named:
                other.hold_back(f"{task.identity.id} was not written, and refers to it")


def _await(under_way: Sequence[Future[None]], stage: WriteStage, progress: Progress) -> None:
    """Wait until a stage is finished; an internal error ends the run."""
    for number, one in enumerate(as_completed(under_way), start=1):
        one.result()
        progress(stage.name.lower(), number, len(under_way))


def _read_back(tasks: Sequence[Task], asking: RetryingClient, means: RunSettings) -> None:
    """Verify that the catalog stored what it confirmed: some silently drop content."""
    written = {task.identity: task for task in tasks if task.is_to_be_checked}
    asked = sorted(written)
    missing = set(asked)
    for number, found in enumerate(asking.read(asked), start=1):
        missing.discard(found.identity)
        written[found.identity].check(open_reading(found))
        means.progress("read back", number, len(asked))
    for identity in sorted(missing):
        written[identity].check(None)


def _note(journal: Journal, done: DocumentOutcome) -> None:
    if done.proven is None:
        journal.failed(done.identity, done.outcome, done.reason)
    else:
        journal.proven(done.identity, done.proven)
