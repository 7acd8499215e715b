"""Conditions of rules about delimited text: how Spark finds columns, and what it does with rows.

Spark counts columns. With `enforceSchema: false` it compares the header of each file with the
schema, in order and without regard to letter case, and refuses files that differ; otherwise `mode`
tells what becomes of rows with more or fewer values.
"""

from collections.abc import Mapping
from enum import StrEnum

from lumos_snap.diff import Action, Fact
from lumos_snap.json_object import JsonObject
from lumos_snap.rules.case import Case
from lumos_snap.rules.conditions import condition, is_delimited, is_followed_by_kept, only_case


class Mode(StrEnum):
    """What Spark does with rows that do not fit the schema."""

    PERMISSIVE = "PERMISSIVE"  # values that are missing are null
    DROPMALFORMED = "DROPMALFORMED"
    FAILFAST = "FAILFAST"


_YES = ("true", "1", "yes")
_HEADERS = ("header", "has_header")


def _options(side: JsonObject) -> Mapping[str, str]:
    options: JsonObject = side.get("storage", {}).get("options", {})
    return {name.lower(): str(value).lower() for name, value in options.items()}


def _compares_headers(side: JsonObject) -> bool:
    options = _options(side)
    has_header = any(options.get(name) in _YES for name in _HEADERS)
    return is_delimited(side) and has_header and options.get("enforceschema", "true") not in _YES


def _counts_columns(side: JsonObject) -> bool:
    return is_delimited(side) and not _compares_headers(side)


def _is_of_rows(fact: Fact) -> bool:
    """Whether a fact is about a column of rows, not about a member of one."""
    is_top = not any(isinstance(step, str) for step in fact.at[2:])
    return fact.at[:2] == ("schema", "fields") and is_top


@condition("readers find columns by their position")
def is_positional(fact: Fact, case: Case) -> bool:
    """Whether columns are counted, so that later columns shift in older files."""
    return _is_of_rows(fact) and (_counts_columns(case.old) or _counts_columns(case.new))


@condition("headers of files are compared with the schema, as `enforceSchema` is false")
def contradicts_headers(fact: Fact, case: Case) -> bool:
    """A change after which the headers of stored files differ from the schema."""
    if not _is_of_rows(fact) or not _compares_headers(case.new):
        return False
    return not (fact.action is Action.RENAMED and only_case(fact))


def _has_mode(fact: Fact, case: Case, mode: Mode) -> bool:
    is_wanted = _options(case.new).get("mode", "").upper() == mode
    return is_wanted and _is_of_rows(fact) and _counts_columns(case.new)


@condition("rows with more or fewer values are dropped, as `mode` is DROPMALFORMED")
def drops_rows(fact: Fact, case: Case) -> bool:
    """A change of the number of columns, after which stored rows vanish."""
    return _has_mode(fact, case, Mode.DROPMALFORMED)


@condition("rows with more or fewer values are errors, as `mode` is FAILFAST")
def refuses_rows(fact: Fact, case: Case) -> bool:
    """A change of the number of columns, after which stored files cannot be read."""
    return _has_mode(fact, case, Mode.FAILFAST)


_DEFAULTS = {
    "header": ("false",), "sep": (",",), "delimiter": (",",), "quote": ('"',), "escape": ("\\",),
    "encoding": ("utf-8", "utf8"), "charset": ("utf-8", "utf8"), "mode": ("permissive",),
    "enforceschema": ("true",), "multiline": ("false",), "nullvalue": ("",),
    "ignoreleadingwhitespace": ("false",), "ignoretrailingwhitespace": ("false",),
    "compression": ("none", "uncompressed"), "comment": ("",),
}  # fmt: skip
"""What Spark takes for an option that is not stated."""


@condition("the option says what Spark takes without it")
def is_spelled_otherwise(fact: Fact, case: Case) -> bool:
    """An option that is stated or left out with its default value, or written in another case."""
    if not (is_delimited(case.old) and is_delimited(case.new)):
        return False
    name = "encoding" if fact.subject == "storage.encoding" else fact.item.lower()
    one, other = (_value(name, said) for said in (fact.old, fact.new))
    return one is not None and one == other


def _value(name: str, said: object) -> str | None:
    """Return the value of an option in one spelling; None where it has no known default."""
    usual = _DEFAULTS.get(name)
    if said is None:
        return usual[0] if usual else None
    text = str(said).lower() if name not in _LITERAL else str(said)
    return usual[0] if usual and text in usual else text


_LITERAL = frozenset(("sep", "delimiter", "quote", "escape", "nullvalue", "comment"))
"""Options whose letter case counts."""


@condition("it stands before older columns, and readers find columns by their position")
def is_inserted(fact: Fact, case: Case) -> bool:
    """A column that was not added at the end of a file whose columns are counted."""
    return bool(fact.before) and is_positional.holds(fact, case)


@condition("columns that stay follow it, and readers find columns by their position")
def is_cut_out(fact: Fact, case: Case) -> bool:
    """A column that was not removed from the end of a file whose columns are counted."""
    if not is_positional.holds(fact, case):
        return False
    fields = case.old.get("schema", {}).get("fields", ())
    return is_followed_by_kept(fact.old, fields, case.comparison.facts)
