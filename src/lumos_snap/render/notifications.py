"""Notices to owners: as plain text, as mails, and as Slack messages."""

import hashlib
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lumos_snap.json_object import JsonObject
from lumos_snap.render.plain_text import count
from lumos_snap.report.gate import BreakingChange, NotifyReport, OwnerNotice
from lumos_snap.text import sanitize_text

_NOBODY = "nothing breaks: nobody need be told"


def notify_lines(report: NotifyReport) -> Iterator[str]:
    """One line for each owner, and a summary."""
    if report.unread:
        files = count(report.unread, "file")
        yield f"{files} cannot be read: what breaks there, nobody knows"
    if not report.notices:
        yield "nothing that is known breaks" if report.unread else _NOBODY
        return
    for notice in report.notices:
        told = (
            (len(notice.owned), "of their own"),
            (len(notice.read), "of what theirs is made from"),
        )
        words = ", ".join(f"{number} {of}" for number, of in told if number)
        yield f"{notice.owner or 'nobody'}: {words}"
        yield from (f"  {file}" for file in notice.files)
    owners = count(len(report.notices), "owner")
    yield f"{count(report.breaking, 'breaking change')} for {owners}"
    if report.posted:
        yield f"posted {count(report.posted, 'message')}"
    elif not any(notice.files for notice in report.notices):
        yield "nobody was told: --slack posts it, --mail FOLDER writes it"


_LONGEST_NAME = 60
_FONT = "font-family: Arial, Helvetica, sans-serif; font-size: 14px; line-height: 1.5"


@dataclass(frozen=True, slots=True)
class Letter:
    """The mail to one owner, and the name of its files."""

    name: str
    plain: str
    html: str


def letter(report: NotifyReport, notice: OwnerNotice) -> Letter:
    """Render a notice as plain text and HTML."""
    plain = "".join(f"{sanitize_text(line)}\n" for line in _plain(report, notice))
    return Letter(file_name(notice.owner), plain, "\n".join(_html(report, notice)) + "\n")


def file_name(owner: str | None) -> str:
    """A file name that is valid on every file system, and unique for each owner."""
    if owner is None:
        return "nobody"
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in owner)
    mark = hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"owner-{plain[:_LONGEST_NAME]}-{mark}".lower()


def _mail_title(report: NotifyReport) -> str:
    return f"Breaking changes between {report.base.name} and {report.head.name}"


def _greeting(notice: OwnerNotice) -> str:
    return f"For {notice.owner}" if notice.owner else "Nobody owns these datasets"


def _parts(notice: OwnerNotice) -> Iterator[tuple[str, tuple[BreakingChange, ...]]]:
    titles = ("Of your own datasets", "Of datasets that yours are made from")
    for title, found in zip(titles, (notice.owned, notice.read), strict=True):
        if found:
            yield f"{title}: {count(len(found), 'breaking change')}", found


def _facts(one: BreakingChange) -> Iterator[tuple[str, str]]:
    yield "why", one.why
    yield "what to do", one.fix
    if one.reads:
        yield "felt by", ", ".join(urn.removeprefix("lumos://") for urn in one.reads)
    yield "where", f"{one.path}:{one.line}" if one.line else one.path
    if one.waived:
        yield "accepted", "a waiver covers it"


def _plain(report: NotifyReport, notice: OwnerNotice) -> Iterator[str]:
    yield _mail_title(report)
    yield _greeting(notice)
    for title, found in _parts(notice):
        yield ""
        yield title
        for one in found:
            yield ""
            yield f"{one.urn.removeprefix('lumos://')}: {one.message} ({one.rule} {one.slug})"
            yield from (f"  {name}: {words}" for name, words in _facts(one))


