"""The answer of `lumos snap search`."""

from typing import Literal

from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


@value_class
class Match(Value):
    """A field in which words were found: name, column, words, owner, … and the text there."""

    field: Text
    text: str


@value_class
class Hit(Value):
    """A dataset that was found."""

    urn: Text
    path: Text
    name: Text
    platform: Text
    kind: Maybe[Text] = None
    format: Maybe[Text] = None
    columns: Natural
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    terms: tuple[str, ...]
    domain: Maybe[Text] = None
    description: Maybe[Text] = None
    quality: Maybe[Text] = None  # the score as a share of the best there can be, where asked for
    matches: tuple[Match, ...]


@value_class
class Suggestion(Value):
    """A word that is nowhere, and words that may have been meant."""

    word: Text
    like: tuple[str, ...]


@value_class
class SearchReport(Report):
    """The answer of `lumos snap search`: the best first."""

    report: Literal["search"] = "search"
    source: Text
    query: str
    total: Natural  # how many were found; `hits` may be cut off by a limit
    hits: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]
    remarks: tuple[str, ...]
    findings: tuple[FileFinding, ...]  # what was left out because it cannot be read
