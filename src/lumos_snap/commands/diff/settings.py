"""The settings and policies of a diff: at the tip of the target branch, and of the new side."""

import datetime
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lumos_snap.commands.diff.sides import DiffOptions, DiffSides
from lumos_snap.config import CONFIG_NAME
from lumos_snap.config.requirements import Requirement
from lumos_snap.config.settings import STRICTNESS_OF_WAIVERS, FailOn, Policy
from lumos_snap.diff import Comparison
from lumos_snap.errors import LumosError
from lumos_snap.git import blobs, find_repository, names, open_repository, refuse_committed_links
from lumos_snap.json_object import JsonObject
from lumos_snap.report.diff import Effect, PolicyChange, Remark
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judge import judge
from lumos_snap.rules.policy import check
from lumos_snap.schema import Document, document_of

if TYPE_CHECKING:
    from lumos_snap.config.settings import NewWaivers, Policy

# The policies that judge a change: its own, and that of the target branch where it differs.


_STRICTNESS: tuple[FailOn, ...] = ("none", "breaking", "non-breaking")


@dataclass(frozen=True, slots=True)
class PolicyJudge:
    """Judges a change by its own policy and by that of the target branch, whichever is stricter."""

    policy: Policy
    target: Policy | None
    target_name: str
    today: datetime.date

    @property
    def fail_on(self) -> FailOn:
        """The stricter setting of both policies."""
        return max((one.fail_on for one in self._policies), key=_STRICTNESS.index)

    def judge(self, comparison: Comparison) -> tuple[Finding, ...]:
        """Judge each fact once, under the policy that is stricter about it."""
        found = judge(comparison, self.policy, self.today)
        if self.target is None:
            return found
        agreed = {_mark(one): one for one in judge(comparison, self.target, self.today)}
        both = (self._stricter(one, agreed[_mark(one)]) for one in found)
        return tuple(sorted(both, key=lambda one: -one.level))

    @property
    def asks(self) -> bool:
        """Whether a policy has requirements on the current state of datasets."""
        return any(one.demands for one in self._policies)

    @property
    def asks_ages(self) -> bool:
        """Whether a policy has requirements on the age of data."""
        return any(one.freshness for one in self._policies)

    @property
    def asked(self) -> int:
        """Number of requirements on the current state of datasets."""
        return max(len(one.demands) + len(one.freshness) for one in self._policies)

    @property
    def _policies(self) -> Iterator[Policy]:
        return (one for one in (self.policy, self.target) if one is not None)

    def judge_state(self, urn: str, document: Document) -> tuple[Finding, ...]:
        """Policy violations of a dataset's current state, under the stricter policy."""
        return self._stand(urn, document, None, lambda policy: policy.demands) if self.asks else ()

    def judge_age(self, urn: str, observation: Document | None) -> tuple[Finding, ...]:
        """Whether the data is too old, by its latest observation; independent of any change."""
        return self._stand(urn, {}, observation, lambda policy: policy.freshness)

    def _stand(
        self,
        urn: str,
        document: Document,
        observation: Document | None,
        demands: Callable[[Policy], Sequence[Requirement]],
    ) -> tuple[Finding, ...]:
        from lumos_snap.rules.dataset_state import CheckedDataset  # noqa: PLC0415
        from lumos_snap.rules.requirements import judge_state  # noqa: PLC0415 - few policies ask

        state = CheckedDataset(urn, document, self.today, observation)
        present = judge_state(demands(self.policy), self.policy, state)
        if self.target is None:
            return present
        found = {one.fingerprint: one for one in present}
        for one in judge_state(demands(self.target), self.target, state):
            now = found.get(one.fingerprint)
            found[one.fingerprint] = self._stricter(now, one) if now else self._agreed(one)
        return tuple(found.values())

    def _stricter(self, present: Finding, agreed: Finding) -> Finding:
        if (agreed.blocks, agreed.level) <= (present.blocks, present.level):
            return present
        return self._agreed(agreed)

    def _agreed(self, finding: Finding) -> Finding:
        return finding.with_decision(
            "policy", f"the policy of {self.target_name} decides: it is stricter than this change's"
        )


def require_sound(policy: Policy) -> None:
    """Refuse a policy with a typo: it would judge less than it seems to."""
    check(policy)
    if policy.demands or policy.freshness:
        from lumos_snap.rules.requirements import check as check_demands  # noqa: PLC0415 - few policies ask

        check_demands(policy)


