"""Who has approved a pull request, and who may: what GitHub says, and Gitea in its words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from lumos_snap.ci.github import home_of
from lumos_snap.ci.github_client import GitHubClient
from lumos_snap.ci.github_errors import GitHubRefusedError

_WRITES = frozenset({"write", "admin", "owner"})
"""Permissions that include writing; Gitea says `owner` as well."""
_APPROVED = "APPROVED"
_DECISIVE = frozenset({_APPROVED, "CHANGES_REQUESTED", "REQUEST_CHANGES", "DISMISSED"})
"""A later comment leaves an approval as it is; these replace it."""
_SHORT = 10
"""Digits of a commit that people read."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a pull request offers, and who opened it."""

    author: str
    head: str
    base: str
    branch: str
    """The branch that is offered."""
    source: str
    """The repository that the branch is in: another one for a fork, none for one that is gone."""
    is_open: bool


@dataclass(frozen=True, slots=True)
class Review:
    """The latest opinion of one person."""

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
    """The pull request as it is now."""
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
    """The latest opinion of each person; bots have none."""
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


def _state(one: Any) -> str:
    is_dismissed = isinstance(one, Mapping) and one.get("dismissed") is True  # as Gitea says it
    return "DISMISSED" if is_dismissed else _text(one, "state").upper()


def _kind(one: Mapping[str, Any]) -> str:
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

    Raises `RefusedError` where the token may not read the members of the team.
    """
    if not owner.startswith("@"):
        return False  # an e-mail address names nobody that GitHub would tell us of
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


def _text(found: Any, *steps: str) -> str:
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""


PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for the file, the first one found counts."""
LARGEST = 3_000_000
"""Bytes: GitHub does not load a larger file."""
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
        # GitHub knows neither negation nor ranges, and skips such a line.
        if pattern and not pattern.startswith("!") and "[" not in pattern:
            yield pattern, tuple(owners)


def _words(line: str) -> list[str]:
    """The words of a line without its comment; a backslash keeps a space in a pattern."""
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
    """Whether a pattern covers a path from the top of the repository.

    As in `.gitignore`: a slash that is not the last character ties it to the top, a folder covers
    what is below it, `**` crosses folders. Unlike there, `folder/*` covers only files right in it.
    """
    is_tied = "/" in pattern.rstrip("/")
    steps = pattern.strip("/").split("/")
    is_whole = is_tied and steps[-1] == "*" and not pattern.endswith("/")
    if not is_tied:
        steps = [_ANY, *steps]
    if pattern.endswith("/"):
        steps.append(_ANY)
    if steps[-1] == _ANY:
        steps[-1] = "*"  # what is below a folder, and not the folder itself
    return _leads(steps, path.split("/"), is_whole=is_whole)


def _leads(steps: Sequence[str], names: Sequence[str], *, is_whole: bool) -> bool:
    """Whether the steps lead to the path, or to a folder above it unless it is meant as a whole."""
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
    """The same places, and those behind a `**` that stands for no folder."""
    found = set(reached)
    for at in range(len(steps)):
        if at in found and steps[at] == _ANY:
            found.add(at + 1)
    return found


def _fits(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern with `*` and `?`, in time that grows with both lengths."""
    at = position = 0
    star: tuple[int, int] | None = None
    """Behind the last `*` in the pattern, and behind what that stands for in the name."""
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
