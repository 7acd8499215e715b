"""A diff in Markdown, for a comment on a pull request. Names in it are hostile until escaped."""

import re
from collections.abc import Iterator, Sequence

from lumos_snap.render.difftext import by_level
from lumos_snap.render.signs import sign
from lumos_snap.render.text import count
from lumos_snap.report.changes import ChangedDataset, ChangeFinding, Difference, LevelWord
from lumos_snap.report.text import shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$-])")
_VERDICTS = {
    "pass": "✅ Pass",
    "fail": "❌ Fail",
    "undecided": "⚠️ Undecided: the base cannot be read",
}


def escaped(text: str) -> str:
    """The text, on one line, with nothing in it that Markdown would obey, and no mention."""
    return _SPECIAL.sub(r"\\\1", shown(text)).replace("@", "@\u200b").replace("://", ":\u200b//")


def code(text: str) -> str:
    """The text as code: a fence longer than any run of backticks in it."""
    plain = shown(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    gap = " " if plain.startswith("`") or plain.endswith("`") else ""
    # A bar would end a table's cell even in code.
    return f"{fence}{gap}{plain}{gap}{fence}".replace("|", "\\|")


def difference(report: Difference, *, everything: bool) -> str:
    """The whole diff."""
    return "\n".join(_lines(report, everything=everything)) + "\n"


def _lines(report: Difference, *, everything: bool) -> Iterator[str]:
    yield f"## {_VERDICTS[report.verdict]}"
    yield ""
    yield _summary(report)
    for dataset in report.datasets:
        yield from _dataset(dataset, everything=everything)
    for title, found in (("Cannot be read", report.damaged), ("Undecided", report.undecided)):
        if found:
            yield from ("", f"### {title}", "")
            yield from (f"- {code(f'{f.path}:{f.line}')} {escaped(f.message)}" for f in found)
    if report.remarks:
        yield from ("", "### Waivers", "")
        yield from (f"- {code(one.path)} {escaped(one.message)}" for one in report.remarks)


def _summary(report: Difference) -> str:
    counts = report.counts
    if not counts.datasets:
        return "No dataset changed."
    told = ", ".join(f"{number} {word}" for number, word in by_level(counts) if number)
    changed = f"{count(counts.datasets, 'dataset')} changed: {told}."
    return f"{changed} Next version step: **{report.bump.value}**."


def _dataset(dataset: ChangedDataset, *, everything: bool) -> Iterator[str]:
    yield from ("", f"### {code(dataset.urn.removeprefix('lumos://'))}", "")
    breaking = [one for one in dataset.findings if one.level is LevelWord.BREAKING]
    rest = [one for one in dataset.findings if one.level is not LevelWord.BREAKING]
    if breaking:
        yield from _table(breaking)
    if rest:
        opened = " open" if everything and not breaking else ""
        yield from (
            "",
            f"<details{opened}><summary>{count(len(rest), 'change')} that break nothing</summary>",
            "",
        )
        yield from (f"- {sign(one)} {escaped(one.message)}" for one in rest)
        yield from ("", "</details>")


def _table(found: Sequence[ChangeFinding]) -> Iterator[str]:
    yield "| | change | why | what to do |"
    yield "|---|---|---|---|"
    for one in found:
        waived = " (waived)" if one.waived else "" if one.blocks else " (does not block)"
        shows = f"<br>{code(one.reads)}" if one.reads else ""
        place = code(f"{one.path}:{one.line}" if one.line else one.path)
        change = f"**{one.rule}** {escaped(one.message)}{waived}{shows}<br>{place}"
        yield f"| {sign(one)} | {change} | {escaped(one.why)} | {escaped(one.fix)} |"
