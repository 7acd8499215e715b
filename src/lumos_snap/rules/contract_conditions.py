"""Conditions about contracts and governance: flags, classifications, durations, owners, checks."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from lumos_snap.diff import Action, Fact
from lumos_snap.model.field_path import has_column
from lumos_snap.rules.case import Case
from lumos_snap.rules.rule import Condition

_DURATION = re.compile(
    r"P(?:(?P<Y>\d+(?:\.\d+)?)Y)?(?:(?P<M>\d+(?:\.\d+)?)M)?(?:(?P<W>\d+(?:\.\d+)?)W)?"
    r"(?:(?P<D>\d+(?:\.\d+)?)D)?(?:T(?:(?P<h>\d+(?:\.\d+)?)H)?(?:(?P<m>\d+(?:\.\d+)?)M)?"
    r"(?:(?P<s>\d+(?:\.\d+)?)S)?)?"
)
_SECONDS = {"Y": 31_557_600, "M": 2_629_800, "W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}


def seconds(duration: object) -> Decimal | None:
    """The average length of an ISO 8601 duration in seconds; None if invalid."""
    match = _DURATION.fullmatch(str(duration))
    if match is None or not any(match.groups()):
        return None
    parts = ((match[name], factor) for name, factor in _SECONDS.items())
    return sum((Decimal(text) * factor for text, factor in parts if text), Decimal(0))


loses_pii = Condition(
    "it was marked as personal data",
    lambda fact, _case: fact.action is not Action.ADDED and fact.old is True,
)


def _lowers(fact: Fact, case: Case) -> bool:
    """A lower classification, or possibly lower: one that the policy does not rank."""
    if fact.action is not Action.CHANGED:
        return fact.action is Action.REMOVED
    ranks = {name: rank for rank, name in enumerate(case.classifications)}
    return ranks.get(fact.new, -1) < ranks.get(fact.old, len(ranks))


lowers_classification = Condition("it is classified as less secret, or not at all", _lowers)


def _is_longer(fact: Fact) -> bool:
    """A longer duration; an invalid one counts as longer."""
    old, new = seconds(fact.old), seconds(fact.new)
    return old is None or new is None or new > old


def _is_less(fact: Fact) -> bool:
    return Decimal(fact.new) < Decimal(fact.old)


def _says_the_same(fact: Fact) -> bool:
    """Two notations of one amount: `PT60M` and `PT1H`, `99.9` and `99.90`."""
    old, new = _amount(fact.old), _amount(fact.new)
    return old is not None and old == new


def _amount(held: object) -> Decimal | None:
    try:
        return Decimal(str(held))
    except InvalidOperation:  # not a number: a duration, or text
        return seconds(held)


says_the_same = Condition("both are the same amount", lambda fact, _case: _says_the_same(fact))
loosens_duration = Condition(
    "it allows more time than before, or any",
    lambda fact, _case: (
        fact.action is Action.REMOVED or (fact.action is Action.CHANGED and _is_longer(fact))
    ),
)
loosens_share = Condition(
    "it asks for less than before, or for nothing",
    lambda fact, _case: (
        fact.action is Action.REMOVED or (fact.action is Action.CHANGED and _is_less(fact))
    ),
)
shortens_retention = Condition(
    "data is kept for a shorter time, or for one that cannot be compared",
    lambda fact, _case: fact.action is Action.CHANGED and not _surely_longer(fact),
)


def _surely_longer(fact: Fact) -> bool:
    old, new = seconds(fact.old), seconds(fact.new)
    return old is not None and new is not None and new >= old


loses_last_owner = Condition(
    "nobody owns the dataset any more",
    lambda fact, case: (
        fact.action is Action.REMOVED and not case.new.get("ownership", {}).get("owners")
    ),
)
_LIFECYCLE = ("draft", "beta", "stable")


def _rank(stage: object) -> int:
    return _LIFECYCLE.index(str(stage)) if stage else len(_LIFECYCLE) - 1


lowers_lifecycle = Condition(
    "it promises less than before; a dataset that says nothing is stable",
    lambda fact, _case: _rank(fact.new) < _rank(fact.old),
)
turns_gate_off = Condition("it turns the gate off", lambda fact, _case: fact.new == "off")
is_earlier = Condition(
    "the day is an earlier one",
    lambda fact, _case: fact.action is Action.CHANGED and str(fact.new) < str(fact.old),
)
was_blocking = Condition(
    "the check was a blocking one",
    lambda fact, _case: (
        (fact.old.get("severity") if isinstance(fact.old, Mapping) else fact.old) == "blocking"
    ),
)


def _names_no_column(fact: Fact, case: Case) -> bool:
    """Metadata of a column that never existed: a typo leaves the intended column without it."""
    path = fact.path or (fact.new.get("field", "") if isinstance(fact.new, Mapping) else "")
    if not path or has_column(case.new, path) or _is_held_by_id(fact, case):
        return False
    return not has_column(case.old, path) or case.now(path) != path


def _is_held_by_id(fact: Fact, case: Case) -> bool:
    """Whether the field id of an outdated path identifies an existing column."""
    section = fact.subject.partition(".")[0]
    marks = case.new.get(section, {}).get("fields", ())
    stated = next((one.get("id") for one in marks if one["path"] == fact.path), None)
    fields = case.new.get("schema", {}).get("fields", ())
    return stated is not None and any(one.get("id") == stated for one in fields)


names_no_column = Condition("no such column is there, and none was", _names_no_column)
