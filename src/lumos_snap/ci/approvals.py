"""Approvals of pull requests and CODEOWNERS, on GitHub and Gitea."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from lumos_snap.ci.github import home_of
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.github_errors import GitHubRefusedError
from lumos_snap.json_object import JsonObject

_WRITES = frozenset({"write", "admin", "owner"})
"""Permissions that include writing; `owner` is Gitea's."""
_APPROVED = "APPROVED"
_DECISIVE = frozenset({_APPROVED, "CHANGES_REQUESTED", "REQUEST_CHANGES", "DISMISSED"})
"""States that replace an earlier approval; a later comment does not."""
_SHORT = 10
"""Length of abbreviated commit ids."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A pull request: its author, its commits and its branches."""

    author: str
    head: str
    base: str
    branch: str
    """The head branch."""
    source: str
    """The repository of the head branch: another one for a fork, empty for a deleted one."""
    is_open: bool


@dataclass(frozen=True, slots=True)
class Review:
    """The latest review of one person."""

    login: str
    state: str
    commit: str

    def why_not(self, head: str) -> str:
        """Why it does not approve a commit; empty where it does."""
        if self.state != _APPROVED:
            return f"{self.login} has not approved it, or no longer does"
        if self.commit != head:
            return f"{self.login} has approved {self.commit[:_SHORT]}, not {head[:_SHORT]}"
        return ""


def offer_of(exchange: GitHubClient, repository: str, number: int) -> Offer:
    """Read the current state of the pull request."""
    found = exchange.ask("GET", f"{home_of(repository)}/pulls/{number}")
    return Offer(
        author=_text(found, "user", "login"),
        head=_text(found, "head", "sha"),
        base=_text(found, "base", "ref"),
        branch=_text(found, "head", "ref"),
        source=_text(found, "head", "repo", "full_name"),
        is_open=_text(found, "state") == "open",
    )


def reviews_of(exchange: GitHubClient, repository: str, number: int) -> tuple[Review, ...]:
    """Read the latest review of each person; bots are ignored."""
    path = f"{home_of(repository)}/pulls/{number}/reviews?per_page=100"
    return tuple(_latest(exchange.ask_all(path)))


def _latest(listed: Iterable[Any]) -> Iterator[Review]:
    found: dict[str, tuple[tuple[str, int], Review]] = {}
    for one in listed:
        login, state = _text(one, "user", "login"), _state(one)
        is_person = isinstance(one, Mapping) and _kind(one) == "User"
        if not login or not is_person or state not in _DECISIVE:
            continue
        number = one.get("id")
        since = _text(one, "submitted_at"), number if isinstance(number, int) else 0
        key = login.lower()
        if key not in found or since >= found[key][0]:
            found[key] = since, Review(login, state, _text(one, "commit_id"))
    return (review for _, review in found.values())


def _state(one: object) -> str:
    is_dismissed = isinstance(one, Mapping) and one.get("dismissed") is True  # Gitea's form
    return "DISMISSED" if is_dismissed else _text(one, "state").upper()


def _kind(one: JsonObject) -> str:
    user = one.get("user")
    return str(user.get("type") or "User") if isinstance(user, Mapping) else ""


def may_write(exchange: GitHubClient, repository: str, login: str) -> bool:
    """Whether a person may push to a repository."""
    path = f"{home_of(repository)}/collaborators/{quote(login, safe='')}/permission"
    try:
        return _text(exchange.ask("GET", path), "permission") in _WRITES
    except GitHubRefusedError as refused:
        if not refused.knows_nothing:
            raise
        return False


def is_owner(exchange: GitHubClient, owner: str, login: str) -> bool:
    """Whether an owner in CODEOWNERS is this person, or a team that they are a member of.

    Raises `GitHubRefusedError` where the token may not read the members of the team.
    """
    if not owner.startswith("@"):
        return False  # GitHub does not reveal the user of an e-mail address
    organisation, slash, team = owner[1:].partition("/")
    if not slash:
        return organisation.lower() == login.lower()
    parts = (quote(one, safe="") for one in (organisation, team, login))
    path = "/orgs/{}/teams/{}/memberships/{}".format(*parts)
    try:
        return _text(exchange.ask("GET", path), "state") == "active"
    except GitHubRefusedError as refused:
        if not refused.knows_nothing:
            raise
        return False


def _text(found: object, *steps: str) -> str:
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""


PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Paths of the file, in GitHub's order; the first one found counts."""
LARGEST = 3_000_000
"""GitHub's maximum size in bytes."""
_ANY = "**"


def owners_of(text: str, path: str) -> tuple[str, ...]:
    """The owners of a path, as written: `@user`, `@org/team`, an e-mail address; or none."""
    found: tuple[str, ...] = ()
    for pattern, owners in _lines(text):
        if matches(pattern, path):
            found = owners
    return found


def _lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in text.splitlines():
        pattern, *owners = _words(line) or [""]
        # GitHub supports neither negation nor ranges, and skips such a line.
        if pattern and not pattern.startswith("!") and "[" not in pattern:
            yield pattern, tuple(owners)


def _words(line: str) -> list[str]:
    """The words of a line without its comment; a backslash escapes a space in a pattern."""
    words: list[str] = []
    word, is_escaped = "", False
    for char in line:
        if is_escaped:
            word, is_escaped = word + char, False
        elif char == "\\":
            is_escaped = True
        elif char == "#" and not word:
            break
        elif char.isspace():
            words += [word] if word else []
            word = ""
        else:
            word += char
    return [*words, word] if word else words


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path from the top of the repository.

    As in `.gitignore`: a slash that is not the last character anchors it at the top, a folder
    matches everything below it, `**` crosses folders. In contrast, `folder/*` matches only files
    directly in it.
    """
    is_tied = "/" in pattern.rstrip("/")
    steps = pattern.strip("/").split("/")
    is_whole = is_tied and steps[-1] == "*" and not pattern.endswith("/")
    if not is_tied:
        steps = [_ANY, *steps]
    if pattern.endswith("/"):
        steps.append(_ANY)
    if steps[-1] == _ANY:
        steps[-1] = "*"  # the content of a folder, not the folder itself
    return _leads(steps, path.split("/"), is_whole=is_whole)


def _leads(steps: Sequence[str], names: Sequence[str], *, is_whole: bool) -> bool:
    """Whether the steps match the path, or a folder above it unless the whole path must match."""
    reached = {0}
    for name in names:
        if not is_whole and len(steps) in reached:
            return True
        following: set[int] = set()
        for at in _skip_any(steps, reached):
            if at < len(steps) and steps[at] == _ANY:
                following.add(at)
            elif at < len(steps) and _fits(steps[at], name):
                following.add(at + 1)
        reached = following
    return len(steps) in reached


def _skip_any(steps: Sequence[str], reached: set[int]) -> set[int]:
    """The positions, and those after a `**` that matches no folder."""
    found = set(reached)
    for at in range(len(steps)):
        if at in found and steps[at] == _ANY:
            found.add(at + 1)
    return found


def _fits(pattern: str, name: str) -> bool:
    """Whether a name matches a pattern with `*` and `?`, in polynomial time."""
    at = position = 0
    star: tuple[int, int] | None = None
    """Positions after the last `*` in the pattern, and after its match in the name."""
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            at += 1
            star = (at, position)
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif star is not None:
            at, position = star = (star[0], star[1] + 1)
        else:
            return False
    return not pattern[at:].strip("*")
