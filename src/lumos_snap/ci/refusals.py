"""What GitHub's refusals mean, and what to do about them."""

from lumos_snap.ci.waiting import is_limit
from lumos_snap.errors import OutsideError

BLOCK = "permissions: {contents: read, pull-requests: write, statuses: write}"
"""What a job needs to comment and to set a status."""

_NOT_ALLOWED = ("resource not accessible", "must have admin rights", "must have push access")
_LONGEST = 300


class RefusedError(OutsideError):
    """GitHub has answered, and the answer is no."""

    def __init__(self, status: int, said: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.said = said

    @property
    def lacks_permission(self) -> bool:
        """Whether the token may not do this."""
        return self.status == 403 and any(one in self.said.lower() for one in _NOT_ALLOWED)  # noqa: PLR2004

    @property
    def knows_nothing(self) -> bool:
        """Whether what was asked for is not there."""
        return self.status in (404, 410)

    @property
    def is_too_long(self) -> bool:
        """Whether what was sent is longer than GitHub takes."""
        return self.status == 413 or (self.status == 422 and "too long" in self.said.lower())  # noqa: PLR2004


def refusal(status: int, headers: dict[str, str], said: str, *, to: str, host: str) -> RefusedError:
    """The error for an answer that is no success; `to` says what was asked for."""
    message, hint = _words(status, headers, said, host)
    return RefusedError(status, said, f"{to}: {message}", hint)


def _words(status: int, headers: dict[str, str], said: str, host: str) -> tuple[str, str]:
    why = f"({status}: {said[:_LONGEST]})" if said else f"({status})"
    if is_limit(status, headers, said):
        hint = "run it again later; fewer runs at once help"
        return f"{host} has been asked too often {why}", hint
    if RefusedError(status, said, "").lacks_permission:
        return f"the token may not do this {why}", f"add to the job: `{BLOCK}`"
    message, hint = _BY_STATUS.get(status) or _BY_CLASS.get(status // 100, ("{} refuses", ""))
    return f"{message.format(host)} {why}", hint


_BY_STATUS = {
    401: (
        "{} does not know the token",
        "pass `GITHUB_TOKEN: ${{ github.token }}`, or a token that has not expired",
    ),
    404: (
        "{} knows nothing of it",
        "check repository and number; a private repository needs a token that may see it",
    ),
}
_BY_CLASS = {
    3: ("{} sends elsewhere", "has the repository a new name?"),
    5: ("{} fails", "run it again later"),
}
