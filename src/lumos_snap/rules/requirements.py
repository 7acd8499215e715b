"""Policy requirements: finds datasets and columns that violate them."""

import datetime
import difflib
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from lumos_snap.config.requirements import (
    FreshnessRequirement,
    MetadataRequirement,
    NamingRequirement,
    OwnerRequirement,
    PersonalDataRequirement,
    Requirement,
)
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Comparison
from lumos_snap.documents.patterns import matches_dataset, regular_expression
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules import requirement_rules
from lumos_snap.rules.case import Case
from lumos_snap.rules.dataset_state import COLUMNS, CheckedDataset, Document, Violation, is_stated
from lumos_snap.rules.finding import Decision, Finding
from lumos_snap.rules.policy import policy_for
from lumos_snap.rules.rule import Bump, Level, Preset
from lumos_snap.schema import Holds, Key, keys_of

_FIELDS = "fields"
_DEEPEST = 4
"""The maximum depth of paths that are suggested for a mistyped one."""
_SOURCES_WORDS = ("documentation.description", "documentation.fields.description")
"""Keys for which the source's description counts, because it is shown if no other exists."""


class _Path(NamedTuple):
    """A path of the model, split where it reaches columns."""

    section: str
    steps: tuple[str, ...]
    is_of_columns: bool


def missing_metadata(demand: MetadataRequirement, state: CheckedDataset) -> Iterator[Violation]:
    """Find required metadata that is missing."""
    path = _path(demand.what)
    if path.is_of_columns:
        yield from _of_columns(demand.what, path, state)
    elif not _is_stated(demand.what, path, state):
        at = demand.what.split(".")[:1]
        yield Violation(requirement_rules.REQUIRED_MISSING, at=tuple(at), item=demand.what)


def _is_stated(what: str, path: _Path, state: CheckedDataset) -> bool:
    document = state.document
    if is_stated(document, (path.section, *path.steps)):
        return True
    others = (("storage", "description"), ("schema", "description"))
    return what in _SOURCES_WORDS and any(is_stated(document, other) for other in others)


def _of_columns(what: str, path: _Path, state: CheckedDataset) -> Iterator[Violation]:
    is_own = path.section == "schema"
    said = {} if is_own else state.said(path.section)
    by_source = what in _SOURCES_WORDS
    for name, column in state.columns:
        held = column if is_own else said.get(name, {})
        if not is_stated(held, path.steps) and not (by_source and is_stated(column, path.steps)):
            yield Violation(
                requirement_rules.COLUMN_REQUIRED_MISSING,
                at=COLUMNS,
                path=name,
                id=column.get("id"),
                item=what,
            )


@functools.cache
def _path(what: str) -> _Path:
    section, *steps = what.split(".")
    is_of_columns = steps[:1] == [_FIELDS] and len(steps) > 1
    if section == "properties" or steps[:1] == ["properties"]:  # its names may contain dots
        head = what.partition("properties.")
        steps = [*head[0].split(".")[1:-1], *(["properties"] if head[0] else []), head[2]]
    return _Path(section, tuple(steps[1:] if is_of_columns else steps), is_of_columns)


def is_known(what: str) -> bool:
    """Whether a path exists in the model."""
    steps = what.split(".")
    keys: Mapping[str, Key] = keys_of(Snapshot)
    for number, step in enumerate(steps, 1):
        key = keys.get(step)
        if key is None:
            return False
        if key.holds is Holds.FREE:
            return number < len(steps) and all(steps[number:])
        keys = keys_of(key.item) if key.item is not None else {}
    return True


def iter_paths() -> Iterator[str]:
    """The paths that can be required, for suggestions."""
    yield from _below("", keys_of(Snapshot), _DEEPEST)


def _below(prefix: str, keys: Mapping[str, Key], depth: int) -> Iterator[str]:
    for name, key in keys.items():
        path = f"{prefix}.{name}" if prefix else name
        yield path
        if key.item is not None and depth > 1:
            yield from _below(path, keys_of(key.item), depth - 1)


