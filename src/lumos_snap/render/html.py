"""A diff as an HTML page: self-contained, without scripts, and with escaped texts."""

import base64
import hashlib
import html
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import quote

from lumos_snap.render.annotations import in_repository
from lumos_snap.render.diff_text import by_level
from lumos_snap.render.impact_text import downstream
from lumos_snap.render.markdown_escape import QUOTED
from lumos_snap.render.plain_text import Section, count, fit_sections, sign, size, whole
from lumos_snap.report.consumers import Compatibility, Consumer, Impact
from lumos_snap.report.diff import (
    ChangedDataset,
    ChangeFinding,
    ComparedSide,
    DiffReport,
    LevelWord,
)
from lumos_snap.report.envelope import FileFinding
from lumos_snap.text import sanitize_brief


def escape_html(text: str, most: int = 600) -> str:
    """Escape a text for HTML."""
    return html.escape(sanitize_brief(text, most))


def escape_html_code(text: str, most: int = 400) -> str:
    """The escaped text as code."""
    return f"<code>{escape_html(text, most)}</code>"


def escape_html_prose(text: str, most: int = 800) -> str:
    """An escaped sentence of ours, with quoted parts as code."""
    return QUOTED.sub(r"<code>\2</code>", escape_html(text, most))


def place(path: str, line: int, files: str) -> str:
    """A position in a file, linked if the base URL of files is known."""
    shown = escape_html_code(f"{path}:{line}" if line else path)
    if not files:
        return shown
    address = f"{files}{quote(path, errors='replace')}{f'#L{line}' if line else ''}"
    return f'<a href="{html.escape(address)}">{shown}</a>'


STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0;
  --code: #eef1f4; --link: #0757ad;
  --bad: #b3141d; --bad-back: #fdecec; --silent: #8a1a6f; --silent-back: #fbeaf6;
  --good: #12662f; --good-back: #e6f5ea; --open: #7a4b00; --open-back: #fdf3df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --card: #171c23; --text: #e6eaef; --quiet: #a2adb9; --line: #2e3742;
    --code: #222a34; --link: #79b8ff;
    --bad: #ff8a85; --bad-back: #3a1719; --silent: #f09bdb; --silent-back: #371630;
    --good: #74d391; --good-back: #12301d; --open: #f0c063; --open-back: #35270c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 650; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
code {
  font: .875em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  background: var(--code); border-radius: .3rem; padding: .1em .35em; unicode-bidi: isolate;
}
.quiet { color: var(--quiet); font-size: .875rem; }
.verdict {
  background: var(--card); border: 1px solid var(--line); border-left: .4rem solid var(--tone);
  border-radius: .6rem; padding: 1.1rem 1.25rem;
}
.fail { --tone: var(--bad); --back: var(--bad-back); }
.pass { --tone: var(--good); --back: var(--good-back); }
.undecided { --tone: var(--open); --back: var(--open-back); }
.badge {
  display: inline-block; color: var(--tone); background: var(--back); border-radius: 1rem;
  padding: .1rem .7rem; font-size: .875rem; font-weight: 650; margin: 0 .3rem .3rem 0;
}
.breaking { --tone: var(--bad); --back: var(--bad-back); }
.silent { --tone: var(--silent); --back: var(--silent-back); }
.waived { --tone: var(--open); --back: var(--open-back); }
.non-breaking { --tone: var(--good); --back: var(--good-back); }
.informational { --tone: var(--quiet); --back: var(--code); }
.reach { font-size: 1.05rem; font-weight: 600; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none; }
.tiles li {
  flex: 1 1 7rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .6rem .9rem;
}
.tiles b { display: block; font-size: 1.4rem; color: var(--tone, var(--text)); line-height: 1.2; }
.tiles span { color: var(--quiet); font-size: .875rem; }
details {
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem; margin: .7rem 0;
}
summary { cursor: pointer; padding: .75rem 1rem; }
summary code { font-weight: 650; }
details > :not(summary) { margin-left: 1rem; margin-right: 1rem; }
details > :last-child { margin-bottom: 1rem; }
details > details { margin: .9rem 1rem 0; }
.finding details { margin: .6rem 0 0; }
details details summary { padding: .4rem .75rem; font-size: .9rem; }
.finding { border-top: 1px solid var(--line); padding: .9rem 0 0; margin-top: .9rem; }
summary + .finding { border-top: 0; margin-top: 0; padding-top: 0; }
.finding h3 { color: var(--text); }
.finding h3 .sign { color: var(--tone); font-weight: 800; margin-right: .35rem; }
.told { display: grid; grid-template-columns: 7rem 1fr; gap: .25rem .75rem; margin: .5rem 0 0; }
.told dt { color: var(--quiet); }
.told dd { margin: 0; }
ul, ol { margin: .4rem 0; padding-left: 1.3rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .3rem 0; }
details > table { width: calc(100% - 2rem); }
th, td {
  text-align: left; vertical-align: top; padding: .45rem .6rem .45rem 0;
  border-top: 1px solid var(--line);
}
thead th { color: var(--quiet); font-weight: 500; border-top: 0; }
@media (max-width: 40rem) {
  main { padding: .75rem .6rem 3rem; }
  h1 { font-size: 1.25rem; }
  .told { grid-template-columns: 1fr; gap: 0; }
  .told dt { margin-top: .45rem; font-size: .85rem; }
  .tiles li { flex-basis: 6rem; padding: .45rem .7rem; }
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: .4rem 0; }
  td { display: block; border: 0; padding: .1rem 0; }
}
@media print { body { background: none; } details { break-inside: avoid-page; } }
"""

_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""No scripts, images or requests: only this style."""


