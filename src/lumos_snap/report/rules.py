"""The report of `lumos snap rules`: all rules with their levels."""

from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.report.diff import BumpWord
from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Text, Value, value_class


class RuleLevel(StrEnum):
    """The severity of a change; a silent one breaks without an error from any engine."""

    SILENT = "silent"
    BREAKING = "breaking"
    NON_BREAKING = "non-breaking"
    INFORMATIONAL = "informational"


@value_class
class RuleLevels(Value):
    """The level under each preset."""

    default: RuleLevel
    history: Annotated[RuleLevel, "whether the new schema still reads stored data"]
    consumers: Annotated[RuleLevel, "whether readers of the old schema still read new data"]
    strict: Annotated[RuleLevel, "the worse of both"]


@value_class
class RuleEntry(Value):
    """One rule."""

    rule: Annotated[Text, "its id, which never changes its meaning"]
    slug: Annotated[Text, "its name"]
    family: Annotated[Text, "whose concern it is"]
    levels: RuleLevels
    asks_readers: Annotated[bool, "whether the dataset's readers may make it more severe"]
    step: Annotated[BumpWord, "the step of a version that the change takes where it breaks nothing"]
    message: Annotated[Text, "what it says, with `<…>` for what a change fills in"]
    subjects: Annotated[tuple[str, ...], "what it is about, in the model's words"]
    actions: Annotated[tuple[str, ...], "what may have happened to it"]
    condition: Annotated[Maybe[Text], "where it applies, if not everywhere"] = None
    why: Text
    fix: Text
    documented: Annotated[Text, "its place in the documentation"]


@value_class
class Rulebook(Report):
    """The report of `lumos snap rules`."""

    report: Literal["rules"] = "rules"
    rules: tuple[RuleEntry, ...]
