"""Execute a plan with threads that share one catalog, and resume interrupted runs."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.catalogs.adapter import Catalog, SupportsSettle, open_reading
from lumos_snap.catalogs.sync.client import RetryingClient, WorkerPool
from lumos_snap.catalogs.sync.decision import SyncDecision
from lumos_snap.catalogs.sync.journal import Journal, JournalRecord, begin, reopen_journal
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.rate_limit import Clock, Pace, Speed
from lumos_snap.catalogs.sync.task import DocumentOutcome, Task, WriteOutcome
from lumos_snap.catalogs.sync.write_order import WriteStage, references
from lumos_snap.errors import LumosError

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
