"""One document of a run, written stage by stage, by one thread at a time."""

from dataclasses import dataclass, replace
from enum import StrEnum

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    Identity,
    Unreadable,
    WriteAction,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
)
from lumos_snap.catalogs.sync.client import RetryingClient
from lumos_snap.catalogs.sync.decide import base_after, decide, project_document
from lumos_snap.catalogs.sync.decision import SyncDecision, SyncSides
from lumos_snap.catalogs.sync.journal import Journal, Proof, build_proof
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.write_order import WriteStage, change_at
from lumos_snap.merging import same

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
