"""The base of all reports, and findings about files, which many of them contain."""

from typing import Literal

from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Natural, Text, Value, document_of, value_class


@value_class
class FileFinding(Value):
    """One problem of one file."""

    path: Text
    line: Natural
    column: Natural
    rule: Text
    message: Text
    hint: str


@value_class
class Report(Value):
    """The common keys of all reports."""

    report: str
    version: Literal[1] = 1


def answer(report: Report) -> JsonObject:
    """Convert a report to the JSON object of `--json`, including empty lists."""
    return document_of(report, keep_empty=True)