def _mark(finding: Finding) -> tuple[object, ...]:
    return finding.fact.at, finding.fact.action


@dataclass(frozen=True, slots=True)
class DiffPolicies:
    """The policy of the new side, and that of the target where it differs."""

    policy: "Policy"
    target: "Policy | None" = None
    target_name: str = ""
    changes: tuple[PolicyChange, ...] = ()
    """Changes of the policy that the change itself makes."""
    remarks: tuple[Remark, ...] = ()

    def judges(self, asked: DiffOptions) -> PolicyJudge:
        """Combine both policies into the judge of the change."""
        target = None if self.target == self.policy else self.target
        return PolicyJudge(self.policy, target, self.target_name, asked.today)

    @property
    def new_waivers(self) -> "NewWaivers":
        """The setting for new waivers, the stricter of both."""
        from lumos_snap.config.settings import STRICTNESS_OF_WAIVERS  # noqa: PLC0415 - as above

        both = (one.new_waivers for one in (self.policy, self.target) if one is not None)
        return max(both, key=STRICTNESS_OF_WAIVERS.index)


def load_policies(chosen: DiffSides, config: Path | None) -> DiffPolicies:
    """Load the policies: from `lumos.yaml` on both sides, or from a given file."""
    # The import happens here, while git runs in the background.
    from lumos_snap.config.settings import Policy, parse_config  # noqa: PLC0415

    if config is None:
        policy, present = chosen.policy, None
    else:
        present = _read_config(config)
        policy = parse_config(present, str(config)).policy
    require_sound(policy)
    target = chosen.target
    if target is None:
        return DiffPolicies(policy)
    settings = (
        target.now.settings if config is None else _read_at_commit(chosen, config, target.tip)
    )
    name = _path(chosen, config)
    remarks: tuple[Remark, ...] = ()
    try:
        agreed = None if settings is None else _parse_policy(settings, name)
    except LumosError as exc:
        agreed, remarks = Policy(), (_unreadable(target.name, name, exc),)
    if agreed is None or agreed == policy:
        return DiffPolicies(policy, remarks=remarks)
    changes = tuple(_changes(chosen, config, policy, agreed))
    return DiffPolicies(policy, agreed, target.name, changes, remarks)


def _path(chosen: DiffSides, config: Path | None) -> str:
    """Path of the policy file, relative to the tree as other paths of a report."""
    if config is None:
        return CONFIG_NAME
    return Path(os.path.relpath(config, chosen.head_tree.root)).as_posix()


def _read_config(config: Path) -> bytes:
    refuse_committed_links(config)
    try:
        return config.read_bytes()
    except OSError as exc:
        message = f"{config}: cannot be read: {exc.strerror}"
        raise LumosError(message, hint="--config names a file like lumos.yaml") from exc


def _parse_policy(settings: bytes, name: str) -> "Policy":
    from lumos_snap.config.settings import parse_config  # noqa: PLC0415 - loads while git looks

    policy = parse_config(settings, name).policy
    require_sound(policy)
    return policy


def _unreadable(target: str, name: str, why: LumosError) -> Remark:
    message = (
        f"the policy of `{target}` cannot be read, the default policy applies in its place: {why}"
    )
    return Remark(path=name, message=message)


def _changes(
    chosen: DiffSides, config: Path | None, policy: "Policy", agreed: "Policy"
) -> Iterator[PolicyChange]:
    """Policy changes made by this change; changes made only on the target are left out."""
    target = chosen.target
    assert target is not None  # noqa: S101 - there is an agreed policy
    former = (
        target.before.settings if config is None else _read_at_commit(chosen, config, target.base)
    )
    path = _path(chosen, config)
    try:
        start = None if former is None else _parse_policy(former, path)
    except LumosError:
        start = None
    yield from policy_changes(path, agreed, policy, start)


def _read_at_commit(chosen: DiffSides, config: Path, commit: str | None) -> bytes | None:
    """Content of the file at a commit; None without a commit, or from another repository."""
    repository = find_repository(config.parent)
    if commit is None or repository is None:
        return None
    if repository.common != open_repository(chosen.head_tree.root).common:
        return None
    entry = names(repository, commit, (config.name,)).get(config.name)
    return None if entry is None else next(blobs(repository, [entry.oid]))[1]


