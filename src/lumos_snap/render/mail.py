"""A notice as the text and the page of a mail: nothing is loaded, and no name is markup."""

import hashlib
import html
from collections.abc import Iterator
from dataclasses import dataclass

from lumos_snap.render.tables import count
from lumos_snap.report.notify import Affected, Notice, Notified
from lumos_snap.text import shown

_LONGEST_NAME = 60
_FONT = "font-family: Arial, Helvetica, sans-serif; font-size: 14px; line-height: 1.5"


@dataclass(frozen=True, slots=True)
class Letter:
    """What one owner is written, and what its files are called."""

    name: str
    plain: str
    html: str


def letter(report: Notified, notice: Notice) -> Letter:
    """Both forms of one notice."""
    plain = "".join(f"{shown(line)}\n" for line in _plain(report, notice))
    return Letter(file_name(notice.owner), plain, "\n".join(_html(report, notice)) + "\n")


def file_name(owner: str | None) -> str:
    """A name for files that no file system minds, and no two owners share."""
    if owner is None:
        return "nobody"
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in owner)
    mark = hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"owner-{plain[:_LONGEST_NAME]}-{mark}".lower()


def _title(report: Notified) -> str:
    return f"Breaking changes between {report.base.name} and {report.head.name}"


def _greeting(notice: Notice) -> str:
    return f"For {notice.owner}" if notice.owner else "Nobody owns these datasets"


def _parts(notice: Notice) -> Iterator[tuple[str, tuple[Affected, ...]]]:
    titles = ("Of your own datasets", "Of datasets that yours are made from")
    for title, found in zip(titles, (notice.owned, notice.read), strict=True):
        if found:
            yield f"{title}: {count(len(found), 'breaking change')}", found


def _facts(one: Affected) -> Iterator[tuple[str, str]]:
    yield "why", one.why
    yield "what to do", one.fix
    if one.reads:
        yield "felt by", ", ".join(urn.removeprefix("lumos://") for urn in one.reads)
    yield "where", f"{one.path}:{one.line}" if one.line else one.path
    if one.waived:
        yield "accepted", "a waiver covers it"


def _plain(report: Notified, notice: Notice) -> Iterator[str]:
    yield _title(report)
    yield _greeting(notice)
    for title, found in _parts(notice):
        yield ""
        yield title
        for one in found:
            yield ""
            yield f"{one.urn.removeprefix('lumos://')}: {one.message} ({one.rule} {one.slug})"
            yield from (f"  {name}: {words}" for name, words in _facts(one))


def _html(report: Notified, notice: Notice) -> Iterator[str]:
    title = _safe(_title(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f"<title>{title}</title>\n</head>"
    yield f'<body style="{_FONT}; max-width: 44em; margin: 1em auto; padding: 0 1em">'
    yield f'<h1 style="font-size: 20px">{title}</h1>\n<p>{_safe(_greeting(notice))}</p>'
    for heading, found in _parts(notice):
        yield f'<h2 style="font-size: 16px">{_safe(heading)}</h2>'
        for one in found:
            name = _safe(one.urn.removeprefix("lumos://"))
            yield f"<p><strong>{name}</strong><br>{_safe(one.message)}"
            yield f"({_safe(one.rule)} {_safe(one.slug)})</p>\n<ul>"
            yield from (f"<li>{name}: {_safe(words)}</li>" for name, words in _facts(one))
            yield "</ul>"
    yield "</body>\n</html>"


def _safe(text: str) -> str:
    return html.escape(shown(text))