def naming_violations(demand: NamingRequirement, state: CheckedDataset) -> Iterator[Violation]:
    """Find names that do not match."""
    is_right = regular_expression(demand.pattern)
    if demand.of == "datasets":
        name = str(state.document["name"])
        if not is_right(name):
            yield Violation(
                requirement_rules.DATASET_MISNAMED,
                at=("name",),
                item=demand.pattern,
                old=name,
                new=demand.pattern,
            )
        return
    for path, column in state.columns:
        if not is_right(column["name"]):
            yield Violation(
                requirement_rules.COLUMN_MISNAMED,
                at=COLUMNS,
                path=path,
                id=column.get("id"),
                item=demand.pattern,
                new=demand.pattern,
            )


_WHAT = {"data": "the data", "observation": "the last observation"}


def freshness_violations(
    demand: FreshnessRequirement, state: CheckedDataset
) -> Iterator[Violation]:
    """Find data or observations that are too old or of unknown age."""
    item, allowed = _WHAT[demand.by], _days(demand.days)
    since = moment(demand, state.observation or {})
    if since is None:
        yield Violation(requirement_rules.AGE_UNKNOWN, item=item, new=allowed)
        return
    age = (state.today - since).days
    if age > demand.days:
        old = f"{_days(age)}, since {since}"
        yield Violation(requirement_rules.STALE, item=item, old=old, new=allowed)


def moment(demand: FreshnessRequirement, observation: Document) -> datetime.date | None:
    """The relevant date: until when the data is complete, else its last modification."""
    if demand.by == "observation":
        return _day(observation.get("observed_at"))
    complete = observation.get("quality", {}).get("freshness")
    return _day(complete or observation.get("data", {}).get("last_modified"))


def _day(text: object) -> datetime.date | None:
    """The date of a timestamp, in UTC."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:  # an invalid date or time
        return None
    return found.astimezone(datetime.UTC).date()


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


_OWNERS = ("ownership", "owners")


def owner_violations(demand: OwnerRequirement, state: CheckedDataset) -> Iterator[Violation]:
    """Find missing owners of a type."""
    counted = [one for one in _owners(state) if _counts(one, demand)]
    if len(counted) < demand.least:
        least, found = str(demand.least), str(len(counted) or "none")
        item = f"{'groups' if demand.group else 'owners'}{_in_role(demand)}"
        new = "one" if demand.least == 1 else f"at least {least}"
        yield Violation(requirement_rules.OWNER_MISSING, at=_OWNERS, item=item, old=found, new=new)


def _owners(state: CheckedDataset) -> list[JsonObject]:
    found: list[JsonObject] = state.document.get("ownership", {}).get("owners", [])
    return found


def _counts(owner: JsonObject, demand: OwnerRequirement) -> bool:
    is_of_type = demand.type is None or owner.get("type") == demand.type
    return is_of_type and (not demand.group or "group" in owner)


def _in_role(demand: OwnerRequirement) -> str:
    return "" if demand.type is None else f" of type {demand.type}"


def personal_data_violations(
    demand: PersonalDataRequirement, state: CheckedDataset
) -> Iterator[Violation]:
    """Find personal data without the required metadata."""
    governance = state.document.get("governance", {})
    marked = [one for one in governance.get("fields", ()) if one.get("pii")]
    ids = dict(state.columns) if marked else {}
    for one in marked:
        for rule in _lacking(demand, one, governance):
            column = ids.get(one["path"], {})
            yield Violation(rule, at=COLUMNS, path=one["path"], id=column.get("id"))
    if governance.get("pii"):
        for rule in _lacking(demand, governance, governance):
            yield Violation(rule, at=("governance", "pii"))
    if "owner" in demand.needs and (marked or governance.get("pii")) and not _owners(state):
        path = marked[0]["path"] if marked and not governance.get("pii") else ""
        at = COLUMNS if path else ("governance", "pii")
        yield Violation(requirement_rules.PERSONAL_WITHOUT_OWNER, at=at, path=path)


def _lacking(demand: PersonalDataRequirement, held: JsonObject, whole: JsonObject) -> Iterator[Any]:
    """The missing metadata of a column or dataset; columns inherit the dataset's classification."""
    is_classified = "classification" in held or "classification" in whole
    if "classification" in demand.needs and not is_classified:
        yield requirement_rules.PERSONAL_UNCLASSIFIED
    if "masking" in demand.needs and held is not whole and "masking" not in held:
        yield requirement_rules.PERSONAL_UNMASKED