_REQUIREMENTS = ("require", "owners", "personal", "freshness", "naming")
_ORDERS: Mapping[str, Sequence[str]] = {
    "fail_on": ("none", "breaking", "non-breaking"),
    "new_waivers": STRICTNESS_OF_WAIVERS,
    "rules": ("informational", "non-breaking", "breaking", "silent"),
    "level": ("warn", "block"),
}
"""Values of a setting, the strictest last."""
_LOOSEST, _STRICTEST = "draft", "strict"
"""The outermost presets; those in between differ in kind, not in strictness."""
_LONGEST = 200
"""Maximum length in characters of a displayed value."""


def policy_changes(
    path: str, target: Policy, new: Policy, start: Policy | None
) -> Iterator[PolicyChange]:
    """Settings that differ from the target branch, and that this change has changed."""
    olds, news = _settings(target), _settings(new)
    starts = {} if start is None else _settings(start)
    for name in dict.fromkeys((*olds, *news)):
        old, now = olds.get(name), news.get(name)
        is_theirs = start is not None and starts.get(name) == now
        if old != now and not is_theirs:
            yield PolicyChange(
                path=path,
                setting=name,
                old=_format_value(old),
                new=_format_value(now),
                effect=_effect(name, old, now),
            )


def _settings(policy: Policy) -> JsonObject:
    """Flatten the policy: each rule and each list entry gets its own name."""
    plain = document_of(policy, keep_empty=True)
    found: dict[str, Any] = {}
    for name, held in plain.items():
        if name == "rules":
            found |= {f"policy.rules.{rule}": level for rule, level in held.items()}
        elif name == "paths" or name in _REQUIREMENTS:
            found |= _entries(name, held)
        else:
            found[f"policy.{name}"] = held
    return found


def _entries(name: str, held: Sequence[JsonObject]) -> JsonObject:
    """Name the entries of a list by their scope; equal names are numbered."""
    found: dict[str, Any] = {}
    for entry in held:
        about = {key: value for key, value in entry.items() if key not in _TERMS and value}
        words = " ".join(_format_value(value) for value in about.values())
        key, number = f"policy.{name} ({words})", 1
        while key in found:
            number += 1
            key = f"policy.{name} ({words}) #{number}"
        found[key] = entry
    return found


_TERMS = frozenset({"level", "except", "rules", "preset", "lifecycle", "least", "days"})
"""Keys that define how strict a requirement is; the others define its scope."""


def _effect(name: str, old: Any, new: Any) -> Effect:
    setting = name.removeprefix("policy.").partition(".")[0].partition(" ")[0]
    if setting in _REQUIREMENTS:
        return _effect_of_requirement(old, new)
    if setting == "preset":
        return _effect_of_preset(old, new)
    return _by_order(_ORDERS.get(setting, ()), old, new)


def _by_order(order: Sequence[str], old: object, new: object) -> Effect:
    if old not in order or new not in order:
        return "different"
    return "looser" if order.index(new) < order.index(old) else "stricter"


def _effect_of_preset(old: object, new: object) -> Effect:
    if _LOOSEST in (old, new):
        return "looser" if new == _LOOSEST else "stricter"
    if _STRICTEST in (old, new):
        return "looser" if old == _STRICTEST else "stricter"
    return "different"


def _effect_of_requirement(old: JsonObject | None, new: JsonObject | None) -> Effect:
    """Effect of a change in one requirement: added, removed, or with different terms."""
    if old is None or new is None:
        return "stricter" if old is None else "looser"
    differing = {key for key in (*old, *new) if old.get(key) != new.get(key)}
    if differing == {"level"}:
        return _by_order(_ORDERS["level"], old["level"], new["level"])
    if differing == {"least"}:
        return "looser" if new["least"] < old["least"] else "stricter"
    if differing == {"days"}:
        return "looser" if new["days"] > old["days"] else "stricter"
    if differing == {"except"}:
        return _effect_of_exceptions(old["except"], new["except"])
    return "different"


def _effect_of_exceptions(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> Effect:
    olds, news = ({one["match"] for one in each} for each in (old, new))
    if olds == news:  # only the reasons differ
        return "different"
    if olds <= news:
        return "looser"
    return "stricter" if news <= olds else "different"


def _format_value(held: object) -> str:
    """Format a value on one line; empty for None."""
    if held is None:
        return ""
    text = held if isinstance(held, str) else orjson.dumps(held).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
