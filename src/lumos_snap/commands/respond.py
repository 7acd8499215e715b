"""`lumos snap respond`: a waiver requested by a comment on a pull request.

The waiver is committed to the branch of the pull request, the gate judges that commit, and the
thread gets an answer. The pull request is only data: none of its code is run, and git does not
write to its clone.
"""

import datetime
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.ci.aggregate import verdict_of
from lumos_snap.ci.approvals import Offer, may_write, offer_of
from lumos_snap.ci.environment import Event, PostedComment, Run
from lumos_snap.ci.github import CommitDraft, PullRequest, commit_file
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.waive_instruction import WaiveInstruction, waive_of
from lumos_snap.commands.approvals import ReviewedPullRequest, find_unapproved_waivers, why_no_owner
from lumos_snap.commands.comment import CommentOptions, comment
from lumos_snap.commands.explain import find_by_fingerprint, findings_of, waive
from lumos_snap.commands.gate import GateOptions, gate
from lumos_snap.config import WAIVERS
from lumos_snap.config.waivers import Waiver
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import resolve
from lumos_snap.render.markdown_escape import escape_markdown, escape_markdown_code
from lumos_snap.report.diff import ChangeFinding, WaiveReport
from lumos_snap.report.gate import RespondReport, TreeResult
from lumos_snap.text import sanitize_brief
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce
from lumos_snap.tree.files import Form

_SHORT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RespondOptions:
    """The comment, and the gate of its pull request."""

    posted: PostedComment
    folders: Sequence[Path]
    config: Path | None
    name: str
    """Name of the gate's configuration, whose comment and status are updated."""
    run: Run
    today: datetime.date


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """The pull request, and the means to access it."""

    options: RespondOptions
    exchange: GitHubClient
    offer: Offer
    open_tree: Callable[[Path], Tree]
    announce: Announce

    def judged(self, head: str) -> tuple[TreeResult, ...]:
        """Run the gate for a commit that is checked out in the folders."""
        options = self.options
        asked = GateOptions(
            folders=options.folders,
            base=self.offer.base,
            config=options.config,
            approvals=functools.partial(find_unapproved_waivers, self._reviewed(head)),
            today=options.today,
        )
        return gate(asked, self.open_tree, self.announce).trees

    def _reviewed(self, head: str) -> ReviewedPullRequest:
        posted = self.options.posted
        return ReviewedPullRequest(
            open_exchange=lambda: self.exchange,
            repository=posted.repository,
            number=posted.number,
            head=head,
        )


@dataclass(frozen=True, slots=True)
class _FindingInTree:
    """A finding, and the tree that contains it."""

    tree: Tree
    finding: ChangeFinding


class RefusedRequestError(LumosError):
    """The request is refused, and its author is told why."""


def respond(
    options: RespondOptions,
    open_tree: Callable[[Path], Tree],
    open_exchange: Callable[[], GitHubClient],
    announce: Announce,
) -> RespondReport:
    """Carry out the request of a comment, and answer it; other comments get no answer."""
    posted = options.posted
    try:
        wanted: WaiveInstruction | LumosError | None = waive_of(posted.body, options.today)
    except LumosError as exc:
        wanted = exc
    if wanted is None:
        return RespondReport(outcome="ignored", message="the comment holds no command")
    exchange = open_exchange()
    request = PullRequest(exchange, posted.repository, posted.number)
    try:
        offer = _writable_pull_request(exchange, posted)
        job = _Job(
            options=options,
            exchange=exchange,
            offer=offer,
            open_tree=open_tree,
            announce=announce,
        )
        done = _waive(job, _parse_command(wanted))
    except RefusedRequestError as exc:
        request.create(_answer(posted, f"not waived: {exc.message}", exc.hint))
        return RespondReport(outcome="refused", message=exc.message, hint=exc.hint)
    except LumosError as exc:
        request.create(_answer(posted, f"failed: {exc.message}", exc.hint))
        raise
    request.create(_answer(posted, done.message, done.hint))
    return done


def _parse_command(wanted: WaiveInstruction | LumosError) -> WaiveInstruction:
    """The command; its errors are reported only to users with permission."""
    if isinstance(wanted, LumosError):
        raise RefusedRequestError(wanted.message, hint=wanted.hint)
    return wanted


def _writable_pull_request(exchange: GitHubClient, posted: PostedComment) -> Offer:
    """The pull request, if it is open and this person may write to its branch."""
    if not may_write(exchange, posted.repository, posted.login):
        raise RefusedRequestError(f"{posted.login} may not write to {posted.repository}")
    offer = offer_of(exchange, posted.repository, posted.number)
    if not offer.is_open:
        raise RefusedRequestError("the pull request is closed")
    if offer.source.lower() != posted.repository.lower():
        raise RefusedRequestError(
            f"the branch is in a fork ({offer.source or 'gone'}): this workflow cannot write to it",
            hint="run `lumos snap waive` on the branch, and push the file that it writes",
        )
    return offer