D = TypeVar("D", bound=Requirement)

_LEVELS = {"block": Level.BREAKING, "warn": Level.NON_BREAKING}


def check(policy: Policy) -> None:
    """Reject requirements that could never be met or violated: mistyped paths or patterns."""
    for where, requirement in _with_positions("require", policy.require):
        if not is_known(requirement.what):
            message = f"{where}: nothing is called `{requirement.what}`"
            raise LumosError(message, hint=_suggest_path(requirement.what))
    for where, personal in _with_positions("personal", policy.personal):
        if not personal.needs:
            raise LumosError(f"{where}: `needs` asks for nothing", hint="leave it out, or fill it")


def _suggest_path(what: str) -> str:
    """Suggest a path for an unknown one."""
    names = tuple(iter_paths())
    if what in names:  # a free map, which needs a key
        return f"say which of them: `{what}.NAME`"
    close = difflib.get_close_matches(what, names, n=1)
    return f"did you mean `{close[0]}`?" if close else "`lumos schema snapshot` lists all"


def _with_positions(name: str, demands: Sequence[D]) -> Iterator[tuple[str, D]]:
    for index, demand in enumerate(demands):
        yield f"lumos.yaml: policy.{name}[{index}]", demand


def judge_state(
    demands: Sequence[Requirement], policy: Policy, state: CheckedDataset
) -> tuple[Finding, ...]:
    """Judge a dataset's violations; of two requirements for one thing, the stricter applies."""
    found: dict[str, Finding] = {}
    for demand in demands:
        if _is_asked(demand, state.urn):
            for breach in _find_violations(demand, state):
                finding = _finding(breach, demand, policy, state)
                known = found.get(finding.fingerprint)
                if known is None or known.level < finding.level:
                    found[finding.fingerprint] = finding
    return tuple(found.values())


def _is_asked(demand: Requirement, urn: str) -> bool:
    excused = any(matches_dataset(one.match, urn) for one in demand.except_)
    return not excused and matches_dataset(demand.match, urn)


def _find_violations(demand: Requirement, state: CheckedDataset) -> Iterator[Violation]:
    """Find the violations of a requirement, by its class."""
    match demand:
        case MetadataRequirement():
            return missing_metadata(demand, state)
        case OwnerRequirement():
            return owner_violations(demand, state)
        case PersonalDataRequirement():
            return personal_data_violations(demand, state)
        case NamingRequirement():
            return naming_violations(demand, state)
        case FreshnessRequirement():
            return freshness_violations(demand, state)
        case _:
            raise AssertionError(f"nothing judges {type(demand).__name__}")


def _finding(
    breach: Violation, demand: Requirement, policy: Policy, state: CheckedDataset
) -> Finding:
    """A violation at the level of its requirement, unless the policy overrides that of the rule.

    The dataset's own metadata, such as its lifecycle, excuses nothing: exceptions belong in
    settings.
    """
    rule, level = breach.rule, _LEVELS[demand.level]
    asks = f"{rule.on[0]} asks it of `{demand.match}`: {demand.level}"
    decisions = [Decision("rule", f"{rule.id} {rule.slug}"), Decision("policy", asks)]
    case = Case(Comparison(state.urn, None, state.document, ()), state.today)
    settings = policy_for(policy, state.urn, case)
    override = settings.overrides.get(rule.id)
    if override is not None:
        level = override.level
        decisions.append(Decision("policy", override.says))
    blocks = level.is_breaking
    if blocks and settings.preset is Preset.DRAFT:
        blocks = False
        decisions.append(Decision("policy", "the preset draft never blocks"))
    fact, told, bump = breach.fact, breach.told, Bump.NONE
    return Finding(rule, fact, told, state.urn, level, bump, blocks, tuple(decisions))
