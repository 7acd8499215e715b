"""`lumos snap comment`: one comment on a pull request, kept up to date, and a commit status."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lumos_snap.ci.body import MOST, body_of, says_something
from lumos_snap.ci.event import Event
from lumos_snap.ci.exchange import Exchange
from lumos_snap.ci.github import PullRequest, numbers_offering, set_status
from lumos_snap.ci.refusals import RefusedError
from lumos_snap.ci.sticky import Comment, Wanted, next_step
from lumos_snap.ci.summing import described, state_of
from lumos_snap.ci.whereabouts import Run
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.gating import Commented, Outcome, TreeResult
from lumos_snap.report.text import shown

_ROUNDS = 4
"""Looks at the comments: more of them than two runs that meet ever need."""
_SHORTER = 20_000
"""Characters of a comment that GitHub has called too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What is to be said, and where."""

    results: Sequence[TreeResult]
    event: Event
    run: Run
    name: str
    """The configuration: each has a comment and a status of its own."""
    repository: str | None = None
    number: int | None = None
    comments: bool = True
    status: bool = True

    def wanted(self, most: int = MOST) -> Wanted:
        """The comment as it should be."""
        text = body_of(self.results, run_url=self.run.url, most=most)
        return Wanted(self.name, self.run, text, any(map(says_something, self.results)))


def unsent(speech: Speech) -> Commented:
    """What would be said."""
    body = speech.wanted().body
    return Commented(outcome="not sent", message="nothing is sent", body=body)


def comment(speech: Speech, open_exchange: Callable[[], Exchange]) -> Commented:
    """Say it: write, edit or leave the comment, then set the status."""
    repository = speech.repository or speech.event.repository
    if repository is None:
        raise LumosError("no repository is named", hint="name it as --repo owner/name")
    number = speech.number or speech.event.number
    if number is None and speech.event.offered_by is None:
        raise LumosError(
            "which pull request is meant is not said",
            hint="name it with --pr; a workflow that a pull request starts knows it",
        )
    exchange = open_exchange()
    if number is None:
        number = _offering(exchange, repository, speech.event)
    if number is None:
        message = "no open pull request offers this commit any more: nobody asks"
        return Commented(outcome="nobody asks", message=message, body=speech.wanted().body)
    try:
        return _said(speech, PullRequest(exchange, repository, number), exchange, repository)
    except RefusedError as refused:
        if speech.event.may_write or not refused.lacks_permission:
            raise
    message = "the token of a fork's pull request may only read: no comment and no status"
    return Commented(outcome="not allowed", message=message, body=speech.wanted().body)


def _offering(exchange: Exchange, repository: str, event: Event) -> int | None:
    if event.offered_by is None or event.head is None:
        return None
    return next(numbers_offering(exchange, repository, event.offered_by, event.head), None)


def _said(speech: Speech, request: PullRequest, exchange: Exchange, repository: str) -> Commented:
    most = MOST
    try:
        outcome, there = _settled(request, speech, most)
    except RefusedError as refused:
        if not refused.is_too_long:
            raise
        most = _SHORTER
        outcome, there = _settled(request, speech, most)
    url = there.url if there else ""
    state = None
    if speech.status and outcome != "late":
        is_of_event = speech.number in (None, speech.event.number)
        commit = (speech.event.head if is_of_event else None) or request.head()
        _set_status(speech, exchange, repository, commit, url)
        state = state_of(speech.results)
    message = f"pull request {request.number} of {repository}: {_WORDS[outcome]}"
    body = speech.wanted(most).body
    return Commented(outcome=outcome, message=message, url=url, status=state, body=body)


def _set_status(speech: Speech, exchange: Exchange, repository: str, commit: str, url: str) -> None:
    set_status(
        exchange,
        repository,
        commit,
        state=state_of(speech.results),
        context=f"lumos/{shown(speech.name)}",
        description=shown(described(speech.results)),
        url=speech.run.url or url,
    )


_WORDS: dict[Outcome, str] = {
    "created": "commented",
    "edited": "edited the comment",
    "kept": "the comment says it already",
    "late": "a later run has spoken already: its comment stays",
    "silent": "there is nothing to say",
    "not sent": "set the status only",
}


def _settled(request: PullRequest, speech: Speech, most: int) -> tuple[Outcome, Comment | None]:
    """Make the comments what they should be; after writing one, look who else has."""
    if not speech.comments:
        return "not sent", None
    wanted = speech.wanted(most)
    written: Comment | None = None
    for _ in range(_ROUNDS):
        step = next_step(_with(written, request.comments()), wanted)
        for one in step.delete:
            request.delete(one)
        if step.is_late:
            return "late", step.kept
        if step.edit:
            edited = request.edit(step.edit, wanted.body)
            if edited is not None:
                return "edited", edited
        elif step.create:
            written = request.create(wanted.body)
        else:
            return _unchanged(step.kept, written)
    raise OutsideError(
        f"pull request {request.number}: its comments change while they are written",
        hint="run it again; `concurrency` in the workflow ends older runs",
    )


def _unchanged(kept: Comment | None, written: Comment | None) -> tuple[Outcome, Comment | None]:
    if kept is None:
        return "silent", None
    return ("kept" if written is None else "created"), kept


def _with(written: Comment | None, there: list[Comment]) -> list[Comment]:
    """What is there, and what was written a moment ago: a list may lag behind."""
    is_listed = written is None or any(one.id == written.id for one in there)
    return there if is_listed or written is None else [*there, written]
