"""Parsing of `/lumos waive …` in a comment: untrusted text, validated in every part."""

import datetime
import re
import unicodedata
from dataclasses import dataclass

from lumos_snap.errors import LumosError

USAGE = "/lumos waive FINGERPRINT until=2026-12-31 reason=why it is accepted"
_WORD = "/lumos"
_LONGEST_LINE = 2_000
_LONGEST_REASON = 500
_LONGEST_TICKET = 100
_FINGERPRINT = re.compile(r"[0-9a-f]{4,64}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PLAIN = re.compile(r"[A-Za-z0-9 _.#:/+-]+")
_NO_TEXT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control and format characters, surrogates, and line separators."""


@dataclass(frozen=True, slots=True)
class WaiveInstruction:
    """The finding to accept, until when, and why."""

    fingerprint: str
    until: datetime.date
    reason: str
    ticket: str | None = None


def waive_of(body: str, today: datetime.date) -> WaiveInstruction | None:
    """Parse the instruction in a comment; None for other comments.

    Only the first line counts. The reason is last, because it takes the rest of the line.
    """
    line = body[: _LONGEST_LINE + 1].partition("\n")[0].strip()
    word, _, rest = line.partition(" ")
    if word != _WORD:
        return None
    if len(line) > _LONGEST_LINE:
        raise _refuse(f"the line is longer than {_LONGEST_LINE:,} characters")
    _require_text(line)
    verb, _, rest = rest.strip().partition(" ")
    if verb != "waive":
        raise _refuse("`waive` is the only command")
    fingerprint, _, rest = rest.strip().partition(" ")
    if not _FINGERPRINT.fullmatch(fingerprint.lower()):
        raise _refuse("the fingerprint of a finding comes first: 4 to 64 of 0-9 and a-f")
    return _with_settings(fingerprint.lower(), rest.strip(), today)


def _with_settings(fingerprint: str, rest: str, today: datetime.date) -> WaiveInstruction:
    given: dict[str, str] = {}
    while rest:
        name, equals, rest = rest.partition("=")
        if not equals or name not in ("until", "ticket", "reason"):
            raise _refuse("write until=, ticket= and reason=, each once")
        if name in given:
            raise _refuse(f"{name}= is given twice")
        if name == "reason":
            given[name], rest = rest, ""
        else:
            given[name], _, rest = rest.strip().partition(" ")
            rest = rest.strip()
    return WaiveInstruction(
        fingerprint, _until(given.get("until"), today), _reason(given.get("reason")), _ticket(given)
    )


def _until(text: str | None, today: datetime.date) -> datetime.date:
    if text is None or not _DAY.fullmatch(text):
        raise _refuse("until= needs the last day on which the waiver holds, as in 2026-12-31")
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError as exc:
        raise _refuse(f"there is no day {text}") from exc
    if day < today:
        raise _refuse(f"{text} is in the past")
    return day


def _reason(text: str | None) -> str:
    plain = (text or "").strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1].strip()
    if not plain:
        raise _refuse("reason= says why the change is accepted")
    if len(plain) > _LONGEST_REASON:
        raise _refuse(f"the reason is longer than {_LONGEST_REASON} characters")
    return plain


def _ticket(given: dict[str, str]) -> str | None:
    text = given.get("ticket")
    if text is None:
        return None
    if len(text) > _LONGEST_TICKET or not _PLAIN.fullmatch(text):
        raise _refuse("ticket= takes letters, digits and . # : / + - _")
    return text


def _require_text(line: str) -> None:
    if any(unicodedata.category(char) in _NO_TEXT and char != "\t" for char in line):
        raise _refuse("the line holds characters that are not shown")


def _refuse(why: str) -> LumosError:
    return LumosError(f"this command is not understood: {why}", hint=USAGE)
