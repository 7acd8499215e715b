"""Notices as plain text: who hears of how much, and what was done about it."""

from collections.abc import Iterator

from lumos_snap.render.tables import count
from lumos_snap.report.notify import Notified

_NOBODY = "nothing breaks: nobody need be told"


def notified(report: Notified) -> Iterator[str]:
    """A line for each owner, and what follows."""
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
