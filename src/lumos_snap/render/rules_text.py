"""Rules as plain text: a line for each, or all details of one."""

from collections.abc import Iterator, Sequence

from lumos_snap.render.plain_text import count
from lumos_snap.report.rules import RuleEntry, RuleLevel, RuleLevels

READERS = "or worse: the readers of the dataset say what becomes of stored values"
_OR_WORSE = " *"


def rules(found: Sequence[RuleEntry]) -> Iterator[str]:
    """Every rule: id, name, family, and its level under the default policy."""
    widest = max(len(one.slug) for one in found)
    for one in found:
        mark = _OR_WORSE if one.asks_readers else ""
        level = f"{one.levels.default.value}{mark}"
        yield f"{one.rule}  {one.slug:<{widest}}  {one.family:<10}  {level}"
    yield ""
    yield f"{count(len(found), 'rule')}; `lumos snap rules RULE` explains one"
    yield f"{_OR_WORSE.strip()} {READERS}"


def rule(one: RuleEntry) -> Iterator[str]:
    """One rule: message, reason, fix, condition and levels."""
    yield f"{one.rule} {one.slug}  [{one.family}]"
    yield f"  {one.message}"
    yield ""
    yield f"  why    {one.why}"
    yield f"  fix    {one.fix}"
    yield f"  for    {', '.join(one.subjects)}: {', '.join(one.actions)}"
    if one.condition:
        yield f"  where  {one.condition}"
    yield f"  level  {levels(one.levels)}"
    if one.asks_readers:
        yield f"         {READERS}"
    yield f"  step   {step(one)}"
    yield f"  more   {one.documented}"


def step(one: RuleEntry) -> str:
    """The version step of the change."""
    worst = (one.levels.default, one.levels.strict)
    if one.asks_readers or not _HARMLESS.issuperset(worst):
        return f"{one.step.value} where it breaks nothing, else major"
    return one.step.value


_HARMLESS = frozenset({RuleLevel.NON_BREAKING, RuleLevel.INFORMATIONAL})


def levels(found: RuleLevels) -> str:
    """The level under each preset, in one line."""
    told = (
        ("by default", found.default),
        ("history", found.history),
        ("consumers", found.consumers),
        ("strict", found.strict),
    )
    if len({level for _, level in told}) == 1:
        return f"{found.default.value} under every preset"
    return ", ".join(f"{preset} {level.value}" for preset, level in told)
