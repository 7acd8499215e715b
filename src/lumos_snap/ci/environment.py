"""The environment of a workflow: server, repository, run, and the event that started it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject

_API = "https://api.github.com"
_SERVER = "https://github.com"


@dataclass(frozen=True, slots=True)
class Host:
    """A GitHub server, public or of a company."""

    api: str
    server: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow; with default values outside of one."""

    number: int = 0
    attempt: int = 0
    url: str = ""
    name: str = ""
    """Workflow and job, which identify a configuration of the gate."""

    @property
    def age(self) -> tuple[int, int]:
        """Sort key of runs: later ones have larger numbers."""
        return self.number, self.attempt


def read_host(environ: Mapping[str, str]) -> Host:
    """Read the server and the token."""
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or ""
    if not token.strip():
        raise LumosError(
            "there is no token for GitHub",
            hint="give it in the environment: GITHUB_TOKEN: ${{ github.token }}",
        )
    if not token.isascii() or not token.strip().isprintable():
        raise LumosError("GITHUB_TOKEN holds what no token holds", hint="paste it again")
    server = environ.get("GITHUB_SERVER_URL") or _SERVER
    api = environ.get("GITHUB_API_URL") or (_API if server == _SERVER else f"{server}/api/v3")
    _require_address("GITHUB_API_URL", api)
    return Host(api.rstrip("/"), server.rstrip("/"), token.strip())


def _require_address(name: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme in ("https", "http") and "@" not in parts.netloc
        is_address = is_plain and bool(parts.hostname)
    except ValueError:  # unbalanced brackets
        is_address = False
    if not is_address:
        raise LumosError(f"{name} is no address of a server", hint=f"for example {_API}")


def read_run(environ: Mapping[str, str]) -> Run:
    """Read the current run of a workflow."""
    server = environ.get("GITHUB_SERVER_URL") or _SERVER
    number, repository = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_REPOSITORY", "")
    named = (environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB"))
    is_run = number.isdecimal() and bool(repository)
    return Run(
        number=int(number) if is_run else 0,
        attempt=_number(environ.get("GITHUB_RUN_ATTEMPT", "")),
        url=f"{server.rstrip('/')}/{repository}/actions/runs/{number}" if is_run else "",
        name="/".join(filter(None, named)),
    )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


# The event that started a workflow: its base, and its pull request.


_OF_THE_BASE = "pull_request_target"
_QUEUE = re.compile(r"^refs/heads/gh-readonly-queue/.+/pr-([0-9]{1,10})-[0-9a-f]+$", re.ASCII)
_DEPENDABOT = "dependabot[bot]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A pull request, a push, or another event."""

    name: str = ""
    base: str | None = None
    """The base of the comparison: a branch or a commit."""
    repository: str | None = None
    number: int | None = None
    """Number of the pull request."""
    head: str | None = None
    """The head commit of the pull request."""
    queued: int | None = None
    """The pull request in a merge queue: its reviews count, and it gets no comment."""
    offered_by: str | None = None
    """`owner:branch` of a pull request whose number is not in the event."""
    may_write: bool = True
    """Whether GitHub lets a workflow of this event write, which it does not for forks."""
    is_trusted: bool = True
    """Whether the results come from this run, not from one that a fork may have manipulated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedComment:
    """A comment on a pull request."""

    repository: str
    number: int
    body: str
    login: str
    user: int
    url: str


def parse_comment(name: str, payload: JsonObject, repository: str | None) -> PostedComment | None:
    """Parse the new comment of a person from an event; None for other events."""
    issue, comment = payload.get("issue"), payload.get("comment")
    if name != "issue_comment" or payload.get("action") != "created":
        return None
    if not isinstance(issue, Mapping) or not isinstance(comment, Mapping):
        return None
    number, user = issue.get("number"), comment.get("user")
    home = _text(payload, "repository", "full_name") or repository
    if not issue.get("pull_request") or not isinstance(number, int) or home is None:
        return None
    if not isinstance(user, Mapping) or user.get("type", "User") != "User":
        return None
    login, identity = _text(user, "login"), user.get("id")
    if login is None or not isinstance(identity, int):
        return None
    return PostedComment(
        repository=home,
        number=number,
        body=_text(comment, "body") or "",
        login=login,
        user=identity,
        url=_text(comment, "html_url") or "",
    )


def event_of(name: str, payload: JsonObject, repository: str | None) -> Event:
    """Parse an event in GitHub's format."""
    if "pull_request" in payload and isinstance(payload["pull_request"], Mapping):
        return _pull_request(name, payload, repository)
    if name == "workflow_run":
        return _after_another_run(payload.get("workflow_run", {}), repository)
    if name == "merge_group":
        base = _text(payload, "merge_group", "base_sha")
        return Event(name=name, base=base, repository=repository, queued=_queue_number(payload))
    if name == "push":
        return Event(name=name, base=_before(payload), repository=repository)
    return Event(name=name, repository=repository)


def _pull_request(name: str, payload: JsonObject, repository: str | None) -> Event:
    request = payload["pull_request"]
    own, offered = (_text(request, side, "repo", "full_name") for side in ("base", "head"))
    is_fork = offered is None or offered != (own or repository)
    is_bot = _text(payload, "sender", "login") == _DEPENDABOT
    number = request.get("number", payload.get("number"))
    return Event(
        name=name,
        # This event checks out the base branch: compared with itself, every change would pass.
        base=None if name == _OF_THE_BASE else _text(request, "base", "ref"),
        repository=own or repository,
        number=number if isinstance(number, int) else None,
        head=_text(request, "head", "sha"),
        may_write=name == _OF_THE_BASE or not (is_fork or is_bot),
    )


def _after_another_run(run: JsonObject, repository: str | None) -> Event:
    """The event after another workflow; only data from GitHub itself is used."""
    owner = _text(run, "head_repository", "owner", "login")
    branch = _text(run, "head_branch")
    return Event(
        name="workflow_run",
        repository=repository,
        head=_text(run, "head_sha"),
        offered_by=f"{owner}:{branch}" if owner and branch else None,
        is_trusted=False,
    )


def _queue_number(payload: JsonObject) -> int | None:
    """The pull request in the name of a merge queue's branch: `…/gh-readonly-queue/main/pr-7-…`."""
    found = _QUEUE.search(_text(payload, "merge_group", "head_ref") or "")
    return int(found.group(1)) if found else None


def _before(payload: JsonObject) -> str | None:
    """The commit before a push; a new branch is compared with the default branch."""
    before = _text(payload, "before")
    if before and before.strip("0"):
        return before
    default = _text(payload, "repository", "default_branch")
    return default if default and payload.get("ref") != f"refs/heads/{default}" else None


def _text(found: object, *steps: str) -> str | None:
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) and found else None
