"""Periods of time, given as dates that git understands, or as tags and other refs."""

import re
from dataclasses import dataclass

from lumos_snap.errors import LumosError
from lumos_snap.git import Repository, resolve
from lumos_snap.git.refs import look_up


@dataclass(frozen=True, slots=True)
class Period:
    """Limits of a history: dates, excluded commits with their ancestors, and the last commit."""

    since: str = ""
    until: str = ""
    excluded: tuple[str, ...] = ()
    start: str = ""
    """The commit of a ref in `until`; otherwise that of the given ref."""


ALL = Period()


def period(repository: Repository, since: str | None, until: str | None, ref: str) -> Period:
    """Parse the period between two points, up to a ref."""
    after = _commit(repository, since)
    before = _commit(repository, until)
    return Period(
        since="" if after or since is None else _date(since, "00:00:00"),
        until="" if before or until is None else _date(until, "23:59:59"),
        excluded=(after,) if after else (),
        start=before or resolve(repository, ref).id,
    )


def _commit(repository: Repository, when: str | None) -> str:
    """The commit that a point in time names; empty for dates."""
    if when is None or not when.strip() or not when.isprintable() or re.fullmatch(_DAY, when):
        return ""
    found = look_up(repository, (when,))[0]
    return found.id if found else ""


_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
_NAMES = (
    " january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday"
)
_SHORTEST = 3
"""Minimum length of an abbreviated month or day."""
_WORDS = (
    " second sec minute min hour day week fortnight month year seconds secs minutes mins hours"
    " days weeks fortnights months years ago last now today yesterday midnight noon tea never"
    " am pm at on in the and of a an st nd rd th t z utc gmt"
    " one two three four five six seven eight nine ten "
)


def _is_known(word: str) -> bool:
    """Whether git knows a word of a date; git parses unknown text as "now"."""
    low = word.casefold()
    return f" {low} " in _WORDS or (len(low) >= _SHORTEST and f" {low}" in _NAMES)


def _date(when: str, time: str) -> str:
    """A date that git understands; a day alone means the whole day, not its current hour."""
    words = re.findall(r"[^\W\d_]+", when)
    is_said = when.isprintable() and re.search(r"\w", when)
    if not is_said or not all(map(_is_known, words)):
        raise LumosError(
            f"{when!r} is neither a branch, tag or commit nor a date",
            hint="a date is like 2026-01-15 or `2 weeks ago`",
        )
    return f"{when} {time}" if re.fullmatch(_DAY, when) else when
