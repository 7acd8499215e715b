"""Which comment on a pull request is ours, and what becomes of it: one for each configuration."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from lumos_snap.ci.environment import Run

_MARK = re.compile(r"<!-- lumos-snap (\S+)(?: run=(\d+)\.(\d+))? -->")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that is there."""

    id: int
    body: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """What a comment should say."""

    name: str
    """The configuration that it is for."""
    run: Run
    text: str
    says_something: bool
    """Whether there is anything that is worth a new comment."""

    @property
    def body(self) -> str:
        """The text, behind the mark that finds it again."""
        return f"{mark(self.name, self.run)}\n{self.text}"


@dataclass(frozen=True, slots=True)
class CommentStep:
    """What is to be done next."""

    kept: Comment | None = None
    create: bool = False
    edit: Comment | None = None
    delete: tuple[Comment, ...] = ()
    """Comments that say the same again: two runs had made one each."""
    is_late: bool = False
    """Whether a later run has spoken already: what it says stays."""


def mark(name: str, run: Run) -> str:
    """What stands, unseen, before the text of a comment."""
    since = f" run={run.number}.{run.attempt}" if run.number else ""
    return f"<!-- lumos-snap {_escape_html_comment(name)}{since} -->"


def _escape_html_comment(name: str) -> str:
    """The name, with nothing in it that would end a comment in HTML."""
    plain = quote(name.encode("utf-8", "surrogatepass"), safe="/._").replace("-", "%2D")
    if len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME]}..{sha256(plain.encode()).hexdigest()[:16]}"


def next_step(there: Sequence[Comment], wanted: CommentDraft) -> CommentStep:
    """What makes our comments what they should be: the oldest is kept, all others go.

    The rule needs no lock: whichever of two runs looks last leaves one comment, and it is the one
    that the other run leaves too.
    """
    ours = sorted(
        (one for one in there if _name(one) == _escape_html_comment(wanted.name)),
        key=lambda one: one.id,
    )
    if not ours:
        return CommentStep(create=wanted.says_something)
    kept, *others = ours
    later = [one for one in ours if _age(one) > wanted.run.age] if wanted.run.number else []
    says_it = kept.body.replace("\r\n", "\n").rstrip() == wanted.body.rstrip()
    return CommentStep(
        kept=kept,
        edit=None if later or says_it else kept,
        delete=tuple(one for one in others if one not in later),
        is_late=bool(later),
    )


def _name(comment: Comment) -> str | None:
    found = _MARK.match(comment.body)
    return found.group(1) if found else None


def _age(comment: Comment) -> tuple[int, ...]:
    """Which run wrote one of our comments; one without a run is older than all others."""
    found = _MARK.match(comment.body)
    return tuple(map(int, found.group(2, 3))) if found and found.group(2) else ()
