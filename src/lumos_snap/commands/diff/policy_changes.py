"""What a change does to the policy, one setting at a time: looser, stricter or different."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.config.settings import STRICTNESS_OF_WAIVERS, Policy
from lumos_snap.report.diff import Effect, PolicyChange
from lumos_snap.schema import document_of

Plain = Mapping[str, Any]

_DEMANDS = ("require", "owners", "personal", "freshness", "naming")
_ORDERS: Mapping[str, Sequence[str]] = {
    "fail_on": ("none", "breaking", "non-breaking"),
    "new_waivers": STRICTNESS_OF_WAIVERS,
    "rules": ("informational", "non-breaking", "breaking", "silent"),
    "level": ("warn", "block"),
}
"""Words of a setting, the strictest last."""
_LOOSEST, _STRICTEST = "draft", "strict"
"""Presets; those between them look in different directions."""
_LONGEST = 200
"""Characters of a value that are worth reading."""


def policy_changes(
    path: str, target: Policy, new: Policy, start: Policy | None
) -> Iterator[PolicyChange]:
    """What is not as on the target branch, and was not so either where the change started."""
    olds, news = _settings(target), _settings(new)
    starts = {} if start is None else _settings(start)
    for name in dict.fromkeys((*olds, *news)):
        old, now = olds.get(name), news.get(name)
        is_theirs = start is not None and starts.get(name) == now
        if old != now and not is_theirs:
            yield PolicyChange(
                path=path,
                setting=name,
                old=_said(old),
                new=_said(now),
                effect=_effect(name, old, now),
            )


def _settings(policy: Policy) -> dict[str, Any]:
    """Every setting under a name of its own: each rule, each entry of a list."""
    plain = document_of(policy, keep_empty=True)
    found: dict[str, Any] = {}
    for name, held in plain.items():
        if name == "rules":
            found |= {f"policy.rules.{rule}": level for rule, level in held.items()}
        elif name == "paths" or name in _DEMANDS:
            found |= _entries(name, held)
        else:
            found[f"policy.{name}"] = held
    return found


def _entries(name: str, held: Sequence[Plain]) -> dict[str, Any]:
    """The entries of a list, named by what they are about; those of one name are numbered."""
    found: dict[str, Any] = {}
    for entry in held:
        about = {key: value for key, value in entry.items() if key not in _TERMS and value}
        words = " ".join(_said(value) for value in about.values())
        key, number = f"policy.{name} ({words})", 1
        while key in found:
            number += 1
            key = f"policy.{name} ({words}) #{number}"
        found[key] = entry
    return found


_TERMS = frozenset({"level", "except", "rules", "preset", "lifecycle", "least", "days"})
"""How firmly something is asked, not what is asked of which datasets."""


def _effect(name: str, old: Any, new: Any) -> Effect:
    setting = name.removeprefix("policy.").partition(".")[0].partition(" ")[0]
    if setting in _DEMANDS:
        return _of_demand(old, new)
    if setting == "preset":
        return _of_preset(old, new)
    return _by_order(_ORDERS.get(setting, ()), old, new)


def _by_order(order: Sequence[str], old: Any, new: Any) -> Effect:
    if old not in order or new not in order:
        return "different"
    return "looser" if order.index(new) < order.index(old) else "stricter"


def _of_preset(old: Any, new: Any) -> Effect:
    if _LOOSEST in (old, new):
        return "looser" if new == _LOOSEST else "stricter"
    if _STRICTEST in (old, new):
        return "looser" if old == _STRICTEST else "stricter"
    return "different"


def _of_demand(old: Plain | None, new: Plain | None) -> Effect:
    """Of one thing that is asked of datasets: no longer, or not before, or in other terms."""
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
        return _of_exceptions(old["except"], new["except"])
    return "different"


def _of_exceptions(old: Sequence[Plain], new: Sequence[Plain]) -> Effect:
    olds, news = ({one["match"] for one in each} for each in (old, new))
    if olds == news:  # other reasons
        return "different"
    if olds <= news:
        return "looser"
    return "stricter" if news <= olds else "different"


def _said(held: Any) -> str:
    """A value on one line; nothing where there is none."""
    if held is None:
        return ""
    text = held if isinstance(held, str) else orjson.dumps(held).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