_FEW = 200
"""The maximum number of listed consumers of a change; all are counted."""
_TONES = {
    Compatibility.BREAKING: "breaking",
    Compatibility.AT_RISK: "waived",
    Compatibility.COMPATIBLE: "non-breaking",
}


def tone(one: ChangeFinding) -> str:
    """The CSS class of a finding, which defines its color."""
    return "waived" if one.waived else "silent" if one.silent else one.level.value


def is_grave(one: ChangeFinding) -> bool:
    """Whether a finding is shown in full."""
    return one.level is LevelWord.BREAKING or one.waived


def finding(report: DiffReport, one: ChangeFinding, files: str) -> str:
    """A finding in full."""
    return "\n".join(_parts(report, one, files))


def _parts(report: DiffReport, one: ChangeFinding, files: str) -> Iterator[str]:
    waived = "waived: " if one.waived else ""
    yield f'<article class="finding {tone(one)}">'
    yield f'<h3><span class="sign">{sign(one)}</span>{waived}{escape_html(one.message)}</h3>'
    where = place(in_repository(report, one.path), one.line, files)
    rule = f"{escape_html(one.rule, 100)} {escape_html(one.slug, 100)}"
    yield f'<p class="quiet">{where} {rule} {escape_html_code(one.fingerprint, 64)}</p>'
    if is_grave(one):
        yield '<dl class="told">'
        yield from (f"<dt>{name}</dt><dd>{text}</dd>" for name, text in _detail_rows(one))
        yield "</dl>"
    yield from _consumers(one.impact)
    if one.decisions:
        steps = "".join(
            f"<li>{escape_html(step.by)}: {escape_html(step.says)}</li>" for step in one.decisions
        )
        yield f"<details><summary>How it was decided</summary><ul>{steps}</ul></details>"
    yield "</article>"


def _detail_rows(one: ChangeFinding) -> Iterator[tuple[str, str]]:
    if one.silent:
        yield "Silent", "nothing fails, and other values are read"
    if one.reads:
        yield "For whom", escape_html(one.reads)
    yield "Why", escape_html_prose(one.why)
    yield "What to do", escape_html_prose(one.fix)
    if one.waived:
        says = next((step.says for step in one.decisions if step.by == "waiver"), "accepted")
        yield "Waived", escape_html(says)
    elif not one.blocks:
        yield "Verdict", "it does not block"
    if one.details:
        yield "Details", "<br>".join(escape_html(line) for line in one.details[:50])


def _consumers(impact: Impact | None) -> Iterator[str]:
    if impact is None:
        return
    if impact.consumers:
        yield f"<details><summary>{escape_html(downstream(impact))}</summary>"
        yield "<table><thead><tr><th>dataset</th><th>what happens</th><th>owners</th></tr></thead>"
        rows = "\n".join(map(_row, impact.consumers[:_FEW]))
        yield f"<tbody>{rows}</tbody></table>"
        if len(impact.consumers) > _FEW:
            yield f"<p>… and {len(impact.consumers) - _FEW:,} more</p>"
        yield "</details>"
    if impact.advice:
        advice = "".join(f"<li>{escape_html_prose(text)}</li>" for text in impact.advice[:_FEW])
        yield f"<ol>{advice}</ol>"


def _row(one: Consumer) -> str:
    columns = ", ".join(escape_html_code(column) for column in one.columns[:20])
    reads = columns or ("" if one.is_known else "columns are not known")
    away = f"{one.depth} steps away" if one.depth > 1 else ""
    more = "".join(f'<br><span class="quiet">{part}</span>' for part in (reads, away) if part)
    owners = ", ".join(escape_html_code(owner) for owner in one.owners[:20]) or "nobody"
    about = " · ".join(escape_html(part) for part in (one.domain, one.tier) if part)
    badge = f'<span class="badge {_TONES[one.compatibility]}">{one.compatibility.value}</span>'
    name = escape_html_code(one.urn.removeprefix("lumos://"))
    whose = f'{owners}<br><span class="quiet">{about}</span>' if about else owners
    return (
        f"<tr><td>{name}{more}</td><td>{badge} {escape_html(one.reason)}</td><td>{whose}</td></tr>"
    )


MOST = 8_000_000
"""The maximum size that a mobile browser still shows."""
_MANY = 500
"""The maximum number of lines of one kind on the page."""
_SIGNS = {"pass": "✓", "fail": "✗", "undecided": "?"}
_CLOSING = "</details>"


