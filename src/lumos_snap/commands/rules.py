"""`lumos snap rules`: all compatibility rules, or one of them."""

import difflib
import string

from lumos_snap.errors import LumosError
from lumos_snap.report.diff import BumpWord
from lumos_snap.report.rules import Rulebook, RuleEntry, RuleLevel, RuleLevels
from lumos_snap.rules.registry import RULES, by_name
from lumos_snap.rules.rule import Level, Preset, Rule

_HOME = "docs/reference/rules"
_LEVELS = {
    Level.SILENT: RuleLevel.SILENT,
    Level.BREAKING: RuleLevel.BREAKING,
    Level.NON_BREAKING: RuleLevel.NON_BREAKING,
    Level.INFORMATIONAL: RuleLevel.INFORMATIONAL,
}
_OFTEN_EMPTY = frozenset({"like", "piece", "change", "within"})
"""Placeholders of messages that are often empty; the example of a rule shows them."""


def list_rules(name: str | None = None) -> Rulebook:
    """List all rules sorted by id, or the one with the given id or name."""
    chosen = sorted(RULES, key=lambda rule: rule.id) if name is None else [_find_rule(name)]
    return Rulebook(rules=tuple(map(build_entry, chosen)))


def _find_rule(name: str) -> Rule:
    known = by_name()
    found = known.get(name.upper()) or known.get(name.lower())
    if found is None:
        close = difflib.get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else "`lumos snap rules` lists all"
        raise LumosError(f"there is no rule `{name}`", hint=hint)
    return found


def build_entry(rule: Rule) -> RuleEntry:
    """Build the report entry of a rule."""
    return RuleEntry(
        rule=rule.id,
        slug=rule.slug,
        family=rule.family.value,
        levels=RuleLevels(
            default=_level(rule, Preset.DEFAULT),
            history=_level(rule, Preset.HISTORY),
            consumers=_level(rule, Preset.CONSUMERS),
            strict=_level(rule, Preset.STRICT),
        ),
        asks_readers=rule.asks_readers,
        step=BumpWord(rule.step.word),
        message=_in_general(rule.message),
        subjects=rule.on,
        actions=tuple(action.value for action in rule.actions),
        condition=rule.when.says if rule.when else None,
        why=rule.why,
        fix=rule.fix,
        documented=f"{_HOME}/{rule.family.value}.md#{rule.id.lower()}-{rule.slug}",
    )


def _level(rule: Rule, preset: Preset) -> RuleLevel:
    return _LEVELS[rule.levels.under(preset)]


def _in_general(template: str) -> str:
    """A message template with named placeholders."""
    parts = (
        text + (f"<{name}>" if name and name not in _OFTEN_EMPTY else "")
        for text, name, _, _ in string.Formatter().parse(template)
    )
    return " ".join("".join(parts).split())
