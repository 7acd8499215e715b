"""The sections of a page in Markdown: what is in the way, then a dataset each, then the rest."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from lumos_snap.render.fitting import Section, fitted, whole
from lumos_snap.render.markdownfinding import change, finding
from lumos_snap.render.markdowntext import code, escaped, html_code, html_text, prose
from lumos_snap.render.notices import in_repository
from lumos_snap.render.text import count
from lumos_snap.report.base import Finding
from lumos_snap.report.changes import ChangedDataset, ChangeFinding, Difference, LevelWord

_FEW = 20
"""So many lines of one sort are worth reading in a comment."""
_LONGEST = 800
"""Characters of a line about the policy or a waiver."""
_LEAST = 500
"""Bytes that a section needs to say anything."""


def sections(report: Difference, *, files: str, everything: bool) -> list[Section]:
    """All of them, the most urgent first."""
    listed = [*_decided(report), *_troubles(report)]
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
            whole(_folded(told, map(change, report.entities[:_FEW]), len(report.entities)))
        )
    return listed


def _decided(report: Difference) -> Iterator[Section]:
    """What the change does to its own policy, and which findings it accepts itself."""
    for title, found in (
        ("⚠️ Policy changes", report.policy_changes),
        ("⚠️ New waivers", report.new_waivers),
    ):
        if found:
            lines = (
                f"- {code(in_repository(report, one.path))} {escaped(one.says, _LONGEST)}"
                for one in found[:_FEW]
            )
            yield whole(_listed(title, lines, len(found)))


def _troubles(report: Difference) -> Iterator[Section]:
    """What keeps the diff from knowing all."""
    undecided = "Undecided: these files cannot be read at the base, so nothing is known of them"
    for title, found in ((undecided, report.undecided), ("Invalid documents", report.damaged)):
        if found:
            lines = (_unread(report, one) for one in found[:_FEW])
            yield whole(_listed(title, lines, len(found)))


def _remarks(report: Difference) -> str:
    lines = (
        f"- {code(in_repository(report, one.path))} {prose(one.message)}"
        for one in report.remarks[:_FEW]
    )
    return _listed("Remarks", lines, len(report.remarks))


def _unread(report: Difference, one: Finding) -> str:
    path = in_repository(report, one.path)
    hint = f" ({prose(one.hint)})" if one.hint else ""
    return f"- {code(f'{path}:{one.line}' if one.line else path)} {prose(one.message)}{hint}"


def _listed(title: str, lines: Iterable[str], total: int) -> str:
    return "\n".join(("", f"### {title}", "", *lines, *_rest(total)))


def _rest(total: int, shown: int = _FEW) -> Iterator[str]:
    if total > shown:
        yield f"- … and {total - shown:,} more"


def _dataset(
    report: Difference,
    dataset: ChangedDataset,
    room: int,
    *,
    files: str,
    everything: bool,
) -> str:
    """One dataset: each finding that breaks, and the others folded away."""
    start = f"\n<details{_opened(dataset)}>\n<summary>{_title(dataset)}</summary>"
    breaking = [one for one in dataset.findings if one.level is LevelWord.BREAKING]
    rest = [one for one in dataset.findings if one.level is not LevelWord.BREAKING]
    parts: list[Section] = [partial(finding, report, one, files=files) for one in breaking]
    if rest:
        told = count(len(rest), "change that breaks nothing", "changes that break nothing")
        lines = [change(one) for one in (rest if everything else rest[:_FEW])]
        parts.append(whole(_folded(told, lines, len(rest), len(lines))))
    body = fitted(parts, room - len(start.encode()) - _LEAST, _more) if room > _LEAST else ()
    return "\n".join((start, *body, "", "</details>"))


def _opened(dataset: ChangedDataset) -> str:
    return " open" if any(one.blocks for one in dataset.findings) else ""


def _more(left: int) -> str:
    return f"\n… and {count(left, 'more finding')} of this dataset."


def _title(dataset: ChangedDataset) -> str:
    """What a folded section says: whether it blocks, which dataset, and how much."""
    sign = "❌" if _opened(dataset) else "☑️"
    name = html_code(dataset.urn.removeprefix("lumos://"))
    former = (
        f" (was {html_code(dataset.renamed_from.removeprefix('lumos://'))})"
        if dataset.renamed_from
        else ""
    )
    happened = f" {dataset.change.value}" if dataset.change.value != "changed" else ""
    told = f"{_counted(dataset.findings)}; next version step: {dataset.bump.value}"
    return f"{sign} <b>{name}</b>{former}{happened}: {told}"


def _counted(found: Sequence[ChangeFinding]) -> str:
    said = Counter(_sort(one) for one in found)
    sorts = ("silent", "breaking", "waived", "non-breaking", "informational")
    return ", ".join(f"{said[sort]:,} {sort}" for sort in sorts if said[sort])


def _sort(one: ChangeFinding) -> str:
    return "waived" if one.waived else "silent" if one.silent else one.level.value


def _quiet(datasets: Sequence[ChangedDataset], room: int, *, everything: bool) -> str:
    """Datasets in which nothing breaks, all in one folded section."""
    told = count(len(datasets), "dataset changes", "datasets change")
    start = f"\n<details>\n<summary>{told} in ways that break nothing</summary>"
    parts = [whole(_changes(one, everything=everything)) for one in datasets]
    body = fitted(parts, room - _LEAST, _more_datasets) if room > _LEAST else ()
    return "\n".join((start, *body, "", "</details>"))


def _more_datasets(left: int) -> str:
    return f"\n… and {count(left, 'more dataset')}."


def _changes(dataset: ChangedDataset, *, everything: bool) -> str:
    found = dataset.findings
    lines = [change(one) for one in (found if everything else found[:_FEW])]
    name = code(dataset.urn.removeprefix("lumos://"))
    return "\n".join(("", f"**{name}**", "", *lines, *_rest(len(found), len(lines))))


def _folded(title: str, lines: Iterable[str], total: int, shown: int = _FEW) -> str:
    start = f"\n<details>\n<summary>{html_text(title)}</summary>\n"
    return "\n".join((start, *lines, *_rest(total, shown), "", "</details>"))
