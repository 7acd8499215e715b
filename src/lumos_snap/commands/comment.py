"""`lumos snap comment`: one comment on a pull request, kept up to date, and a commit status."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lumos_snap.ci.aggregate import describe_verdict, state_of
from lumos_snap.ci.comment_body import (
    MOST,
    Comment,
    CommentDraft,
    body_of,
    next_step,
    says_something,
)
from lumos_snap.ci.environment import Event, Run
from lumos_snap.ci.github import PullRequest, numbers_offering, set_status
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.github_errors import GitHubRefusedError
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.gate import CommentReport, Outcome, TreeResult
from lumos_snap.text import sanitize_text

_ROUNDS = 4
"""Attempts to update the comments; more than two concurrent runs ever need."""
_SHORTER = 20_000
"""Length in characters after GitHub rejected a comment as too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentOptions:
    """Content and target of the comment."""

    results: Sequence[TreeResult]
    event: Event
    run: Run
    name: str
    """Name of the configuration: each has its own comment and status."""
    repository: str | None = None
    number: int | None = None
    comments: bool = True
    status: bool = True

    def wanted(self, most: int = MOST) -> CommentDraft:
        """Build the comment."""
        text = body_of(self.results, run_url=self.run.url, most=most)
        return CommentDraft(self.name, self.run, text, any(map(says_something, self.results)))


def preview_comment(speech: CommentOptions) -> CommentReport:
    """Build the report of a dry run: the comment is not sent."""
    body = speech.wanted().body
    return CommentReport(outcome="not sent", message="nothing is sent", body=body)


@dataclass(frozen=True, slots=True)
class CommentResult:
    """Outcome of a report, and why parts of it were not delivered."""

    report: CommentReport
    refusals: tuple[OutsideError, ...] = ()
    is_fork: bool = False
    """Whether only the missing permissions of a fork's token prevented delivery."""


def comment(speech: CommentOptions, open_exchange: Callable[[], GitHubClient]) -> CommentResult:
    """Update the comment and set the status; neither depends on the other."""
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
        number = _find_pull_request(exchange, repository, speech.event)
    if number is None:
        message = "no open pull request offers this commit any more: nobody asks"
        body = speech.wanted().body
        return CommentResult(CommentReport(outcome="nobody asks", message=message, body=body))
    return _deliver(speech, PullRequest(exchange, repository, number), exchange, repository)


def _find_pull_request(exchange: GitHubClient, repository: str, event: Event) -> int | None:
    if event.offered_by is None or event.head is None:
        return None
    return next(numbers_offering(exchange, repository, event.offered_by, event.head), None)


def _deliver(
    speech: CommentOptions, request: PullRequest, exchange: GitHubClient, repository: str
) -> CommentResult:
    written = _write_comment(request, speech)
    state, refusal = None, None
    if speech.status and written.outcome != "late" and not _is_unreachable(written.refusal):
        state, refusal = _set_status(speech, exchange, repository, request, written.url)
    found = {"comment": written.refusal, "status": refusal}
    refused = {part: cause for part, cause in found.items() if cause is not None}
    is_fork = bool(refused) and not speech.event.may_write
    is_fork = is_fork and all(map(_lacks_permission, refused.values()))
    causes = tuple(
        OutsideError(f"{_FAILURE_TEXTS[part]}: {cause}", hint=cause.hint)
        for part, cause in refused.items()
    )
    outcome = "not allowed" if is_fork and state is None and not written.url else written.outcome
    report = CommentReport(
        outcome=outcome,
        message=_message(outcome, request, repository, refused),
        url=written.url,
        status=state,
        refusals=tuple(cause.message for cause in causes),
        body=speech.wanted(written.most).body,
    )
    return CommentResult(report, causes, is_fork)


_FAILURE_TEXTS = {
    "comment": "cannot write the comment",
    "status": "cannot set the commit status",
}


def _message(
    outcome: Outcome, request: PullRequest, repository: str, refused: Iterable[str]
) -> str:
    if outcome == "not allowed":
        missing = " and ".join(f"no {part}" for part in refused)
        return f"the token of a fork's pull request may only read: {missing}"
    return f"pull request {request.number} of {repository}: {_OUTCOME_TEXTS[outcome]}"


def _lacks_permission(cause: OutsideError) -> bool:
    return isinstance(cause, GitHubRefusedError) and cause.lacks_permission


def _is_unreachable(cause: OutsideError | None) -> bool:
    return isinstance(cause, GitHubRefusedError) and cause.is_unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class _WriteResult:
    """Outcome of writing the comment."""

    outcome: Outcome
    url: str = ""
    most: int = MOST
    refusal: OutsideError | None = None


def _write_comment(request: PullRequest, speech: CommentOptions) -> _WriteResult:
    """Update the comments; retry with a shorter text where it is too long."""
    refusal: OutsideError | None = None
    for most in (MOST, _SHORTER):
        try:
            outcome, there = _update_comments(request, speech, most)
        except OutsideError as exc:
            refusal = exc
            if not (isinstance(exc, GitHubRefusedError) and exc.is_too_long):
                break
        else:
            return _WriteResult(outcome=outcome, url=there.url if there else "", most=most)
    return _WriteResult(outcome="refused", refusal=refusal)


def _set_status(
    speech: CommentOptions, exchange: GitHubClient, repository: str, request: PullRequest, url: str
) -> tuple[str | None, OutsideError | None]:
    """Set the commit status; its state, or why it was not set."""
    is_of_event = speech.number in (None, speech.event.number)
    state = state_of(speech.results)
    try:
        set_status(
            exchange,
            repository,
            (speech.event.head if is_of_event else None) or request.head(),
            state=state,
            context=f"lumos/{sanitize_text(speech.name)}",
            description=sanitize_text(describe_verdict(speech.results)),
            url=speech.run.url or url,
        )
    except OutsideError as exc:
        return None, exc
    return state, None


_OUTCOME_TEXTS: dict[Outcome, str] = {
    "created": "commented",
    "edited": "edited the comment",
    "kept": "the comment says it already",
    "late": "a later run has spoken already: its comment stays",
    "silent": "there is nothing to say",
    "not sent": "set the status only",
    "refused": "the comment was refused",
}


def _update_comments(
    request: PullRequest, speech: CommentOptions, most: int
) -> tuple[Outcome, Comment | None]:
    """Update the comments; after writing one, read them again to detect concurrent runs."""
    if not speech.comments:
        return "not sent", None
    wanted = speech.wanted(most)
    written: Comment | None = None
    for _ in range(_ROUNDS):
        step = next_step(_add_written(written, request.comments()), wanted)
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
            return _outcome_without_write(step.kept, written)
    raise OutsideError(
        f"pull request {request.number}: its comments change while they are written",
        hint="run it again; `concurrency` in the workflow ends older runs",
    )


def _outcome_without_write(
    kept: Comment | None, written: Comment | None
) -> tuple[Outcome, Comment | None]:
    if kept is None:
        return "silent", None
    return ("kept" if written is None else "created"), kept


def _add_written(written: Comment | None, there: list[Comment]) -> list[Comment]:
    """Listed comments, plus the one just written: the list may lag behind."""
    is_listed = written is None or any(one.id == written.id for one in there)
    return there if is_listed or written is None else [*there, written]
