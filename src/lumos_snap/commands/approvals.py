"""Approvals of new waivers in a pull request."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace

from lumos_snap.ci.approvals import (
    LARGEST,
    PLACES,
    is_owner,
    may_write,
    offer_of,
    owners_of,
    reviews_of,
)
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.github_errors import GitHubRefusedError
from lumos_snap.commands.diff.sides import Target
from lumos_snap.errors import LumosError
from lumos_snap.git import EntryKind, blobs, names
from lumos_snap.tree import Tree

_SHORT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedPullRequest:
    """The pull request whose reviews are checked."""

    open_exchange: Callable[[], GitHubClient]
    repository: str
    number: int
    head: str | None = None
    """The commit to judge; None for the current head of the pull request."""


def find_unapproved_waivers(
    request: ReviewedPullRequest, tree: Tree, paths: Set[str], target: Target | None
) -> dict[str, str]:
    """Find the waiver files without a valid approval, and the reason for each."""
    if target is None or target.tip is None:
        return dict.fromkeys(paths, "the target branch of the pull request is unknown")
    try:
        return dict(_iter_unapproved(request, tree, paths, target.tip))
    except LumosError as exc:
        return dict.fromkeys(paths, f"the approvals cannot be read: {exc.message}")


def _iter_unapproved(
    request: ReviewedPullRequest, tree: Tree, paths: Set[str], tip: str
) -> Iterator[tuple[str, str]]:
    exchange = request.open_exchange()
    offer = offer_of(exchange, request.repository, request.number)
    head = request.head or offer.head
    approvers, others = _approvers(exchange, request, head, offer.author)
    for path in sorted(paths):
        if not approvers:
            yield path, f"commit {head[:_SHORT]} has no approval that counts{others}"
        elif not _is_same_in_commit(tree, path, head):
            yield path, f"commit {head[:_SHORT]}, which was approved, does not hold it like this"
        elif why := why_no_owner(exchange, tree, path, tip, approvers):
            yield path, why


def _approvers(
    exchange: GitHubClient, request: ReviewedPullRequest, head: str, author: str
) -> tuple[tuple[str, ...], str]:
    """Logins whose approval of a commit counts, and why other reviews do not count."""
    found: list[str] = []
    why: list[str] = []
    for review in reviews_of(exchange, request.repository, request.number):
        if not author:
            why.append("the author of the pull request is unknown")
        elif review.login.lower() == author.lower():
            why.append(f"{review.login} is the author")
        elif reason := review.why_not(head):
            why.append(reason)
        elif not may_write(exchange, request.repository, review.login):
            why.append(f"{review.login} may not write to {request.repository}")
        else:
            found.append(review.login)
    return tuple(found), f" ({'; '.join(why)})" if why else ""


def _is_same_in_commit(tree: Tree, path: str, commit: str) -> bool:
    """Whether a commit contains a file with the same content as the tree."""
    repository = tree.repository
    entry = names(repository, commit, (path,)).get(path)
    if entry is None or entry.kind is not EntryKind.FILE:
        return False
    return next(blobs(repository, [entry.oid]))[1] == tree.files.read(path)


def why_no_owner(
    exchange: GitHubClient, tree: Tree, path: str, tip: str, logins: tuple[str, ...]
) -> str:
    """Explain why no login owns a path on the target branch; empty where one does.

    Where CODEOWNERS does not cover the path, everybody owns it.
    """
    owners = _owners(tree, path, tip)
    unknown = ""
    for owner in owners:
        for login in logins:
            try:
                if is_owner(exchange, owner, login):
                    return ""
            except GitHubRefusedError:
                unknown = f"; the token may not read the members of {owner}"
    if not owners:
        return ""
    return f"none of {', '.join(logins)} is known to own it ({' '.join(owners)}){unknown}"


def _owners(tree: Tree, path: str, tip: str) -> tuple[str, ...]:
    """The owners of a file of the tree according to CODEOWNERS at a commit."""
    repository = tree.repository
    top = replace(repository, prefix="")
    held = names(top, tip, PLACES)
    place = next((one for one in PLACES if one in held), None)
    if place is None or held[place].kind is not EntryKind.FILE:
        return ()
    raw = next(blobs(top, [held[place].oid]))[1]
    if len(raw) > LARGEST:
        raise LumosError(f"{place} is larger than GitHub reads")
    return owners_of(raw.decode("utf-8", "replace"), f"{repository.prefix}{path}")
