"""Rules about the history of a dataset: existence, lifecycle, deprecation, versions."""

from lumos_snap.diff import Action
from lumos_snap.rules import conditions, contract_conditions
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

ADDED, REMOVED, CHANGED, RENAMED = Action.ADDED, Action.REMOVED, Action.CHANGED, Action.RENAMED
X, N, I = Level.BREAKING, Level.NON_BREAKING, Level.INFORMATIONAL  # noqa: E741 - columns of a table
_ANY = (ADDED, REMOVED, CHANGED)

_DEPRECATED = ("contract.deprecated", "contract.fields.deprecated")
_SUNSET = ("contract.sunset", "contract.fields.sunset")

ROWS = (
    Rule(
        "DS005", "dataset-removed-after-sunset", ("dataset",), (REMOVED,), Levels(N, I, N),
        Family.HISTORY, Bump.PATCH,
        message="the dataset was removed after its announced sunset",
        why="Consumers were told the day, and it has passed.",
        fix="nothing to do",
        when=conditions.is_past_sunset,
    ),
    Rule(
        "DS001", "dataset-removed", ("dataset",), (REMOVED,), Levels(X, I, X),
        Family.HISTORY, Bump.PATCH,
        message="the dataset was removed{like}",
        why="Every query, job and dashboard that reads it fails.",
        fix="deprecate it first, with a `sunset`; if it was renamed, say `renamed_from` there",
    ),
    Rule(
        "DS002", "dataset-added", ("dataset",), (ADDED,), Levels(N, I, N),
        Family.HISTORY, Bump.MINOR,
        message="the dataset is new{like}",
        why="Nobody relies on it yet.",
        fix="nothing to do",
    ),
    Rule(
        "DS003", "dataset-renamed", ("dataset",), (RENAMED,), Levels(X, N, X),
        Family.HISTORY, Bump.MINOR,
        message="the dataset moved: {old} → {new}",
        why="Consumers look for it under its old name.",
        fix="keep a view or a copy under the old name until consumers have moved",
    ),
    Rule(
        "DS007", "sunset-moved-earlier", _SUNSET, (CHANGED,), Levels(X, I, X),
        Family.HISTORY, Bump.PATCH,
        message="the sunset of {where} was moved from {old} to {new}",
        why="Consumers planned with the day that they were told.",
        fix="keep the announced day, or agree on the new one with consumers",
        when=contract_conditions.is_earlier,
    ),
    Rule(
        "DS008", "deprecation-changed", (*_DEPRECATED, *_SUNSET), (ADDED, REMOVED),
        Levels(N, N, N), Family.HISTORY, Bump.PATCH,
        message="{part} of {where} was {action}: {value}",
        why="Consumers learn what to move away from, and until when.",
        fix="tell the consumers",
    ),
    Rule(
        "DS016", "deprecation-edited", (*_DEPRECATED, *_SUNSET), _ANY, Levels(I, I, I),
        Family.HISTORY, Bump.PATCH,
        message="{part} of {where} went from {old} to {new}",
        why="The announcement reads otherwise, and no day came nearer.",
        fix="nothing to do",
    ),
    Rule(
        "DS009", "lifecycle-lowered", ("contract.lifecycle",), _ANY, Levels(X, I, X),
        Family.HISTORY, Bump.PATCH,
        message="the lifecycle was lowered from {old} to {new}",
        why="A promise is taken back: later changes would no longer block.",
        fix="keep the lifecycle, or agree on it with consumers and have the change waived",
        when=contract_conditions.lowers_lifecycle,
    ),
    Rule(
        "DS010", "lifecycle-raised", ("contract.lifecycle",), _ANY, Levels(N, N, N),
        Family.HISTORY, Bump.PATCH,
        message="the lifecycle went from {old} to {new}",
        why="The dataset promises at least as much as before.",
        fix="nothing to do",
    ),
    Rule(
        "DS011", "gate-turned-off", ("contract.gate",), _ANY, Levels(X, I, X),
        Family.HISTORY, Bump.PATCH,
        message="breaking changes of the dataset no longer stop a build",
        why="The next breaking change would reach consumers unseen.",
        fix="leave the gate on, and waive the one change that is meant",
        when=contract_conditions.turns_gate_off,
    ),
    Rule(
        "DS013", "gate-turned-on", ("contract.gate",), _ANY, Levels(N, N, N),
        Family.HISTORY, Bump.PATCH,
        message="the gate went from {old} to {new}",
        why="Breaking changes of the dataset stop a build.",
        fix="nothing to do",
    ),
    Rule(
        "DS015", "readers-changed", ("contract.readers",), (ADDED, REMOVED), Levels(N, N, N),
        Family.HISTORY, Bump.PATCH,
        message="reader {item} was {action}",
        why="Other engines judge the changes of this dataset from now on.",
        fix="declare every engine that reads the dataset",
    ),
    Rule(
        "DS012", "kind-changed", ("kind",), (CHANGED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="the dataset was a {old} and is a {new}",
        why="What can be done with it (write, stream, list files) is not the same.",
        fix="publish it under another name, and deprecate this one",
    ),
    Rule(
        "DS017", "kind-noted", ("kind",), (ADDED, REMOVED), Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="the kind of the dataset went from {old} to {new}",
        why="Nothing was said before, or is said now: the data is as it was.",
        fix="nothing to do",
    ),
    Rule(
        "DS014", "environment-changed", ("environment",), _ANY, Levels(I, I, I),
        Family.HISTORY, Bump.PATCH,
        message="the environment went from {old} to {new}",
        why="One tree is one environment: this is a label.",
        fix="nothing to do; `lumos snap validate` checks it against lumos.yaml",
    ),
    Rule(
        "DS018", "origin-noted",
        (
            "contract.renamed_from", "contract.replaced_by", "contract.fields.renamed_from",
            "contract.fields",
        ),
        _ANY, Levels(I, I, I), Family.HISTORY, Bump.PATCH,
        message="{part} of {where} was {action}: {value}",
        why="It leads from a former name to the present one, or on to a successor.",
        fix="nothing to do",
    ),
    Rule(
        "DS019", "format-version-changed", ("lumos_version",), (CHANGED,), Levels(I, I, I),
        Family.HISTORY, Bump.PATCH,
        message="the format of the snapshot went from {old} to {new}",
        why="The document was upgraded; the dataset is as it was.",
        fix="nothing to do",
    ),
    Rule(
        "MT001", "version-written",
        ("versioning.cloud_version", "versioning.schema_version", "versioning.history"),
        _ANY, Levels(I, I, I), Family.HISTORY, Bump.NONE,
        message="{part} went from {old} to {new}",
        why="A release writes versions; the dataset is as it was.",
        fix="leave versions to `lumos snap bump`",
    ),
)  # fmt: skip
