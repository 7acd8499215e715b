"""Notices as messages for Slack: `mrkdwn` that obeys no name, within the sizes that it takes."""

import re
from collections.abc import Iterator
from typing import Any

from lumos_snap.render.tables import count
from lumos_snap.report.notify import Affected, Notice, Notified
from lumos_snap.text import shown

MOST_BLOCKS = 50
LONGEST_SECTION = 3_000
LONGEST_HEADER = 150
_BLOCKS = 40  # of a message: well within what it may have
_MOST_MESSAGES = 5
_LONGEST_WORDS = 300  # of a name or a sentence; the report has all of it
_NAMED = 10  # so many changes are named to each owner
_FORMATS = re.compile(r"([*_~`])")


def messages(report: Notified) -> tuple[dict[str, Any], ...]:
    """What to post, a few messages at most; what is left out is counted."""
    sections = list(map(_section, report.notices))
    room = _MOST_MESSAGES * (_BLOCKS - 1) - 1
    if len(sections) > room:
        hidden = count(len(sections) - room, "more owner")
        sections = [*sections[:room], _block(f"… and {hidden}: see the report")]
    title = _title(report)
    portions = [sections[at : at + _BLOCKS - 1] for at in range(0, len(sections), _BLOCKS - 1)]
    return tuple(
        {"text": escaped(title), "blocks": [_header(title), *portion]} for portion in portions
    )


def escaped(text: str) -> str:
    """The text, with nothing in it that Slack would take for a mention, a link or a format."""
    plain = _cut(shown(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Slack knows no way to escape its formats; one that stands beside a joiner is none.
    return _FORMATS.sub("\u2060\\1\u2060", plain).replace("@", "@\u2060")


def _title(report: Notified) -> str:
    changes = count(report.breaking, "breaking change")
    return f"{changes} between {report.base.name} and {report.head.name}"


def _header(title: str) -> dict[str, Any]:
    text = shown(title)
    cut = text if len(text) <= LONGEST_HEADER else text[: LONGEST_HEADER - 1] + "…"
    return {"type": "header", "text": {"type": "plain_text", "text": cut, "emoji": False}}


def _section(notice: Notice) -> dict[str, Any]:
    """What one owner is told; whole lines only, as many as there is room for."""
    lines = list(_lines(notice))
    text, left = lines[0], lines[1:]
    while left and len(text) + len(left[0]) + 100 < LONGEST_SECTION:
        text += f"\n{left.pop(0)}"
    if left:
        text += f"\n… and {count(len(left), 'more line')}: see the report"
    return _block(text)


def _block(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _lines(notice: Notice) -> Iterator[str]:
    yield f"*{escaped(notice.owner)}*" if notice.owner else "*nobody owns these*"
    for title, found in (("Of yours:", notice.owned), ("That yours are made from:", notice.read)):
        if found:
            yield title
            yield from (_line(one) for one in found[:_NAMED])
            if len(found) > _NAMED:
                yield f"… and {len(found) - _NAMED} more"


def _line(one: Affected) -> str:
    sign = "‼" if one.silent else "✗"
    waived = " (accepted)" if one.waived else ""
    name = escaped(one.urn.removeprefix("lumos://"))
    return f"{sign} {name}: {escaped(one.message)}{waived}\n      → {escaped(one.fix)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1] + "…"
