"""Rules about curated metadata: descriptions, tags, classifications and owners."""

from lumos_snap.diff import Action
from lumos_snap.rules import conditions, contract_conditions
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

ADDED, REMOVED, CHANGED = Action.ADDED, Action.REMOVED, Action.CHANGED
X, N, I = Level.BREAKING, Level.NON_BREAKING, Level.INFORMATIONAL  # noqa: E741 - columns of a table

_WORDS = (
    "documentation.title", "documentation.description", "documentation.business_context",
    "documentation.fields", "documentation.fields.title", "documentation.fields.description",
    "storage.description", "schema.description", "field.description", "element.description",
    "value.description", "lineage.upstream.description", "quality.checks.description",
    "ownership.owners.description",
)  # fmt: skip
_REFERENCES = (
    "documentation.fields.path", "governance.fields.path", "contract.fields.path",
    "schema.unique.columns", "schema.foreign_keys.columns", "lineage.upstream.columns.to",
)  # fmt: skip
_IDS = ("documentation.fields.id", "governance.fields.id", "contract.fields.id")
_AMOUNTS = (
    "governance.retention", "schedule.sla.freshness", "schedule.sla.latency",
    "schedule.sla.availability", "schedule.sla.completeness", "quality.minimum_score",
)  # fmt: skip
_OF_COLUMNS = ("documentation.fields", "governance.fields", "contract.fields")

_MARKS = (
    "governance.fields", "governance.fields.pii", "governance.fields.classification",
    "governance.fields.masking", "governance.fields.tags", "governance.fields.terms",
    "documentation.fields", "documentation.fields.title", "documentation.fields.description",
    "quality.checks", "quality.checks.field", "lineage.upstream.columns",
)  # fmt: skip

