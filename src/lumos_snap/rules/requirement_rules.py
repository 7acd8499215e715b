"""Rules about policy requirements of `lumos.yaml`, which apply to the current state."""

from lumos_snap.diff import Action
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

_AS_ASKED = Levels(Level.BREAKING, Level.BREAKING, Level.BREAKING)
"""The level of a requirement that blocks; one that warns makes it non-breaking."""


def _requirement_rule(rule: str, slug: str, on: str, *, message: str, why: str, fix: str) -> Rule:
    return Rule(
        rule, slug, (on,), (Action.FOUND,), _AS_ASKED, Family.POLICY, Bump.NONE, message, why, fix
    )


REQUIRED_MISSING = _requirement_rule(
    "PO001", "required-missing", "policy.require",
    message="{item} is required, and missing",
    why="The team has decided that no dataset goes without it.",
    fix="say it in the snapshot; or except the dataset in lumos.yaml, with a reason",
)  # fmt: skip
COLUMN_REQUIRED_MISSING = _requirement_rule(
    "PO002", "column-required-missing", "policy.require",
    message="{item} of {path} is required, and missing",
    why="The team has decided that no column goes without it.",
    fix="say it in the snapshot, under the path of the column",
)  # fmt: skip
OWNER_MISSING = _requirement_rule(
    "PO003", "owner-missing", "policy.owners",
    message="{item}: there must be {new}, and there is {old}",
    why="Nobody of that sort answers for the dataset when something is wrong with it.",
    fix="name them in `ownership.owners`",
)  # fmt: skip
PERSONAL_UNCLASSIFIED = _requirement_rule(
    "PO004", "personal-unclassified", "policy.personal",
    message="{path} holds personal data, and has no classification",
    why="Nothing says how secret it is, so it is treated like everything else.",
    fix="say `classification` of the column, or of the dataset, in `governance`",
)  # fmt: skip
PERSONAL_WITHOUT_OWNER = _requirement_rule(
    "PO005", "personal-without-owner", "policy.personal",
    message="{path} holds personal data, and the dataset has no owner",
    why="Whoever asks what is kept about them gets no answer.",
    fix="name who answers for it in `ownership.owners`",
)  # fmt: skip
PERSONAL_UNMASKED = _requirement_rule(
    "PO006", "personal-unmasked", "policy.personal",
    message="{path} holds personal data, and nothing says how it is masked",
    why="Those who may not see it see it.",
    fix="mask it, and say how in `masking` of the column in `governance.fields`",
)  # fmt: skip
STALE = _requirement_rule(
    "PO007", "stale", "policy.freshness",
    message="{item} is older than {new}: {old}",
    why="Consumers read yesterday's world and take it for today's.",
    fix="see why the pipeline or the scan stands still",
)  # fmt: skip
AGE_UNKNOWN = _requirement_rule(
    "PO008", "age-unknown", "policy.freshness",
    message="nothing says whether {item} is older than {new}",
    why="What was never measured cannot be called fresh.",
    fix="run `lumos snap scan` first; git keeps what it measures where `observations: tracked`",
)  # fmt: skip
DATASET_MISNAMED = _requirement_rule(
    "PO009", "dataset-misnamed", "policy.naming",
    message="the name {old} does not match {new}",
    why="Names that follow no rule are not found, and tools that rely on one pass over them.",
    fix="rename it before others use it; or except it in lumos.yaml, with a reason",
)  # fmt: skip
COLUMN_MISNAMED = _requirement_rule(
    "PO010", "column-misnamed", "policy.naming",
    message="the name of {path} does not match {new}",
    why="Queries must guess how it is written, and quote it.",
    fix="rename it while it is new; a column that is in use is renamed by adding another",
)  # fmt: skip

ROWS = (
    REQUIRED_MISSING,
    COLUMN_REQUIRED_MISSING,
    OWNER_MISSING,
    PERSONAL_UNCLASSIFIED,
    PERSONAL_WITHOUT_OWNER,
    PERSONAL_UNMASKED,
    STALE,
    AGE_UNKNOWN,
    DATASET_MISNAMED,
    COLUMN_MISNAMED,
)
