"""One change in HTML: what happened, for whom, why, what to do, and how it was decided."""

from collections.abc import Iterator

from lumos_snap.render.consumers import downstream
from lumos_snap.render.htmltext import code, place, prose, said
from lumos_snap.render.notices import in_repository
from lumos_snap.render.signs import sign
from lumos_snap.report.changes import ChangeFinding, Difference, LevelWord
from lumos_snap.report.impact import Compatibility, Consumer, Impact

_FEW = 200
"""So many consumers of one change are named; all are counted."""
_TONES = {
    Compatibility.BREAKING: "breaking",
    Compatibility.AT_RISK: "waived",
    Compatibility.COMPATIBLE: "non-breaking",
}


def tone(one: ChangeFinding) -> str:
    """The class of a finding, which gives it a color."""
    return "waived" if one.waived else "silent" if one.silent else one.level.value


def is_grave(one: ChangeFinding) -> bool:
    """Whether a finding is told in full."""
    return one.level is LevelWord.BREAKING or one.waived


def finding(report: Difference, one: ChangeFinding, files: str) -> str:
    """A finding in full."""
    return "\n".join(_parts(report, one, files))


def _parts(report: Difference, one: ChangeFinding, files: str) -> Iterator[str]:
    waived = "waived: " if one.waived else ""
    yield f'<article class="finding {tone(one)}">'
    yield f'<h3><span class="sign">{sign(one)}</span>{waived}{said(one.message)}</h3>'
    where = place(in_repository(report, one.path), one.line, files)
    rule = f"{said(one.rule, 100)} {said(one.slug, 100)}"
    yield f'<p class="quiet">{where} {rule} {code(one.fingerprint, 64)}</p>'
    if is_grave(one):
        yield '<dl class="told">'
        yield from (f"<dt>{name}</dt><dd>{text}</dd>" for name, text in _told(one))
        yield "</dl>"
    yield from _consumers(one.impact)
    if one.decisions:
        steps = "".join(f"<li>{said(step.by)}: {said(step.says)}</li>" for step in one.decisions)
        yield f"<details><summary>How it was decided</summary><ul>{steps}</ul></details>"
    yield "</article>"


def _told(one: ChangeFinding) -> Iterator[tuple[str, str]]:
    if one.silent:
        yield "Silent", "nothing fails, and other values are read"
    if one.reads:
        yield "For whom", said(one.reads)
    yield "Why", prose(one.why)
    yield "What to do", prose(one.fix)
    if one.waived:
        says = next((step.says for step in one.decisions if step.by == "waiver"), "accepted")
        yield "Waived", said(says)
    elif not one.blocks:
        yield "Verdict", "it does not block"
    if one.details:
        yield "Details", "<br>".join(said(line) for line in one.details[:50])


def _consumers(impact: Impact | None) -> Iterator[str]:
    if impact is None:
        return
    if impact.consumers:
        yield f"<details><summary>{said(downstream(impact))}</summary>"
        yield "<table><thead><tr><th>dataset</th><th>what happens</th><th>owners</th></tr></thead>"
        rows = "\n".join(map(_row, impact.consumers[:_FEW]))
        yield f"<tbody>{rows}</tbody></table>"
        if len(impact.consumers) > _FEW:
            yield f"<p>… and {len(impact.consumers) - _FEW:,} more</p>"
        yield "</details>"
    if impact.advice:
        advice = "".join(f"<li>{prose(text)}</li>" for text in impact.advice[:_FEW])
        yield f"<ol>{advice}</ol>"


def _row(one: Consumer) -> str:
    columns = ", ".join(code(column) for column in one.columns[:20])
    reads = columns or ("" if one.is_known else "columns are not known")
    away = f"{one.depth} steps away" if one.depth > 1 else ""
    more = "".join(f'<br><span class="quiet">{part}</span>' for part in (reads, away) if part)
    owners = ", ".join(code(owner) for owner in one.owners[:20]) or "nobody"
    about = " · ".join(said(part) for part in (one.domain, one.tier) if part)
    badge = f'<span class="badge {_TONES[one.compatibility]}">{one.compatibility.value}</span>'
    name = code(one.urn.removeprefix("lumos://"))
    whose = f'{owners}<br><span class="quiet">{about}</span>' if about else owners
    return f"<tr><td>{name}{more}</td><td>{badge} {said(one.reason)}</td><td>{whose}</td></tr>"
