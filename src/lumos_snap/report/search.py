"""The report of `lumos snap search`."""

from typing import Literal

from lumos_snap.report.envelope import FileFinding, Report
from lumos_snap.schema import Maybe, Natural, Text, Value, value_class


@value_class
class Match(Value):
    """A matching field (name, column, words, owner, …) and its text."""

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
    quality: Maybe[Text] = None  # the score as a share of the maximum, if requested
    matches: tuple[Match, ...]


@value_class
class Suggestion(Value):
    """A word without matches, and similar words."""

    word: Text
    like: tuple[str, ...]


@value_class
class SearchReport(Report):
    """The report of `lumos snap search`: the best match first."""

    report: Literal["search"] = "search"
    source: Text
    query: str
    total: Natural  # total number of matches; `hits` may be limited
    hits: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]
    remarks: tuple[str, ...]
    findings: tuple[FileFinding, ...]  # unreadable files, which were skipped
