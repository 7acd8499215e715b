"""The policies that judge a change: that of the new side, and the former one where it differs."""

import datetime
from dataclasses import dataclass

from lumos_snap.config import CONFIG_NAME
from lumos_snap.config.settings import FailOn, Policy, parse_config
from lumos_snap.diff import Comparison
from lumos_snap.errors import LumosError
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judging import judge
from lumos_snap.rules.policy import check

_STRICTNESS: tuple[FailOn, ...] = ("none", "breaking", "non-breaking")


@dataclass(frozen=True, slots=True)
class Judges:
    """A change does not excuse itself: what `lumos.yaml` said before it still judges."""

    policy: Policy
    former: Policy | None
    today: datetime.date

    @property
    def fail_on(self) -> FailOn:
        """The stricter of both."""
        policies = [one for one in (self.policy, self.former) if one is not None]
        return max((one.fail_on for one in policies), key=_STRICTNESS.index)

    def judge(self, comparison: Comparison) -> tuple[Finding, ...]:
        """One finding for every fact, under the policy that is stricter about it."""
        found = judge(comparison, self.policy, self.today)
        if self.former is None:
            return found
        former = {_mark(one): one for one in judge(comparison, self.former, self.today)}
        both = (_stricter(one, former[_mark(one)]) for one in found)
        return tuple(sorted(both, key=lambda one: -one.level))


def judges(policy: Policy, former_settings: bytes | None, today: datetime.date) -> Judges:
    """Who judges; former settings that cannot be read judge nothing."""
    former = None
    if former_settings is not None:
        try:
            former = parse_config(former_settings, CONFIG_NAME).policy
            check(former)
        except LumosError:
            former = None
    return Judges(policy, None if former == policy else former, today)


def _mark(finding: Finding) -> tuple[object, ...]:
    return finding.fact.at, finding.fact.action


def _stricter(present: Finding, former: Finding) -> Finding:
    if (former.blocks, former.level) <= (present.blocks, present.level):
        return present
    says = f"{CONFIG_NAME} changes along with this: what it said before still judges"
    return former.with_decision("policy", says)
