"""GitHub API calls of the gate: comments, commit statuses and commits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from lumos_snap.ci.aggregate import State
from lumos_snap.ci.comment_body import Comment
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.github_errors import GitHubRefusedError
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.json_object import JsonObject

_LONGEST_DESCRIPTION = 140
_LONGEST_CONTEXT = 200


class PullRequest:
    """A pull request of one repository."""

    def __init__(self, exchange: GitHubClient, repository: str, number: int) -> None:
        self.number = number
        self._exchange = exchange
        self._home = home_of(repository)

    def head(self) -> str:
        """Read its head commit."""
        found = self._exchange.ask("GET", f"{self._home}/pulls/{self.number}")
        return _require_text(found, "head", "sha")

    def comments(self) -> list[Comment]:
        """Read the comments that the owner of the token, or another bot, has written.

        Anybody can write a comment that looks like ours. It must not be mistaken for ours, because
        its author could change its text later.
        """
        path = f"{self._home}/issues/{self.number}/comments?per_page=100"
        listed = list(self._exchange.ask_all(path))
        login = self._login() if listed else None
        return [_comment(one) for one in listed if _is_own(one, login)]

    def create(self, body: str) -> Comment:
        """Create a comment."""
        path = f"{self._home}/issues/{self.number}/comments"
        return _comment(self._exchange.ask("POST", path, {"body": body}))

    def edit(self, comment: Comment, body: str) -> Comment | None:
        """Replace the text of a comment; None where it was deleted in the meantime."""
        path = f"{self._home}/issues/comments/{comment.id}"
        try:
            return _comment(self._exchange.ask("PATCH", path, {"body": body}))
        except GitHubRefusedError as refused:
            if not refused.knows_nothing:
                raise
        return None

    def delete(self, comment: Comment) -> None:
        """Delete a comment, which another run may have done already."""
        try:
            self._exchange.ask("DELETE", f"{self._home}/issues/comments/{comment.id}")
        except GitHubRefusedError as refused:
            if not refused.knows_nothing:
                raise

    def _login(self) -> str | None:
        """Login of the token's user; None for a workflow or an app, which GitHub refuses."""
        try:
            return _require_text(self._exchange.ask("GET", "/user"), "login")
        except GitHubRefusedError as refused:
            if not refused.is_about_the_token:
                raise
            return None


def numbers_offering(
    exchange: GitHubClient, repository: str, offered_by: str, head: str
) -> Iterator[int]:
    """Numbers of the open pull requests with a head commit from `owner:branch`.

    Gitea and Forgejo ignore `head` and list all, so the branch is compared here, too.
    """
    branch = _escape_url_part(offered_by, ":")
    path = f"{home_of(repository)}/pulls?state=open&per_page=100&head={branch}"
    for found in exchange.ask_all(path):
        if _require_text(found, "head", "sha") == head and _offers(found, offered_by):
            yield _number(found)


def _offers(pull: JsonObject, offered_by: str) -> bool:
    """Whether a pull request comes from `owner:branch`."""
    owner, _, branch = offered_by.partition(":")
    offered = pull["head"]
    login = _find_text(offered, "repo", "owner", "login") or _find_text(offered, "user", "login")
    return login == owner and offered.get("ref") == branch


def _number(pull: JsonObject) -> int:
    number = pull.get("number")
    if not isinstance(number, int):
        raise _strange()
    return number


def set_status(
    exchange: GitHubClient,
    repository: str,
    commit: str,
    *,
    state: State,
    context: str,
    description: str,
    url: str,
) -> None:
    """Set the verdict of the gate as a commit status."""
    content = {
        "state": state,
        "context": context[:_LONGEST_CONTEXT],
        "description": description[:_LONGEST_DESCRIPTION],
        **({"target_url": url} if url else {}),
    }
    exchange.ask("POST", f"{home_of(repository)}/statuses/{_escape_url_part(commit)}", content)


def home_of(repository: str) -> str:
    """The API path of a repository; raises `LumosError` for an invalid name."""
    owner, slash, name = repository.partition("/")
    if (
        not (owner and slash and name)
        or "/" in name
        or owner.startswith(".")
        or name in (".", "..")
    ):
        raise LumosError(f"{repository!r} is no repository", hint="name it as --repo owner/name")
    return f"/repos/{_escape_url_part(owner)}/{_escape_url_part(name)}"


def _escape_url_part(text: str, also: str = "") -> str:
    """Escape a part of an address; lone surrogates, which GitHub never uses, are spelled out."""
    return quote(text, safe=also, errors="backslashreplace")


def _is_own(comment: object, login: str | None) -> bool:
    author = comment.get("user") if isinstance(comment, Mapping) else None
    if not isinstance(author, Mapping):
        return False  # by a deleted user
    return author.get("type") == "Bot" if login is None else author.get("login") == login


def _comment(found: object) -> Comment:
    if not isinstance(found, Mapping) or not isinstance(found.get("id"), int):
        raise _strange()
    return Comment(found["id"], str(found.get("body") or ""), str(found.get("html_url") or ""))


def _require_text(found: object, *steps: str) -> str:
    text = _find_text(found, *steps)
    if text is None:
        raise _strange()
    return text


def _find_text(found: object, *steps: str) -> str | None:
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else None


def _strange() -> OutsideError:
    hint = "check GITHUB_API_URL: is something else in between?"
    return OutsideError("what answers does not answer as GitHub does", hint=hint)


_BOT = "github-actions[bot]"
_BOT_NUMBER = 41898282


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitDraft:
    """A commit to create."""

    branch: str
    parent: str
    path: str
    """Path from the top of the repository."""
    content: str
    message: str
    login: str
    """Login of the author."""
    user: int


def commit_file(exchange: GitHubClient, repository: str, draft: CommitDraft) -> str:
    """Commit a file to a branch; returns the commit."""
    home = f"{home_of(repository)}/git"
    base = _sha(exchange.ask("GET", f"{home}/commits/{quote(draft.parent)}"), "tree")
    entry = {"path": draft.path, "mode": "100644", "type": "blob", "content": draft.content}
    tree = _sha(exchange.ask("POST", f"{home}/trees", {"base_tree": base, "tree": [entry]}))
    content = {
        "message": draft.message,
        "tree": tree,
        "parents": [draft.parent],
        "author": _person(exchange, draft.login, draft.user),
        "committer": _person(exchange, _BOT, _BOT_NUMBER),
    }
    commit = _sha(exchange.ask("POST", f"{home}/commits", content))
    address = f"{home}/refs/heads/{quote(draft.branch, safe='/')}"
    exchange.ask("PATCH", address, {"sha": commit, "force": False})
    return commit


def _person(exchange: GitHubClient, login: str, number: int) -> Mapping[str, str]:
    """A user with GitHub's no-reply address."""
    host = urlsplit(exchange.host.server).hostname or "github.com"
    return {"name": login, "email": f"{number}+{login}@users.noreply.{host}"}


def _sha(found: object, *steps: str) -> str:
    for step in (*steps, "sha"):
        found = found.get(step) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        hint = "check GITHUB_API_URL: is something else in between?"
        raise OutsideError("the server does not answer as GitHub does", hint=hint)
    return found
