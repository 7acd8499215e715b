"""Reports as JSON."""

import orjson

from lumos_snap.report.reports import Report, answer


def to_json(report: Report) -> str:
    """A report as its published schema describes it."""
    return orjson.dumps(answer(report), option=orjson.OPT_INDENT_2).decode() + "\n"
