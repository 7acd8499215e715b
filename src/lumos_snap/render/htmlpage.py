"""A diff as one page of HTML that needs nothing else: no network, no script."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from lumos_snap.render.difftext import by_level
from lumos_snap.render.fitting import Section, fitted, size, whole
from lumos_snap.render.htmlfinding import finding, is_grave, tone
from lumos_snap.render.htmlstyle import POLICY, STYLE
from lumos_snap.render.htmltext import code, place, prose, said
from lumos_snap.render.notices import in_repository
from lumos_snap.render.text import count
from lumos_snap.report.base import Finding
from lumos_snap.report.changes import ChangedDataset, Compared, Difference

MOST = 8_000_000
"""Bytes that a browser on a phone still shows."""
_MANY = 500
"""So many lines of one sort are on the page."""
_SIGNS = {"pass": "✓", "fail": "✗", "undecided": "?"}
_CLOSING = "</details>"


def difference(report: Difference, *, files: str = "") -> str:
    """The whole diff; `files` begins the address of a file, where there is one."""
    head = "\n".join(_head(report))
    body = fitted(
        [*_decided(report), *_troubles(report), *_datasets(report, files)], MOST - size(head), _more
    )
    return "\n".join((head, *body, "</main>", "</body>", "</html>", ""))


def _more(left: int) -> str:
    return f"<p>… and {count(left, 'more section')}: <code>--output json</code> holds all.</p>"


def _head(report: Difference) -> Iterator[str]:
    reasons = said("; ".join(report.reasons), 400) or _without_reasons(report)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{report.verdict.capitalize()}: {reasons}</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>"
    yield f'<header class="verdict {report.verdict}">'
    yield f'<p class="badge">{_SIGNS[report.verdict]} {report.verdict.capitalize()}</p>'
    yield f"<h1>{reasons}</h1>"
    if report.reach:
        yield f'<p class="reach">{said(report.reach.says)}</p>'
        if report.reach.teams:
            yield f"<p>Teams: {', '.join(code(team) for team in report.reach.teams[:100])}</p>"
    yield f'<p class="quiet">{_side(report.base)} → {_side(report.head)}</p>'
    yield "</header>"
    yield from _tiles(report)


def _without_reasons(report: Difference) -> str:
    if report.verdict == "undecided":
        return "The base cannot be read, so nothing is known of these files"
    return "Nothing stands in the way" if report.counts.datasets else "Nothing changed"


def _side(side: Compared) -> str:
    commit = f" {code(side.commit[:10])}" if side.commit and side.commit != side.name else ""
    how = f" ({said(side.how)})" if side.how else ""
    return f"{code(side.name)}{commit}{how}"


def _tiles(report: Difference) -> Iterator[str]:
    if not report.counts.datasets:
        return
    yield '<ul class="tiles">'
    yield f"<li><b>{report.counts.datasets:,}</b> <span>changed</span></li>"
    for number, word in by_level(report.counts):
        if number:
            yield f'<li class="{word}"><b>{number:,}</b> <span>{word}</span></li>'
    yield f"<li><b>{report.bump.value}</b> <span>next version step</span></li>"
    yield "</ul>"


def _decided(report: Difference) -> Iterator[Section]:
    """What the change does to its own policy, and which findings it accepts itself."""
    for title, found in (
        ("Policy changes", report.policy_changes),
        ("New waivers", report.new_waivers),
    ):
        if found:
            lines = (
                f"{place(in_repository(report, one.path), 0, '')} {said(one.says, 800)}"
                for one in found[:_MANY]
            )
            yield whole(_listed(title, lines, len(found)))


def _troubles(report: Difference) -> Iterator[Section]:
    undecided = "Undecided: these files cannot be read at the base"
    for title, found in ((undecided, report.undecided), ("Invalid documents", report.damaged)):
        if found:
            yield whole(_listed(title, (_unread(report, one) for one in found[:_MANY]), len(found)))


def _unread(report: Difference, one: Finding) -> str:
    hint = f" ({prose(one.hint)})" if one.hint else ""
    return f"{place(in_repository(report, one.path), one.line, '')} {prose(one.message)}{hint}"


def _listed(title: str, lines: Iterable[str], total: int) -> str:
    items = "\n".join(f"<li>{line}</li>" for line in lines)
    rest = f"<p>… and {total - _MANY:,} more</p>" if total > _MANY else ""
    return f"<h2>{title}</h2>\n<ul>{items}</ul>{rest}"


def _datasets(report: Difference, files: str) -> Iterator[Section]:
    for dataset in report.datasets:
        yield partial(_dataset, report, dataset, files)
    if report.remarks:
        lines = (
            f"{place(in_repository(report, one.path), 0, '')} {prose(one.message)}"
            for one in report.remarks[:_MANY]
        )
        yield whole(_listed("Remarks", lines, len(report.remarks)))
    if report.entities:
        items = (said(one.message) for one in report.entities[:_MANY])
        yield whole(_listed("Users, groups, terms and the like", items, len(report.entities)))


def _dataset(report: Difference, dataset: ChangedDataset, files: str, room: int) -> str:
    """One dataset: open where something blocks; what breaks nothing is folded once more."""
    opened = " open" if any(one.blocks for one in dataset.findings) else ""
    start = f"<details{opened}>\n<summary>{_title(dataset)}</summary>"
    grave = [one for one in dataset.findings if is_grave(one)]
    rest = [one for one in dataset.findings if not is_grave(one)]
    parts = [whole(finding(report, one, files)) for one in (*grave, *(() if grave else rest))]
    if grave and rest:
        told = count(len(rest), "change that breaks nothing", "changes that break nothing")
        inner = "\n".join(finding(report, one, files) for one in rest)
        parts.append(whole(f"<details><summary>{told}</summary>\n{inner}\n{_CLOSING}"))
    body = fitted(parts, room - size(start) - 100, _more)
    return "\n".join((start, *body, _CLOSING))


def _title(dataset: ChangedDataset) -> str:
    name = code(dataset.urn.removeprefix("lumos://"))
    former = f" (was {code(dataset.renamed_from)})" if dataset.renamed_from else ""
    happened = f" {dataset.change.value}" if dataset.change.value != "changed" else ""
    counted = Counter(tone(one) for one in dataset.findings)
    order = ("silent", "breaking", "waived", "non-breaking", "informational")
    badges = "".join(
        f'<span class="badge {word}">{counted[word]:,} {word}</span>'
        for word in order
        if counted[word]
    )
    step = f'<span class="quiet">next version step: {dataset.bump.value}</span>'
    return f"{name}{former}{happened} {badges}{step}"
