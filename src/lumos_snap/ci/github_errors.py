"""Errors of GitHub, Gitea and Forgejo: the missing permission, the fix, and when to retry."""

import re
from collections.abc import Mapping

from lumos_snap.errors import OutsideError

# Waiting time before a request is retried.


MOST_TRIES = 5
LONGEST_WAIT = 60
"""Seconds: a longer wait costs more than a failed run."""

_PASSING = frozenset({500, 502, 503, 504})
_LIMITED = frozenset({403, 429})


def wait_before_retry(
    status: int, headers: Mapping[str, str], body: str, tries: int, now: float
) -> float | None:
    """Seconds to wait; None where a retry is useless, or would have to wait for too long.

    `headers` has lower-case names; `now` is in seconds since 1970.
    """
    if tries >= MOST_TRIES:
        return None
    asked = _wait_asked_for(status, headers, body, now)
    if asked is None and (status in _PASSING or status == 0):
        asked = 2.0 ** (tries - 1)
    return asked if asked is not None and asked <= LONGEST_WAIT else None


def is_limit(status: int, headers: Mapping[str, str], body: str) -> bool:
    """Whether GitHub rejects the request because of a rate limit."""
    if status not in _LIMITED:
        return False
    is_spent = headers.get("x-ratelimit-remaining") == "0"
    return status == 429 or is_spent or "retry-after" in headers or "rate limit" in body.lower()  # noqa: PLR2004


def _wait_asked_for(status: int, headers: Mapping[str, str], body: str, now: float) -> float | None:
    """Seconds that GitHub requests, or until its rate limit ends."""
    after = headers.get("retry-after", "")
    if (status in _PASSING or is_limit(status, headers, body)) and after.isdecimal():
        return float(after)
    if not is_limit(status, headers, body):
        return None
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - now) + 1
    return float(LONGEST_WAIT)  # GitHub's advice for limits without further details


BLOCK = "permissions: {contents: read, pull-requests: write, statuses: write}"
"""Permissions of a job on GitHub for a comment and a status."""

_NOT_ALLOWED = (
    "resource not accessible",  # GitHub, a token of a workflow or an app
    "must have admin rights",
    "must have push access",
    "user should",  # Gitea and Forgejo: "user should have a permission to write to a repo"
    "must be a repo",  # likewise, other calls
    "token does not have at least one of required scope",  # likewise, a person's token
)
_NO_PERMISSION_HELPS = {
    # Before `locked`, which it contains.
    "blocked": "the owner has blocked whoever holds the token: use another token",
    "locked": 'unlock the conversation, or leave the comment out: `comment: "false"`',
    "archived": "an archived repository takes no report: unarchive it, or switch the report off",
    "saml": "authorize the token for single sign-on of the organization",
}
_LONGEST = 300
NO_ANSWER = 0
"""Status of a request without a usable response."""
_UNKNOWN, _FORBIDDEN, _MISSING, _GONE = 401, 403, 404, 410
_TOO_LARGE, _UNFIT = 413, 422


