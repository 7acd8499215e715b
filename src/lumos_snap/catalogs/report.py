"""Plans and runs as reports: values that can be printed, stored and compared."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lumos_snap.catalogs.adapter import Action, Identity, Place
from lumos_snap.catalogs.sync.decision import Becomes, Decision, Dispute, Drift, Winner
from lumos_snap.catalogs.sync.plan import Plan
from lumos_snap.catalogs.sync.task import Done, Outcome
from lumos_snap.diff import Fact
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
    Synced,
    SyncedDocument,
    SyncLoss,
    SyncLosses,
    SyncPlan,
    WinnerWord,
)


def told(plan: Plan, catalog: str, *, observations: int = 0) -> SyncPlan:
    """A plan, as it is shown."""
    return SyncPlan(
        catalog=catalog,
        hash=plan.hash(),
        counts=_counts(plan),
        documents=tuple(map(_document, filter(_is_worth_telling, plan.decisions))),
        losses=plan.losses,
        observations=observations,
    )


def told_of_run(
    done: Sequence[Done],
    catalog: str,
    journal: Path | None = None,
    *,
    observations: int = 0,
    unsent: Mapping[str, str] | None = None,
) -> Synced:
    """What came of a plan; `journal` where the run is not finished."""
    counts = Counter(one.outcome for one in done)
    return Synced(
        catalog=catalog,
        counts={outcome.value: counts[outcome] for outcome in Outcome},
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


def told_of_losses(
    catalog: str, kept: Iterable[tuple[Identity, Sequence[Fact] | None]]
) -> SyncLosses:
    """What is lost of documents; None of one that is lost as a whole."""
    return SyncLosses(
        catalog=catalog,
        documents=tuple(
            LostDocument(
                kind=one.kind,
                id=one.id,
                is_whole=facts is None,
                lost=tuple(told_of_change(fact) for fact in facts or ()),
            )
            for one, facts in kept
        ),
    )


def _is_worth_telling(one: Decision) -> bool:
    """Whether a person sees a difference: what is only to be noted in the base is none."""
    return bool(one.action or one.pulled or one.drifts or one.kept or one.disputes or one.refusal)


def _counts(plan: Plan) -> SyncCounts:
    actions = Counter(one.action for one in plan.decisions)
    return SyncCounts(
        documents=plan.documents,
        created=actions[Action.CREATE],
        changed=actions[Action.UPDATE],
        revived=actions[Action.REVIVE],
        deleted=actions[Action.DELETE],
        drifted=sum(bool(one.drifts) for one in plan.decisions),
        conflicting=sum(one.is_open for one in plan.decisions),
        refused=sum(bool(_refusal(one)) for one in plan.decisions),
    )


def _document(one: Decision) -> PlannedDocument:
    fields = one.wanted.get("schema", {}).get("fields", ())
    return PlannedDocument(
        kind=one.identity.kind,
        id=one.identity.id,
        action=None if one.action is None else ActionWord(one.action),
        columns=len(fields) if one.action is Action.CREATE and fields else None,
        changes=tuple(told_of_change(fact) for fact in one.changes),
        drifts=tuple(map(_drift, one.drifts)),
        kept=_kept(one),
        conflicts=tuple(map(_conflict, one.disputes)),
        losses=tuple(
            SyncLoss(at=loss.at, reason=loss.reason, item=loss.item or None) for loss in one.losses
        ),
        refusal=_refusal(one),
    )


def _refusal(one: Decision) -> str | None:
    if one.unpulled:
        return f"the catalog's edit cannot go into the tree: {one.unpulled}"
    return one.refusal or None


def told_of_change(fact: Fact) -> SyncChange:
    """A difference, as it is shown."""
    return SyncChange(**_said(fact))


def _said(fact: Fact) -> dict[str, Any]:
    return {
        "subject": fact.subject,
        "action": fact.action.value,
        "field": fact.path or None,
        "item": fact.item or None,
        "old": fact.was or fact.old,
        "new": fact.path if fact.was else fact.new,
    }


def _open(decision: Decision | None) -> tuple[SyncConflict, ...]:
    disputes = decision.disputes if decision else ()
    return tuple(_conflict(one) for one in disputes if one.winner is Winner.NOBODY)


def _drift(one: Drift) -> SyncDrift:
    return SyncDrift(
        **_said(one.fact),
        becomes=BecomesWord(one.becomes),
        by=one.edit.who or None if one.edit else None,
        when=one.edit.when or None if one.edit else None,
    )


def _kept(one: Decision) -> tuple[str, ...]:
    """What stays and is no edit since the base: that is told as drift."""
    edits = {drift.fact.at for drift in one.drifts if drift.becomes is Becomes.KEPT}
    return tuple(_in_words(place) for place in one.kept if place not in edits)


def _in_words(place: Place) -> str:
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
