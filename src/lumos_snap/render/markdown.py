"""A diff as Markdown: each breaking change with engines, reason, fix and consumers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from lumos_snap.render.annotations import in_repository
from lumos_snap.render.diff_text import by_level
from lumos_snap.render.impact_text import downstream
from lumos_snap.render.markdown_escape import (
    escape_inline_html,
    escape_inline_html_code,
    escape_markdown,
    escape_markdown_code,
    escape_markdown_prose,
    format_link,
)
from lumos_snap.render.plain_text import Section, count, fit_sections, sign, size, whole
from lumos_snap.report.consumers import Compatibility, Consumer, Impact
from lumos_snap.report.diff import ChangedDataset, ChangeFinding, DiffReport, LevelWord
from lumos_snap.report.envelope import FileFinding

_MOST_CONSUMERS = 10
"""The maximum number of listed consumers of a change; all are counted."""
_CONSUMER_SIGNS = {
    Compatibility.BREAKING: "❌",
    Compatibility.AT_RISK: "⚠️",
    Compatibility.COMPATIBLE: "✅",
}


def change(one: ChangeFinding) -> str:
    """A change that is not breaking, as a list item."""
    return f"- {escape_markdown(sign(one))} {escape_markdown(one.message)}"


def finding(report: DiffReport, one: ChangeFinding, room: int, *, files: str) -> str:
    """A breaking change: in full, or without its consumers if there is too little room."""
    short = "\n".join(_finding_lines(report, one, files))
    full = "\n".join((short, *_consumers(one.impact)))
    return next((text for text in (full, short) if size(text) < room), "")


def _finding_lines(report: DiffReport, one: ChangeFinding, files: str) -> Iterator[str]:
    yield ""
    yield f"#### {_finding_title(one)}"
    yield ""
    path = in_repository(report, one.path)
    place = format_link(f"{path}:{one.line}" if one.line else path, files, path, one.line)
    rule = f"{escape_markdown(one.rule, 100)} {escape_markdown(one.slug, 100)}"
    yield f"- **Where:** {place} · {rule} · {escape_markdown_code(one.fingerprint, 64)}"
    if one.silent:
        yield "- **Silent:** nothing fails, and other values are read"
    if one.reads:
        yield f"- **For whom:** {escape_markdown(one.reads)}"
    yield f"- **Why:** {escape_markdown_prose(one.why)}"
    yield f"- **What to do:** {escape_markdown_prose(one.fix)}"
    if one.waived:
        says = next((step.says for step in one.decisions if step.by == "waiver"), "")
        yield f"- **Waived:** {escape_markdown(says) or 'accepted'}"
    elif not one.blocks:
        yield "- It does not block"


def _finding_title(one: ChangeFinding) -> str:
    waived = "waived: " if one.waived else ""
    return f"{sign(one)} {waived}{escape_markdown(one.message)}"


def _consumers(impact: Impact | None) -> Iterator[str]:
    if impact is None:
        return
    if impact.consumers:
        yield from (
            "",
            f"<details>\n<summary>{escape_inline_html(downstream(impact))}</summary>",
            "",
        )
        yield "| dataset | what happens | owners |"
        yield "|---|---|---|"
        yield from map(_row, impact.consumers[:_MOST_CONSUMERS])
        if len(impact.consumers) > _MOST_CONSUMERS:
            yield f"| … and {len(impact.consumers) - _MOST_CONSUMERS:,} more | | |"
        yield from ("", "</details>")
    if impact.advice:
        yield ""
        advice = enumerate(impact.advice[:_MOST_CONSUMERS], 1)
        yield from (f"{number}. {escape_markdown_prose(text)}" for number, text in advice)


def _row(one: Consumer) -> str:
    columns = ", ".join(escape_inline_html_code(column, 80) for column in one.columns[:5])
    reads = columns or ("" if one.is_known else "columns are not known")
    away = f"{one.depth} steps away" if one.depth > 1 else ""
    more = "".join(f"<br>{part}" for part in (reads, away) if part)
    owners = ", ".join(escape_inline_html_code(owner, 80) for owner in one.owners[:5])
    sign = _CONSUMER_SIGNS[one.compatibility]
    happens = f"{sign} {one.compatibility.value}: {escape_markdown(one.reason, 200)}"
    about = " · ".join(escape_inline_html_code(part, 60) for part in (one.domain, one.tier) if part)
    who = f"{owners or 'nobody'}{f'<br>{about}' if about else ''}"
    dataset = escape_inline_html_code(one.urn.removeprefix("lumos://"), 200)
    return f"| {dataset}{more} | {happens} | {who} |"


_MOST_ROWS = 20
"""The maximum number of lines of one kind in a comment."""
_LONGEST = 800
"""The maximum length of a line about the policy or a waiver."""
_LEAST = 500
"""The minimum number of bytes for a section."""


def sections(report: DiffReport, *, files: str, everything: bool) -> list[Section]:
    """All sections, the most urgent first."""
    listed = [*_policy_sections(report), *_troubles(report)]
    if listed and report.datasets:
        listed.append(whole("\n### Changes"))
    quiet: list[ChangedDataset] = []
    for dataset in report.datasets:
        if any(one.level is LevelWord.BREAKING for one in dataset.findings):
            listed.append(partial(_dataset, report, dataset, files=files, everything=everything))
        else:
            quiet.append(dataset)
    if quiet:
        listed.append(partial(_quiet, quiet, everything=everything))
    if report.remarks:
        listed.append(whole(_remarks(report)))
    if report.entities:
        told = count(
            len(report.entities),
            "change of users, groups, terms and the like",
            "changes of users, groups, terms and the like",
        )
        listed.append(
            whole(
                _fold_lines(told, map(change, report.entities[:_MOST_ROWS]), len(report.entities))
            )
        )
    return listed


def _policy_sections(report: DiffReport) -> Iterator[Section]:
    """Changes to the policy, and new waivers, in the change itself."""
    for title, found in (
        ("⚠️ Policy changes", report.policy_changes),
        ("⚠️ New waivers", report.new_waivers),
    ):
        if found:
            lines = (
                f"- {escape_markdown_code(in_repository(report, one.path))} "
                f"{escape_markdown(one.says, _LONGEST)}"
                for one in found[:_MOST_ROWS]
            )
            yield whole(_list_section(title, lines, len(found)))


def _troubles(report: DiffReport) -> Iterator[Section]:
    """Unreadable and invalid files."""
    undecided = "Undecided: these files cannot be read at the base, so nothing is known of them"
    for title, found in ((undecided, report.undecided), ("Invalid documents", report.damaged)):
        if found:
            lines = (_unread(report, one) for one in found[:_MOST_ROWS])
            yield whole(_list_section(title, lines, len(found)))


def _remarks(report: DiffReport) -> str:
    lines = (
        f"- {escape_markdown_code(in_repository(report, one.path))} "
        f"{escape_markdown_prose(one.message)}"
        for one in report.remarks[:_MOST_ROWS]
    )
    return _list_section("Remarks", lines, len(report.remarks))


def _unread(report: DiffReport, one: FileFinding) -> str:
    path = in_repository(report, one.path)
    hint = f" ({escape_markdown_prose(one.hint)})" if one.hint else ""
    where = escape_markdown_code(f"{path}:{one.line}" if one.line else path)
    return f"- {where} {escape_markdown_prose(one.message)}{hint}"


def _list_section(title: str, lines: Iterable[str], total: int) -> str:
    return "\n".join(("", f"### {title}", "", *lines, *_rest(total)))


def _rest(total: int, shown: int = _MOST_ROWS) -> Iterator[str]:
    if total > shown:
        yield f"- … and {total - shown:,} more"


def _dataset(
    report: DiffReport,
    dataset: ChangedDataset,
    room: int,
    *,
    files: str,
    everything: bool,
) -> str:
    """One dataset: each breaking finding, and the others folded."""
    start = f"\n<details{_open_attribute(dataset)}>\n<summary>{_dataset_title(dataset)}</summary>"
    breaking = [one for one in dataset.findings if one.level is LevelWord.BREAKING]
    rest = [one for one in dataset.findings if one.level is not LevelWord.BREAKING]
    parts: list[Section] = [partial(finding, report, one, files=files) for one in breaking]
    if rest:
        told = count(len(rest), "change that breaks nothing", "changes that break nothing")
        lines = [change(one) for one in (rest if everything else rest[:_MOST_ROWS])]
        parts.append(whole(_fold_lines(told, lines, len(rest), len(lines))))
    body = (
        fit_sections(parts, room - len(start.encode()) - _LEAST, _more_changes)
        if room > _LEAST
        else ()
    )
    return "\n".join((start, *body, "", "</details>"))


def _open_attribute(dataset: ChangedDataset) -> str:
    return " open" if any(one.blocks for one in dataset.findings) else ""


def _more_changes(left: int) -> str:
    return f"\n… and {count(left, 'more finding')} of this dataset."


def _dataset_title(dataset: ChangedDataset) -> str:
    """The summary of a folded section: whether it blocks, its dataset, and its findings."""
    sign = "❌" if _open_attribute(dataset) else "☑️"
    name = escape_inline_html_code(dataset.urn.removeprefix("lumos://"))
    former = (
        f" (was {escape_inline_html_code(dataset.renamed_from.removeprefix('lumos://'))})"
        if dataset.renamed_from
        else ""
    )
    happened = f" {dataset.change.value}" if dataset.change.value != "changed" else ""
    told = f"{_count_by_sort(dataset.findings)}; next version step: {dataset.bump.value}"
    return f"{sign} <b>{name}</b>{former}{happened}: {told}"


def _count_by_sort(found: Sequence[ChangeFinding]) -> str:
    said = Counter(_sort(one) for one in found)
    sorts = ("silent", "breaking", "waived", "non-breaking", "informational")
    return ", ".join(f"{said[sort]:,} {sort}" for sort in sorts if said[sort])


def _sort(one: ChangeFinding) -> str:
    return "waived" if one.waived else "silent" if one.silent else one.level.value


def _quiet(datasets: Sequence[ChangedDataset], room: int, *, everything: bool) -> str:
    """Datasets without breaking changes, all in one folded section."""
    told = count(len(datasets), "dataset changes", "datasets change")
    start = f"\n<details>\n<summary>{told} in ways that break nothing</summary>"
    parts = [whole(_changes(one, everything=everything)) for one in datasets]
    body = fit_sections(parts, room - _LEAST, _more_datasets) if room > _LEAST else ()
    return "\n".join((start, *body, "", "</details>"))


def _more_datasets(left: int) -> str:
    return f"\n… and {count(left, 'more dataset')}."


def _changes(dataset: ChangedDataset, *, everything: bool) -> str:
    found = dataset.findings
    lines = [change(one) for one in (found if everything else found[:_MOST_ROWS])]
    name = escape_markdown_code(dataset.urn.removeprefix("lumos://"))
    return "\n".join(("", f"**{name}**", "", *lines, *_rest(len(found), len(lines))))


def _fold_lines(title: str, lines: Iterable[str], total: int, shown: int = _MOST_ROWS) -> str:
    start = f"\n<details>\n<summary>{escape_inline_html(title)}</summary>\n"
    return "\n".join((start, *lines, *_rest(total, shown), "", "</details>"))


COMMENT = 60_000
"""GitHub accepts 65,536 characters: this leaves room for additions before and after."""
SUMMARY = 1_000_000
"""GitHub accepts 1 MiB for the summary of a step."""
_TEAMS = 20
_ENDING = 400
"""Bytes reserved for the end."""
_VERDICT_SIGNS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def difference(
    report: DiffReport, *, everything: bool = False, files: str = "", most: int = COMMENT
) -> str:
    """Render a diff, the verdict first, up to a size; `files` is the base URL of files."""
    head = "\n".join(_head(report))
    found = sections(report, files=files, everything=everything)
    body = fit_sections(found, most - size(head) - _ENDING, _more_sections)
    return "\n".join((head, *body, *_end(report))) + "\n"


def _more_sections(left: int) -> str:
    return f"\n… and {count(left, 'more section')}: `lumos snap diff --limit 0` prints all."


def _head(report: DiffReport) -> Iterator[str]:
    reasons = escape_markdown("; ".join(report.reasons)) if report.reasons else ""
    if report.verdict == "undecided":
        reasons = reasons or "the base cannot be read, so nothing is known of these files"
    told = f": {reasons}" if reasons else ""
    yield f"## {_VERDICT_SIGNS[report.verdict]} {report.verdict.capitalize()}{told}"
    yield ""
    if report.reach:
        teams = ", ".join(escape_markdown_code(team, 80) for team in report.reach.teams[:_TEAMS])
        yield f"**{escape_markdown(report.reach.says)}**{f': {teams}' if teams else ''}"
        yield ""
    yield _summary(report)


def _summary(report: DiffReport) -> str:
    base, counts = report.base, report.counts
    commit = (
        f" ({escape_markdown_code(base.commit[:10])})"
        if base.commit and base.commit != base.name
        else ""
    )
    how = f", {escape_markdown(base.how)}" if base.how else ""
    compared = f"Compared with {escape_markdown_code(base.name, 100)}{commit}{how}."
    if not counts.datasets:
        return f"No dataset changed. {compared}"
    told = ", ".join(f"{number:,} {word}" for number, word in by_level(counts) if number)
    step = f"Next version step: **{report.bump.value}**."
    return f"{count(counts.datasets, 'dataset')} changed: {told}. {step} {compared}"


def _end(report: DiffReport) -> Iterator[str]:
    if any(one.blocks for dataset in report.datasets for one in dataset.findings):
        yield ""
        yield (
            "<sub>`lumos snap explain FINGERPRINT` shows how a finding was decided; "
            "`lumos snap waive FINGERPRINT --reason …` accepts it.</sub>"
        )