class GitHubRefusedError(OutsideError):
    """An error response of the forge; status 0 without a response."""

    def __init__(self, status: int, said: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.said = said

    @property
    def lacks_permission(self) -> bool:
        """Whether another permission of the token may help."""
        return self.status == _FORBIDDEN and not _other_reason(self.said)

    @property
    def is_about_the_token(self) -> bool:
        """Whether this token is rejected for any reason except rate limits."""
        said = self.said.lower()
        is_limited = "rate limit" in said or "abuse" in said
        return self.status in (_UNKNOWN, _FORBIDDEN, _MISSING) and not is_limited

    @property
    def knows_nothing(self) -> bool:
        """Whether the requested object does not exist."""
        return self.status in (_MISSING, _GONE)

    @property
    def is_too_long(self) -> bool:
        """Whether the request is longer than the forge accepts."""
        is_long = self.status == _UNFIT and "too long" in self.said.lower()
        return self.status == _TOO_LARGE or is_long

    @property
    def is_unreachable(self) -> bool:
        """Whether there was no response: another request would time out as well."""
        return self.status == NO_ANSWER


def unreachable(why: str, *, to: str, host: str) -> GitHubRefusedError:
    """The error for a server without a response."""
    hint = "check the network and GITHUB_API_URL"
    return GitHubRefusedError(NO_ANSWER, "", f"{to}: {host} cannot be reached: {why}", hint)


def refusal(
    status: int, headers: dict[str, str], said: str, *, to: str, host: str
) -> GitHubRefusedError:
    """The error for a response without success; `to` is the method and path of the request."""
    why = f"({status}: {said[:_LONGEST]})" if said else f"({status})"
    if is_limit(status, headers, said):
        hint = "run it again later; fewer runs at once help"
        return GitHubRefusedError(
            status, said, f"{to}: {host} has been asked too often {why}", hint
        )
    message, hint = _words(status, said, to)
    found = GitHubRefusedError(status, said, f"{to}: {message.format(host)} {why}", hint)
    if found.is_too_long:
        found.hint = "the run has all of it: its summary, and the folder of `--report`"
    return found


def _words(status: int, said: str, to: str) -> tuple[str, str]:
    if status == _FORBIDDEN:
        other = _other_reason(said)
        is_known = any(one in said.lower() for one in _NOT_ALLOWED)
        message = "the token may not do this" if is_known else "{} refuses"
        return message, other or _grant(to, is_sure=is_known)
    message, hint = _BY_STATUS.get(status) or _BY_CLASS.get(status // 100, ("{} refuses", ""))
    if status == _MISSING and (needed := _permission_for(to)):
        hint = f"{hint} and has `{needed}`"
    return message, hint


def _other_reason(said: str) -> str:
    """The fix where no permission of the token would help; empty where one may."""
    found = (hint for word, hint in _NO_PERMISSION_HELPS.items() if word in said.lower())
    return next(found, "")


def _grant(to: str, *, is_sure: bool) -> str:
    needed = _permission_for(to)
    if not needed:
        return f"add to the job: `{BLOCK}`"
    lacks = f"the token {'lacks' if is_sure else 'may lack'} `{needed}`: "
    if _is_status(to) and _is_gitea(to):
        # `contents: write` also allows pushes, which is too much for a status.
        return f'{lacks}add it to the job, or set no status: `status: "false"`, `--no-status`'
    block = "permissions: {contents: read, pull-requests: write}" if _is_gitea(to) else BLOCK
    return f"{lacks}add to the job: `{block}`"


_RESOURCE = re.compile(r"/repos/[^/]+/[^/]+/([a-z-]+)")
_NEEDED = {
    "check-runs": "checks: write",
    "issues": "pull-requests: write",  # comments on pull requests are issue comments
    "pulls": "pull-requests: read",
    "statuses": "statuses: write",
}


def _permission_for(to: str) -> str:
    """The permission that a request needs."""
    if _is_status(to) and _is_gitea(to):
        return "contents: write"
    return _NEEDED.get(_resource(to), "")


def _is_status(to: str) -> bool:
    return _resource(to) == "statuses"


def _resource(to: str) -> str:
    found = _RESOURCE.search(to)
    return found.group(1) if found else ""


def _is_gitea(to: str) -> bool:
    """Whether the API is below /api/v1 (Gitea, Forgejo); GitHub has /api/v3, or its own host."""
    return to.partition(" ")[2].startswith("/api/v1/")


_BY_STATUS = {
    _UNKNOWN: (
        "{} does not know the token",
        "pass `GITHUB_TOKEN: ${{ github.token }}`, or a token that has not expired",
    ),
    _MISSING: (
        "{} knows nothing of it",
        "check repository and number; a private repository needs a token that may see it",
    ),
    _UNFIT: ("{} refuses", "check that the pull request and its commit still exist"),
}
_BY_CLASS = {
    3: ("{} sends elsewhere", "has the repository a new name?"),
    5: ("{} fails", "run it again later"),
}
