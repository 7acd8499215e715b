"""From what a policy asks of datasets as they stand to findings."""

import difflib
from collections.abc import Iterator, Sequence
from typing import TypeVar

from lumos_snap.config.demands import (
    Demand,
    FreshnessDemand,
    NamingDemand,
    OwnerDemand,
    PersonalDemand,
    Requirement,
)
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Comparison
from lumos_snap.errors import LumosError
from lumos_snap.rules import freshness, naming, owning, requiring
from lumos_snap.rules.breach import Breach
from lumos_snap.rules.case import Case
from lumos_snap.rules.finding import Decision, Finding
from lumos_snap.rules.level import Bump, Level, Preset
from lumos_snap.rules.policy import matches, policy_for
from lumos_snap.rules.state import State

D = TypeVar("D", bound=Demand)

_LEVELS = {"block": Level.BREAKING, "warn": Level.NON_BREAKING}


def check(policy: Policy) -> None:
    """Refuse demands that could never be met, or never fail: a path or a pattern is mistyped."""
    for where, requirement in _placed("require", policy.require):
        if not requiring.is_known(requirement.what):
            message = f"{where}: nothing is called `{requirement.what}`"
            raise LumosError(message, hint=_meant(requirement.what))
    for where, personal in _placed("personal", policy.personal):
        if not personal.needs:
            raise LumosError(f"{where}: `needs` asks for nothing", hint="leave it out, or fill it")


def _meant(what: str) -> str:
    """What was probably to be written."""
    known = tuple(requiring.known())
    if what in known:  # a map of anything, which says nothing by itself
        return f"say which of them: `{what}.NAME`"
    close = difflib.get_close_matches(what, known, n=1)
    return f"did you mean `{close[0]}`?" if close else "`lumos schema snapshot` lists all"


def _placed(name: str, demands: Sequence[D]) -> Iterator[tuple[str, D]]:
    for index, demand in enumerate(demands):
        yield f"lumos.yaml: policy.{name}[{index}]", demand


def judge_state(demands: Sequence[Demand], policy: Policy, state: State) -> tuple[Finding, ...]:
    """A finding for all that a dataset lacks; of two demands for one thing, the firmer counts."""
    found: dict[str, Finding] = {}
    for demand in demands:
        if _is_asked(demand, state.urn):
            for breach in _breaches(demand, state):
                finding = _finding(breach, demand, policy, state)
                known = found.get(finding.fingerprint)
                if known is None or known.level < finding.level:
                    found[finding.fingerprint] = finding
    return tuple(found.values())


def _is_asked(demand: Demand, urn: str) -> bool:
    excused = any(matches(one.match, urn) for one in demand.except_)
    return not excused and matches(demand.match, urn)


def _breaches(demand: Demand, state: State) -> Iterator[Breach]:
    """What a demand finds; which function knows it, its class says."""
    match demand:
        case Requirement():
            return requiring.breaches(demand, state)
        case OwnerDemand():
            return owning.owner_breaches(demand, state)
        case PersonalDemand():
            return owning.personal_breaches(demand, state)
        case NamingDemand():
            return naming.breaches(demand, state)
        case FreshnessDemand():
            return freshness.breaches(demand, state)
        case _:
            raise AssertionError(f"nothing judges {type(demand).__name__}")


def _finding(breach: Breach, demand: Demand, policy: Policy, state: State) -> Finding:
    """A breach, as grave as the demand says, unless the policy gives its rule another level.

    What a dataset says of itself, as its lifecycle, excuses nothing: exceptions stand in settings.
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
