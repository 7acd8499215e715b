"""Plans and runs as reports: values that can be printed, stored and compared."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lumos_snap.catalogs.adapter import DocumentPlace, Identity, WriteAction
from lumos_snap.catalogs.sync.decision import Becomes, Dispute, Drift, SyncDecision, Winner
from lumos_snap.catalogs.sync.execute import DocumentOutcome, WriteOutcome
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.diff import Fact
from lumos_snap.json_object import JsonObject
from lumos_snap.merging import ABSENT
from lumos_snap.report.sync import (
    ActionWord,
    BecomesWord,
    LostDocument,
    OutcomeWord,
    PlannedDocument,
    SyncChange,
    SyncConflict,
    SyncCounts,
    SyncDrift,
    SyncedDocument,
    SyncLoss,
    SyncLosses,
    SyncPlan,
    SyncReport,
    WinnerWord,
)


def build_plan_report(plan: Plan, catalog: str, *, observations: int = 0) -> SyncPlan:
    """Convert a plan to its report."""
    return SyncPlan(
        catalog=catalog,
        hash=plan.hash(),
        counts=_counts(plan),
        documents=tuple(map(_document, filter(_is_worth_telling, plan.decisions))),
        losses=plan.losses,
        observations=observations,
    )


def build_run_report(
    done: Sequence[DocumentOutcome],
    catalog: str,
    journal: Path | None = None,
    *,
    observations: int = 0,
    unsent: Mapping[str, str] | None = None,
) -> SyncReport:
    """Convert the outcomes of a plan to a report; `journal` is given if the run is unfinished."""
    counts = Counter(one.outcome for one in done)
    return SyncReport(
        catalog=catalog,
        counts={outcome.value: counts[outcome] for outcome in WriteOutcome},
        documents=tuple(
            SyncedDocument(
                kind=one.identity.kind,
                id=one.identity.id,
                action=None if one.action is None else ActionWord(one.action),
                outcome=OutcomeWord(one.outcome),
                reason=one.reason or None,
                conflicts=_open(one.decision),
            )
            for one in done
        ),
        journal=None if journal is None else str(journal),
        observations=observations,
        unsent=dict(unsent or {}),
    )


def build_losses_report(
    catalog: str, kept: Iterable[tuple[Identity, Sequence[Fact] | None]]
) -> SyncLosses:
    """Report the unsupported parts of documents; None marks an unsupported document."""
    return SyncLosses(
        catalog=catalog,
        documents=tuple(
            LostDocument(
                kind=one.kind,
                id=one.id,
                is_whole=facts is None,
                lost=tuple(build_change(fact) for fact in facts or ()),
            )
            for one, facts in kept
        ),
    )


def _is_worth_telling(one: SyncDecision) -> bool:
    """Whether a decision is visible to users: updates of the sync base alone are not."""
    return bool(one.action or one.pulled or one.drifts or one.kept or one.disputes or one.refusal)


def _counts(plan: Plan) -> SyncCounts:
    actions = Counter(one.action for one in plan.decisions)
    return SyncCounts(
        documents=plan.documents,
        created=actions[WriteAction.CREATE],
        changed=actions[WriteAction.UPDATE],
        revived=actions[WriteAction.REVIVE],
        deleted=actions[WriteAction.DELETE],
        drifted=sum(bool(one.drifts) for one in plan.decisions),
        conflicting=sum(one.is_open for one in plan.decisions),
        refused=sum(bool(_refusal(one)) for one in plan.decisions),
    )


def _document(one: SyncDecision) -> PlannedDocument:
    fields = one.wanted.get("schema", {}).get("fields", ())
    return PlannedDocument(
        kind=one.identity.kind,
        id=one.identity.id,
        action=None if one.action is None else ActionWord(one.action),
        columns=len(fields) if one.action is WriteAction.CREATE and fields else None,
        changes=tuple(build_change(fact) for fact in one.changes),
        drifts=tuple(map(_drift, one.drifts)),
        kept=_list_kept(one),
        conflicts=tuple(map(_conflict, one.disputes)),
        losses=tuple(
            SyncLoss(at=loss.at, reason=loss.reason, item=loss.item or None) for loss in one.losses
        ),
        refusal=_refusal(one),
    )


def _refusal(one: SyncDecision) -> str | None:
    if one.unpulled:
        return f"the catalog's edit cannot go into the tree: {one.unpulled}"
    return one.refusal or None


def build_change(fact: Fact) -> SyncChange:
    """Convert a fact to its report."""
    return SyncChange(**_change_keys(fact))


def _change_keys(fact: Fact) -> JsonObject:
    return {
        "subject": fact.subject,
        "action": fact.action.value,
        "field": fact.path or None,
        "item": fact.item or None,
        "old": fact.was or fact.old,
        "new": fact.path if fact.was else fact.new,
    }


def _open(decision: SyncDecision | None) -> tuple[SyncConflict, ...]:
    disputes = decision.disputes if decision else ()
    return tuple(_conflict(one) for one in disputes if one.winner is Winner.NOBODY)


def _drift(one: Drift) -> SyncDrift:
    return SyncDrift(
        **_change_keys(one.fact),
        becomes=BecomesWord(one.becomes),
        by=one.edit.who or None if one.edit else None,
        when=one.edit.when or None if one.edit else None,
    )


def _list_kept(one: SyncDecision) -> tuple[str, ...]:
    """Preserved content, except edits since the sync base, which are reported as drift."""
    edits = {drift.fact.at for drift in one.drifts if drift.becomes is Becomes.KEPT}
    return tuple(_in_words(place) for place in one.kept if place not in edits)


def _in_words(place: DocumentPlace) -> str:
    *keys, last = place
    if isinstance(last, str):
        return ".".join(map(str, place))
    label = ", ".join(str(part) for part in last if part is not None)
    return f"{'.'.join(str(key) for key in keys)} {label}"


def _conflict(one: Dispute) -> SyncConflict:
    held = one.conflict
    sides = {"base": held.base, "ours": held.ours, "theirs": held.theirs}
    return SyncConflict(
        at=held.at,
        why=held.why,
        winner=WinnerWord(one.winner),
        **{name: side for name, side in sides.items() if side is not ABSENT},
    )
