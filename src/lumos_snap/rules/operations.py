"""Rules about lineage, checks, schedules, SLAs and properties."""

from lumos_snap.diff import Action
from lumos_snap.rules import contract_conditions
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

ADDED, REMOVED, CHANGED = Action.ADDED, Action.REMOVED, Action.CHANGED
X, N, I = Level.BREAKING, Level.NON_BREAKING, Level.INFORMATIONAL  # noqa: E741 - columns of a table
_ANY = (ADDED, REMOVED, CHANGED)
_DURATIONS = ("schedule.sla.freshness", "schedule.sla.latency")
_SHARES = ("schedule.sla.availability", "schedule.sla.completeness")

ROWS = (
    Rule(
        "LN001", "upstream-changed", ("lineage.upstream",), (ADDED, REMOVED), Levels(N, N, N),
        Family.OPERATIONS, Bump.PATCH,
        message="upstream {item} was {action}",
        why="The data comes from elsewhere, and so do its delays and its faults.",
        fix="nothing to do",
    ),
    Rule(
        "LN002", "column-lineage-changed",
        ("lineage.upstream.columns", "lineage.upstream.columns.transformation"), _ANY,
        Levels(N, N, N), Family.OPERATIONS, Bump.PATCH,
        message="{path} is made otherwise: {old} → {new}",
        why="The type is as it was, and the values may mean something else.",
        fix="tell consumers of the column if its meaning changed",
    ),
    Rule(
        "LN003", "edge-described",
        (
            "lineage.upstream.type", "lineage.upstream.confidence", "lineage.upstream.share",
            "lineage.upstream.columns.confidence",
        ),
        _ANY, Levels(I, I, I), Family.OPERATIONS, Bump.PATCH,
        message="{part} of upstream {item} went from {old} to {new}",
        why="The edge is as it was; it is described otherwise.",
        fix="nothing to do",
    ),
    Rule(
        "GV021", "sla-loosened", _DURATIONS, _ANY, Levels(X, I, X),
        Family.OPERATIONS, Bump.PATCH,
        message="the promised {part} was loosened: {old} → {new}",
        why="Consumers planned with the promise: their jobs start before the data is there.",
        fix="keep the promise, or agree on the new one with consumers and have the change waived",
        when=contract_conditions.loosens_duration,
    ),
    Rule(
        "GV022", "sla-lowered", _SHARES, _ANY, Levels(X, I, X),
        Family.OPERATIONS, Bump.PATCH,
        message="the promised {part} was lowered: {old} → {new}",
        why="Consumers planned with the promise: more gaps than they can bear may follow.",
        fix="keep the promise, or agree on the new one with consumers and have the change waived",
        when=contract_conditions.loosens_share,
    ),
    Rule(
        "GV023", "sla-tightened", (*_DURATIONS, *_SHARES), _ANY, Levels(N, N, N),
        Family.OPERATIONS, Bump.PATCH,
        message="the promised {part} went from {old} to {new}",
        why="More is promised than before.",
        fix="make sure that the pipeline keeps it",
    ),
    Rule(
        "QL003", "blocking-check-removed", ("quality.checks", "quality.checks.severity"),
        (REMOVED, CHANGED), Levels(N, N, X), Family.OPERATIONS, Bump.PATCH,
        message="{piece}blocking check {item} was {action}{change}",
        why="Bad data that it held back reaches consumers.",
        fix="replace it by a check that holds the same back",
        when=contract_conditions.was_blocking,
    ),
    Rule(
        "QL001", "check-changed",
        (
            "quality.checks", "quality.checks.severity", "quality.checks.threshold",
            "quality.checks.expression", "quality.checks.type", "quality.checks.field",
        ),
        _ANY, Levels(N, N, N), Family.OPERATIONS, Bump.PATCH,
        message="{piece}check {item} was {action}{change}",
        why="What counts as good data is not the same.",
        fix="nothing to do",
    ),
    Rule(
        "QL004", "check-origin-changed", ("quality.checks.origin",), _ANY, Levels(I, I, I),
        Family.OPERATIONS, Bump.PATCH,
        message="check {item} is run by {new} instead of {old}",
        why="The same is checked by another tool.",
        fix="nothing to do",
    ),
    Rule(
        "QL002", "quality-bar-lowered", ("quality.minimum_score",), _ANY, Levels(X, I, X),
        Family.OPERATIONS, Bump.PATCH,
        message="the least quality score was lowered: {old} → {new}",
        why="Data that was unfit yesterday is published today.",
        fix="keep the score, or agree on the new one with consumers and have the change waived",
        when=contract_conditions.loosens_share,
    ),
    Rule(
        "QL005", "quality-bar-raised", ("quality.minimum_score",), _ANY, Levels(N, N, N),
        Family.OPERATIONS, Bump.PATCH,
        message="the least quality score went from {old} to {new}",
        why="More is demanded of the data than before.",
        fix="nothing to do",
    ),
    Rule(
        "SD001", "schedule-changed", ("schedule.cron", "schedule.every", "schedule.timezone"), _ANY,
        Levels(I, I, I), Family.OPERATIONS, Bump.PATCH,
        message="{part} of the schedule went from {old} to {new}",
        why="Data arrives at other times; what is promised about that is `schedule.sla`.",
        fix="nothing to do",
    ),
    Rule(
        "PR001", "property-changed",
        ("properties", "storage.properties", "field.properties"), _ANY, Levels(I, I, I),
        Family.OPERATIONS, Bump.PATCH,
        message="property {item} of {where} was {action}{change}",
        why="Only those who wrote it know what it means.",
        fix="nothing to do",
    ),
)  # fmt: skip