ROWS = (
    Rule(
        "GV025", "mark-without-column", _MARKS, (ADDED,), Levels(X, X, X),
        Family.GOVERNANCE, Bump.PATCH,
        message="{where} is described, marked or checked, and there is no such column",
        why="The column that is meant stays without its mark: personal data is not masked, and "
        "nobody sees it.",
        fix="write the path as the schema has it",
        when=contract_conditions.names_no_column,
    ),
    Rule(
        "GV012", "goes-with-column", _OF_COLUMNS, (REMOVED,), Levels(I, I, I),
        Family.GOVERNANCE, Bump.PATCH,
        message="what was said of {path} went with the column",
        why="Words about a column that is gone help nobody; the removal itself is judged apart.",
        fix="nothing to do",
        when=conditions.goes_with_column,
    ),
    Rule(
        "GV013", "reference-follows-rename", _REFERENCES, (CHANGED,), Levels(I, I, I),
        Family.GOVERNANCE, Bump.PATCH,
        message="what referred to {old} refers to {new}, as it is called now",
        why="The column was renamed, and what refers to it goes along; the rename is judged apart.",
        fix="nothing to do",
    ),
    Rule(
        "GV014", "noted-id-changed", _IDS, (ADDED, REMOVED, CHANGED), Levels(I, I, I),
        Family.GOVERNANCE, Bump.PATCH,
        message="the field id noted for {path} went from {old} to {new}",
        why="The id finds the column again after a rename; it says nothing to readers of data.",
        fix="nothing to do",
    ),
    Rule(
        "GV001", "pii-removed", ("governance.pii", "governance.fields.pii"),
        (REMOVED, CHANGED), Levels(X, X, X), Family.GOVERNANCE, Bump.PATCH,
        message="{where} is no longer marked as personal data",
        why="Masking, retention and access follow this mark: without it they stop, unnoticed.",
        fix="restore `pii: true`, or have the change waived by who answers for privacy",
        when=contract_conditions.loses_pii,
    ),
    Rule(
        "GV003", "classification-lowered",
        ("governance.classification", "governance.fields.classification"),
        (REMOVED, CHANGED), Levels(X, X, X), Family.GOVERNANCE, Bump.PATCH,
        message="{where} is classified lower: {old} → {new}",
        why="Who may see the data follows its class; a lower one opens it to more people.",
        fix="restore the class; `policy.classifications` in lumos.yaml says which are higher",
        when=contract_conditions.lowers_classification,
    ),
    Rule(
        "GV007", "masking-removed", ("governance.fields.masking",), (REMOVED,), Levels(X, X, X),
        Family.GOVERNANCE, Bump.PATCH,
        message="{where} is no longer masked",
        why="Those who may not see the values see them from now on.",
        fix="restore `masking`, or have the change waived by who answers for privacy",
    ),
    Rule(
        "GV002", "governance-marked",
        (
            "governance.pii", "governance.fields.pii", "governance.classification",
            "governance.fields.classification", "governance.fields.masking", "governance.fields",
        ),
        (ADDED, REMOVED, CHANGED), Levels(N, N, N), Family.GOVERNANCE, Bump.PATCH,
        message="how {where} must be treated was changed: {old} → {new}",
        why="Masking or access may follow; the data itself is as it was.",
        fix="nothing to do; tell readers if they are masked from now on",
    ),
    Rule(
        "GV004", "last-owner-removed", ("ownership.owners",), (REMOVED,), Levels(N, N, N),
        Family.GOVERNANCE, Bump.PATCH,
        message="{item} no longer owns the dataset, and nobody else does",
        why="A dataset that nobody answers for is not repaired when it breaks.",
        fix="name an owner in `ownership.owners`; a policy can make this rule breaking",
        when=contract_conditions.loses_last_owner,
    ),
    Rule(
        "GV011", "owner-changed", ("ownership.owners",), (ADDED, REMOVED), Levels(N, N, N),
        Family.GOVERNANCE, Bump.PATCH,
        message="owner {item} was {action}",
        why="Questions and approvals go to somebody else.",
        fix="nothing to do",
    ),
    Rule(
        "GV005", "label-changed",
        (
            "governance.tags", "governance.terms", "governance.compliance",
            "governance.fields.tags", "governance.fields.terms",
        ),
        (ADDED, REMOVED), Levels(N, N, N), Family.GOVERNANCE, Bump.PATCH,
        message="{part} {item} of {where} was {action}",
        why="Search, reports and policies that go by it see another set of datasets.",
        fix="nothing to do",
    ),
    Rule(
        "GV009", "domain-changed", ("governance.domain",), (ADDED, REMOVED, CHANGED),
        Levels(I, I, I), Family.GOVERNANCE, Bump.PATCH,
        message="the domain went from {old} to {new}",
        why="The dataset is found elsewhere in the catalog.",
        fix="nothing to do",
    ),
    Rule(
        "GV008", "license-changed", ("governance.license",), (ADDED, REMOVED, CHANGED),
        Levels(N, N, X), Family.GOVERNANCE, Bump.PATCH,
        message="the license went from {old} to {new}",
        why="What consumers may do with the data changes under their feet.",
        fix="tell the dataset's consumers before it takes effect",
    ),
    Rule(
        "GV015", "access-changed", ("governance.access",), (ADDED, REMOVED, CHANGED),
        Levels(N, N, N), Family.GOVERNANCE, Bump.PATCH,
        message="who may read it, or where to ask, went from {old} to {new}",
        why="People who ask for access go by these words.",
        fix="nothing to do",
    ),
    Rule(
        "GV024", "promise-restated", _AMOUNTS, (CHANGED,), Levels(I, I, I),
        Family.OPERATIONS, Bump.PATCH,
        message="the promised {part} is written {new} instead of {old}",
        why="Both say the same: nothing is promised that was not before.",
        fix="nothing to do",
        when=contract_conditions.says_the_same,
    ),
    Rule(
        "PT007", "retention-shortened", ("governance.retention",), (CHANGED,), Levels(X, X, X),
        Family.GOVERNANCE, Bump.PATCH,
        message="data is kept for {new} instead of {old}",
        why="History that queries and models rely on is deleted.",
        fix="restore the period, or agree on it with consumers and have the change waived",
        when=contract_conditions.shortens_retention,
    ),
    Rule(
        "PT008", "retention-changed", ("governance.retention",), (ADDED, REMOVED, CHANGED),
        Levels(N, N, N), Family.GOVERNANCE, Bump.PATCH,
        message="how long data is kept went from {old} to {new}",
        why="History may be deleted, or kept, that was not before.",
        fix="check the period against what the data's class demands",
    ),
    Rule(
        "GV006", "documentation-changed", (*_WORDS, "documentation.links"), (ADDED, REMOVED),
        Levels(N, N, N), Family.GOVERNANCE, Bump.PATCH,
        message="{part} of {where} was {action}",
        why="People find, or miss, what they need to understand the data.",
        fix="nothing to do",
    ),
    Rule(
        "GV010", "text-edited", (*_WORDS, "documentation.links.label"), (ADDED, REMOVED, CHANGED),
        Levels(I, I, I), Family.GOVERNANCE, Bump.PATCH,
        message="{part} of {where} was edited",
        why="The words changed; whether their meaning did is for people to see.",
        fix="nothing to do",
    ),
    Rule(
        "GV016", "entity-changed", ("entity",), (ADDED, REMOVED, CHANGED), Levels(I, I, I),
        Family.GOVERNANCE, Bump.PATCH,
        message="{item} was {action}",
        why="Snapshots refer to users, groups, terms, domains and jobs by their ids.",
        fix="check that no snapshot refers to an id that is gone",
    ),
)  # fmt: skip
