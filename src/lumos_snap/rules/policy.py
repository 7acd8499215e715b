"""The policy of one dataset: its preset, the overridden levels, lifecycle and gate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lumos_snap.config.settings import PathPolicy, Policy
from lumos_snap.documents.patterns import matches_dataset
from lumos_snap.errors import LumosError
from lumos_snap.rules.case import CLASSIFICATIONS, Case
from lumos_snap.rules.registry import by_name
from lumos_snap.rules.rule import BY_WORD, Level, Preset

STABLE, BETA, DRAFT = "stable", "beta", "draft"
_STAGES = (DRAFT, BETA, STABLE)


@dataclass(frozen=True, slots=True)
class Override:
    """A level that a policy sets for a rule, with its origin."""

    level: Level
    says: str


@dataclass(frozen=True, slots=True)
class DatasetPolicy:
    """The effective policy of one dataset."""

    preset: Preset = Preset.DEFAULT
    preset_says: str = ""
    overrides: Mapping[str, Override] = field(default_factory=dict)
    """By the id of the rule."""
    lifecycle: str = STABLE
    gate_is_on: bool = True


def check(policy: Policy) -> None:
    """Reject a policy that names an unknown rule."""
    for where, levels in _levels(policy):
        for name in levels:
            if name not in by_name():
                import difflib  # noqa: PLC0415 - only for a name that is not there

                close = difflib.get_close_matches(name, by_name(), n=1)
                hint = f"did you mean `{close[0]}`?" if close else "`lumos snap rules` lists all"
                raise LumosError(f"lumos.yaml: {where}: there is no rule `{name}`", hint=hint)


def _levels(policy: Policy) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield "policy.rules", policy.rules
    for index, one in enumerate(policy.paths):
        yield f"policy.paths[{index}].rules", one.rules


def classifications(policy: Policy) -> Sequence[str]:
    """The classifications, from public to secret."""
    return policy.classifications or CLASSIFICATIONS


def policy_for(policy: Policy, urn: str, case: Case) -> DatasetPolicy:
    """The policy of a dataset: that of the tree, overridden by each matching path in order."""
    matching = [one for one in policy.paths if matches_dataset(one.match, urn)]
    preset, says = policy.preset, f"policy.preset is {policy.preset}"
    overrides = dict(_overrides(policy.rules, "policy.rules"))
    for one in matching:
        if one.preset is not None:
            preset, says = one.preset, f"policy.paths `{one.match}` has preset {one.preset}"
        overrides.update(_overrides(one.rules, f"policy.paths `{one.match}`"))
    return DatasetPolicy(
        Preset(preset),
        "" if preset == "default" else says,
        overrides,
        _lifecycle(matching, case),
        _gate_is_on(case),
    )


def _overrides(levels: Mapping[str, str], where: str) -> Iterator[tuple[str, Override]]:
    for name, word in levels.items():
        rule = by_name()[name]
        yield rule.id, Override(BY_WORD[word], f"{where} makes {rule.slug} {word}")


def _lifecycle(matching: Sequence[PathPolicy], case: Case) -> str:
    """The stricter lifecycle of both sides: a change cannot excuse itself by lowering it."""
    stated = [one.lifecycle for one in matching if one.lifecycle is not None]
    default = stated[-1] if stated else STABLE
    sides = [side for side in (case.old, case.new) if side]
    stages = [side.get("contract", {}).get("lifecycle", default) for side in sides]
    return max(stages, key=_STAGES.index, default=default)


def _gate_is_on(case: Case) -> bool:
    """Off only if it was off before: a change cannot turn off its own gate."""
    sides = [side for side in (case.old, case.new) if side]
    return any(side.get("contract", {}).get("gate", "on") == "on" for side in sides)
