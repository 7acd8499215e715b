"""What every machine-readable answer begins with, and what many of them list."""

from typing import Any, Literal

from lumos_snap.schema import Natural, Text, Value, document_of, value_class


@value_class
class FileFinding(Value):
    """One thing that is wrong with one file."""

    path: Text
    line: Natural
    column: Natural
    rule: Text
    message: Text
    hint: str


@value_class
class Report(Value):
    """What every answer begins with."""

    report: str
    version: Literal[1] = 1


def answer(report: Report) -> dict[str, Any]:
    """A report as the JSON object that `--json` prints: lists are there even when empty."""
    return document_of(report, keep_empty=True)