def _waive(job: _Job, wanted: WaiveInstruction) -> RespondReport:
    trees = {str(folder): job.open_tree(folder) for folder in job.options.folders}
    for tree in trees.values():
        _require_head(tree, job.offer)
    found = _find(job.judged(job.offer.head), trees, wanted.fingerprint)
    waiver = Waiver(
        fingerprint=found.finding.fingerprint,
        reason=wanted.reason,
        owner=job.options.posted.login,
        ticket=wanted.ticket,
        expires=wanted.until.isoformat(),
    )
    planned = _plan(found, waiver)
    _require_owner(job, found.tree, planned.path)
    path = f"{found.tree.prefix}{planned.path}"
    commit = _commit(job, path, planned)
    waive(found.tree, found.finding, waiver, write=True)  # the gate judges the commit's content
    after = job.judged(commit)
    _tell(job, after, commit)
    verdict = verdict_of(after)
    short = commit[:_SHORT]
    return RespondReport(
        outcome="waived",
        message=f"waived until {waiver.expires} in {path}: the gate says {verdict} of {short}",
        hint=_why_not_counted(after, planned.path),
        path=path,
        commit=commit,
        verdict=verdict,
    )


def _require_head(tree: Tree, offer: Offer) -> None:
    """Refuse where HEAD is not the head of the pull request, which is what the gate judges."""
    here = resolve(tree.repository, "HEAD").id
    if here != offer.head:
        raise RefusedRequestError(
            f"the branch has moved on to {offer.head[:_SHORT]} meanwhile",
            hint="look at the new findings, and comment again",
        )


def _find(
    results: Sequence[TreeResult], trees: dict[str, Tree], fingerprint: str
) -> _FindingInTree:
    """Find the finding in all trees; where several have it, prefer one that is not waived."""
    every = [
        _FindingInTree(trees[one.name], finding) for one in results for finding in _findings(one)
    ]
    try:
        meant = find_by_fingerprint((one.finding for one in every), fingerprint)
    except LumosError as exc:
        raise RefusedRequestError(exc.message, hint=exc.hint) from exc
    if meant is None:
        raise RefusedRequestError(
            f"this pull request has no finding {fingerprint} now",
            hint="the comment of the gate shows the fingerprints",
        )
    alike = [one for one in every if one.finding.fingerprint == meant.fingerprint]
    return next((one for one in alike if not one.finding.waived), alike[0])


def _findings(result: TreeResult) -> Iterator[ChangeFinding]:
    if result.difference is None:
        raise OutsideError(f"{result.name}: {result.problem}", hint=result.hint)
    return findings_of(result.difference)


def _plan(found: _FindingInTree, waiver: Waiver) -> WaiveReport:
    if found.finding.waived:
        raise RefusedRequestError(f"{waiver.fingerprint} is waived already")
    if found.tree.files.form(WAIVERS) not in (None, Form.FOLDER):
        raise RefusedRequestError(f"{WAIVERS} is not a folder on this branch")
    try:
        return waive(found.tree, found.finding, waiver, write=False)
    except LumosError as exc:
        raise RefusedRequestError(exc.message, hint=exc.hint) from exc


def _require_owner(job: _Job, tree: Tree, path: str) -> None:
    base = tree.base(job.offer.base, merge_base=True, announce=job.announce)
    login = job.options.posted.login
    why = why_no_owner(job.exchange, tree, path, base.target, (login,))
    if why:
        raise RefusedRequestError(f"CODEOWNERS of {job.offer.base} covers {path}: {why}")


def _commit(job: _Job, path: str, planned: WaiveReport) -> str:
    found, posted = planned.finding, job.options.posted
    dataset = sanitize_brief(found.urn.removeprefix("lumos://"), 100)
    title = f"Waive {found.rule} {found.slug} of {dataset}"
    draft = CommitDraft(
        branch=job.offer.branch,
        parent=job.offer.head,
        path=path,
        content=planned.text,
        message=f"{title}\n\nRequested by {posted.login}: {posted.url}\n",
        login=posted.login,
        user=posted.user,
    )
    return commit_file(job.exchange, posted.repository, draft)


def _tell(job: _Job, results: Sequence[TreeResult], commit: str) -> None:
    """Set the status of the new commit, because a commit by this token starts no workflow."""
    posted = job.options.posted
    event = Event(
        base=job.offer.base, repository=posted.repository, number=posted.number, head=commit
    )
    options = job.options
    speech = CommentOptions(results=results, event=event, run=options.run, name=options.name)
    sent = comment(speech, lambda: job.exchange)
    for refusal in sent.refusals:
        raise OutsideError(
            f"commit {commit[:_SHORT]} holds the waiver: {refusal.message}", hint=refusal.hint
        )


def _why_not_counted(results: Sequence[TreeResult], path: str) -> str:
    """Why the new waiver does not count yet; empty where it does."""
    for result in results:
        for one in result.difference.new_waivers if result.difference else ():
            if one.path == path and not one.counts:
                return f"it does not count yet: {one.decision}"
    return ""


def _answer(posted: PostedComment, says: str, hint: str) -> str:
    """Build the answer for the thread; names and reasons in it are escaped as untrusted input."""
    more = f"\n\n→ {escape_markdown(hint)}" if hint else ""
    return f"{escape_markdown_code(posted.login, 60)} {escape_markdown(says, 1_000)}{more}"
