"""The sticky comment on a pull request: one for each configuration."""

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
    """An existing comment."""

    id: int
    body: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """The wanted content of a comment."""

    name: str
    """The configuration of the gate."""
    run: Run
    text: str
    says_something: bool
    """Whether the content is worth a new comment."""

    @property
    def body(self) -> str:
        """The text after the mark that identifies the comment."""
        return f"{mark(self.name, self.run)}\n{self.text}"


@dataclass(frozen=True, slots=True)
class CommentStep:
    """The next change to the comments."""

    kept: Comment | None = None
    create: bool = False
    edit: Comment | None = None
    delete: tuple[Comment, ...] = ()
    """Duplicate comments, created by concurrent runs."""
    is_late: bool = False
    """Whether a later run has already commented; its text stays."""


def mark(name: str, run: Run) -> str:
    """The invisible mark before the text of a comment."""
    since = f" run={run.number}.{run.attempt}" if run.number else ""
    return f"<!-- lumos-snap {_escape_html_comment(name)}{since} -->"


def _escape_html_comment(name: str) -> str:
    """Escape the name so that it cannot end an HTML comment."""
    plain = quote(name.encode("utf-8", "surrogatepass"), safe="/._").replace("-", "%2D")
    if len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME]}..{sha256(plain.encode()).hexdigest()[:16]}"


def next_step(there: Sequence[Comment], wanted: CommentDraft) -> CommentStep:
    """Decide how to update our comments: the oldest is kept, all others are deleted.

    No lock is needed: whichever of two runs reads the comments last leaves one comment, the same
    that the other run keeps.
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
    """Sort key of the run that wrote a comment; one without a run comes first."""
    found = _MARK.match(comment.body)
    return tuple(map(int, found.group(2, 3))) if found and found.group(2) else ()