def _html(report: NotifyReport, notice: OwnerNotice) -> Iterator[str]:
    title = _escape_html(_mail_title(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f"<title>{title}</title>\n</head>"
    yield f'<body style="{_FONT}; max-width: 44em; margin: 1em auto; padding: 0 1em">'
    yield f'<h1 style="font-size: 20px">{title}</h1>\n<p>{_escape_html(_greeting(notice))}</p>'
    for heading, found in _parts(notice):
        yield f'<h2 style="font-size: 16px">{_escape_html(heading)}</h2>'
        for one in found:
            name = _escape_html(one.urn.removeprefix("lumos://"))
            yield f"<p><strong>{name}</strong><br>{_escape_html(one.message)}"
            yield f"({_escape_html(one.rule)} {_escape_html(one.slug)})</p>\n<ul>"
            yield from (f"<li>{name}: {_escape_html(words)}</li>" for name, words in _facts(one))
            yield "</ul>"
    yield "</body>\n</html>"


def _escape_html(text: str) -> str:
    return html.escape(sanitize_text(text))


MOST_BLOCKS = 50
LONGEST_SECTION = 3_000
LONGEST_HEADER = 150
_BLOCKS = 40  # blocks of a message: well below Slack's limit
_MOST_MESSAGES = 5
_LONGEST_WORDS = 300  # of a name or a sentence; the report has it in full
_NAMED = 10  # the number of changes listed for each owner
_FORMATS = re.compile(r"([*_~`])")


def messages(report: NotifyReport) -> tuple[JsonObject, ...]:
    """The messages to post, limited in number; omitted owners are counted."""
    sections = list(map(_section, report.notices))
    room = _MOST_MESSAGES * (_BLOCKS - 1) - 1
    if len(sections) > room:
        hidden = count(len(sections) - room, "more owner")
        sections = [*sections[:room], _block(f"… and {hidden}: see the report")]
    title = _slack_title(report)
    portions = [sections[at : at + _BLOCKS - 1] for at in range(0, len(sections), _BLOCKS - 1)]
    return tuple(
        {"text": escape_slack(title), "blocks": [_header(title), *portion]} for portion in portions
    )


def escape_slack(text: str) -> str:
    """Escape a text for Slack, without mentions, links or formats."""
    plain = (
        _cut(sanitize_text(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )
    # Slack cannot escape its formats, but ignores them next to a joiner.
    return _FORMATS.sub("\u2060\\1\u2060", plain).replace("@", "@\u2060")


def _slack_title(report: NotifyReport) -> str:
    changes = count(report.breaking, "breaking change")
    return f"{changes} between {report.base.name} and {report.head.name}"


def _header(title: str) -> JsonObject:
    text = sanitize_text(title)
    cut = text if len(text) <= LONGEST_HEADER else text[: LONGEST_HEADER - 1] + "…"
    return {"type": "header", "text": {"type": "plain_text", "text": cut, "emoji": False}}


def _section(notice: OwnerNotice) -> JsonObject:
    """The notice to one owner; whole lines only, up to the size limit."""
    lines = list(_lines(notice))
    text, left = lines[0], lines[1:]
    while left and len(text) + len(left[0]) + 100 < LONGEST_SECTION:
        text += f"\n{left.pop(0)}"
    if left:
        text += f"\n… and {count(len(left), 'more line')}: see the report"
    return _block(text)


def _block(text: str) -> JsonObject:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _lines(notice: OwnerNotice) -> Iterator[str]:
    yield f"*{escape_slack(notice.owner)}*" if notice.owner else "*nobody owns these*"
    for title, found in (("Of yours:", notice.owned), ("That yours are made from:", notice.read)):
        if found:
            yield title
            yield from (_line(one) for one in found[:_NAMED])
            if len(found) > _NAMED:
                yield f"… and {len(found) - _NAMED} more"


def _line(one: BreakingChange) -> str:
    sign = "‼" if one.silent else "✗"
    waived = " (accepted)" if one.waived else ""
    name = escape_slack(one.urn.removeprefix("lumos://"))
    return f"{sign} {name}: {escape_slack(one.message)}{waived}\n      → {escape_slack(one.fix)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1] + "…"