def difference(report: DiffReport, *, files: str = "") -> str:
    """Render a diff; `files` is the base URL of files, if known."""
    head = "\n".join(_head(report))
    body = fit_sections(
        [*_policy_sections(report), *_troubles(report), *_datasets(report, files)],
        MOST - size(head),
        _more,
    )
    return "\n".join((head, *body, "</main>", "</body>", "</html>", ""))


def _more(left: int) -> str:
    return f"<p>… and {count(left, 'more section')}: <code>--output json</code> holds all.</p>"


def _head(report: DiffReport) -> Iterator[str]:
    reasons = escape_html("; ".join(report.reasons), 400) or _without_reasons(report)
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
        yield f'<p class="reach">{escape_html(report.reach.says)}</p>'
        if report.reach.teams:
            teams = ", ".join(map(escape_html_code, report.reach.teams[:100]))
            yield f"<p>Teams: {teams}</p>"
    yield f'<p class="quiet">{_side(report.base)} → {_side(report.head)}</p>'
    yield "</header>"
    yield from _tiles(report)


def _without_reasons(report: DiffReport) -> str:
    if report.verdict == "undecided":
        return "The base cannot be read, so nothing is known of these files"
    return "Nothing stands in the way" if report.counts.datasets else "Nothing changed"


def _side(side: ComparedSide) -> str:
    commit = (
        f" {escape_html_code(side.commit[:10])}" if side.commit and side.commit != side.name else ""
    )
    how = f" ({escape_html(side.how)})" if side.how else ""
    return f"{escape_html_code(side.name)}{commit}{how}"


def _tiles(report: DiffReport) -> Iterator[str]:
    if not report.counts.datasets:
        return
    yield '<ul class="tiles">'
    yield f"<li><b>{report.counts.datasets:,}</b> <span>changed</span></li>"
    for number, word in by_level(report.counts):
        if number:
            yield f'<li class="{word}"><b>{number:,}</b> <span>{word}</span></li>'
    yield f"<li><b>{report.bump.value}</b> <span>next version step</span></li>"
    yield "</ul>"


def _policy_sections(report: DiffReport) -> Iterator[Section]:
    """Changes to the policy, and new waivers, in the change itself."""
    for title, found in (
        ("Policy changes", report.policy_changes),
        ("New waivers", report.new_waivers),
    ):
        if found:
            lines = (
                f"{place(in_repository(report, one.path), 0, '')} {escape_html(one.says, 800)}"
                for one in found[:_MANY]
            )
            yield whole(_list_section(title, lines, len(found)))


def _troubles(report: DiffReport) -> Iterator[Section]:
    undecided = "Undecided: these files cannot be read at the base"
    for title, found in ((undecided, report.undecided), ("Invalid documents", report.damaged)):
        if found:
            yield whole(
                _list_section(title, (_unread(report, one) for one in found[:_MANY]), len(found))
            )


def _unread(report: DiffReport, one: FileFinding) -> str:
    hint = f" ({escape_html_prose(one.hint)})" if one.hint else ""
    where = place(in_repository(report, one.path), one.line, "")
    return f"{where} {escape_html_prose(one.message)}{hint}"


def _list_section(title: str, lines: Iterable[str], total: int) -> str:
    items = "\n".join(f"<li>{line}</li>" for line in lines)
    rest = f"<p>… and {total - _MANY:,} more</p>" if total > _MANY else ""
    return f"<h2>{title}</h2>\n<ul>{items}</ul>{rest}"


def _datasets(report: DiffReport, files: str) -> Iterator[Section]:
    for dataset in report.datasets:
        yield partial(_dataset, report, dataset, files)
    if report.remarks:
        lines = (
            f"{place(in_repository(report, one.path), 0, '')} {escape_html_prose(one.message)}"
            for one in report.remarks[:_MANY]
        )
        yield whole(_list_section("Remarks", lines, len(report.remarks)))
    if report.entities:
        items = (escape_html(one.message) for one in report.entities[:_MANY])
        yield whole(_list_section("Users, groups, terms and the like", items, len(report.entities)))


def _dataset(report: DiffReport, dataset: ChangedDataset, files: str, room: int) -> str:
    """One dataset: open if it blocks; non-breaking changes are folded again."""
    opened = " open" if any(one.blocks for one in dataset.findings) else ""
    start = f"<details{opened}>\n<summary>{_title(dataset)}</summary>"
    grave = [one for one in dataset.findings if is_grave(one)]
    rest = [one for one in dataset.findings if not is_grave(one)]
    parts = [whole(finding(report, one, files)) for one in (*grave, *(() if grave else rest))]
    if grave and rest:
        told = count(len(rest), "change that breaks nothing", "changes that break nothing")
        inner = "\n".join(finding(report, one, files) for one in rest)
        parts.append(whole(f"<details><summary>{told}</summary>\n{inner}\n{_CLOSING}"))
    body = fit_sections(parts, room - size(start) - 100, _more)
    return "\n".join((start, *body, _CLOSING))


def _title(dataset: ChangedDataset) -> str:
    name = escape_html_code(dataset.urn.removeprefix("lumos://"))
    former = f" (was {escape_html_code(dataset.renamed_from)})" if dataset.renamed_from else ""
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
