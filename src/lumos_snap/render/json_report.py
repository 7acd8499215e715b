"""Reports as JSON, and diffs as NDJSON."""

import re
from collections.abc import Callable, Iterator

import orjson

from lumos_snap.report.diff import ChangedDataset, DatasetSummary, DiffLine, DiffReport, DiffSummary
from lumos_snap.report.envelope import Report, answer
from lumos_snap.text import escape_surrogates

# Sequences that a terminal, a CI system or a line reader interprets within a text: `##vso[` is a
# command wherever it is printed, and some treat U+2028 as the end of a line.
_OBEYED = re.compile(r"#(?=#\w*\[)|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def to_json(report: Report) -> str:
    """A report according to its published schema."""
    return dump_json(answer(report), indent=True)


def redact_json(report: Report, redact: Callable[[str], str]) -> str:
    """The same without secrets; each text is redacted separately, so that JSON stays valid."""
    text = to_json(report)
    if redact(text) == text:  # true for most reports, and faster for one whole text
        return text
    return dump_json(_each_text(answer(report), redact), indent=True)


def dump_json(plain: object, *, indent: bool = False) -> str:
    """Serialize plain values as JSON that is safe to print anywhere, with a final newline."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        text = orjson.dumps(plain, option=option)
    except TypeError:  # a path with bytes that are not UTF-8, which JSON cannot store
        text = orjson.dumps(_each_text(plain, escape_surrogates), option=option)
    return _OBEYED.sub(lambda match: f"\\u{ord(match.group()):04x}", text.decode())


def _each_text(held: object, change: Callable[[str], str]) -> object:
    """The same values with every text changed."""
    if isinstance(held, dict):
        return {change(name): _each_text(value, change) for name, value in held.items()}
    if isinstance(held, list | tuple):
        return [_each_text(item, change) for item in held]
    return change(held) if isinstance(held, str) else held


def difference(report: DiffReport) -> str:
    """Render a diff: the verdict first, then unreadable files, then datasets and findings."""
    return "".join(dump_json(answer(line)) for line in _lines(report))


def _lines(report: DiffReport) -> Iterator[DiffLine]:
    yield DiffLine(diff=_summary(report))
    yield from (DiffLine(policy_change=one) for one in report.policy_changes)
    yield from (DiffLine(new_waiver=one) for one in report.new_waivers)
    yield from (DiffLine(undecided=one) for one in report.undecided)
    yield from (DiffLine(damaged=one) for one in report.damaged)
    for dataset in report.datasets:
        yield DiffLine(dataset=_dataset(dataset))
        yield from (DiffLine(finding=one) for one in dataset.findings)
    yield from (DiffLine(entity=one) for one in report.entities)
    yield from (DiffLine(remark=one) for one in report.remarks)


def _summary(report: DiffReport) -> DiffSummary:
    return DiffSummary(
        base=report.base,
        head=report.head,
        root=report.root,
        verdict=report.verdict,
        reasons=report.reasons,
        fail_on=report.fail_on,
        bump=report.bump,
        counts=report.counts,
        reach=report.reach,
    )


def _dataset(dataset: ChangedDataset) -> DatasetSummary:
    return DatasetSummary(
        urn=dataset.urn,
        path=dataset.path,
        change=dataset.change,
        renamed_from=dataset.renamed_from,
        bump=dataset.bump,
        readers=dataset.readers,
    )
