"""The policies that judge a change: its own, and that of the target branch where it differs."""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.config.requirements import Requirement
from lumos_snap.config.settings import FailOn, Policy
from lumos_snap.diff import Comparison
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judge import judge
from lumos_snap.rules.policy import check

Document = Mapping[str, Any]

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
