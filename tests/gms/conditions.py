"""The conditions that a write may carry: headers of the proposal, as HTTP would have them."""

from datetime import datetime

from tests.gms.refusals import Refusal, Why
from tests.gms.rows import Proposal, Row

ABSENT = "-1"


def require(proposal: Proposal, row: Row | None) -> None:
    """Refuse a write whose conditions do not hold for what is stored now."""
    wanted, there = proposal.header("If-Version-Match"), ABSENT if row is None else str(row.version)
    if wanted is not None and wanted != there:
        raise _failed(proposal, f"Expected version {wanted}, actual version {there}")
    modified = None if row is None else int(row.system["aspectModified"]["time"])
    unmodified = proposal.header("If-Unmodified-Since")
    if unmodified is not None and modified is not None and modified > _millis(unmodified):
        raise _failed(proposal, f"Item last modified {modified} > {unmodified}")
    since = proposal.header("If-Modified-Since")
    if since is not None and modified is not None and modified <= _millis(since):
        raise _failed(proposal, f"Item last modified {modified} <= {since}")
    is_new = proposal.change in ("CREATE", "CREATE_ENTITY") and not is_optional(proposal)
    if is_new and row is not None:
        raise _failed(proposal, "Cannot perform CREATE: it exists already")


def is_optional(proposal: Proposal) -> bool:
    """Whether a creation gives way in silence to what is there."""
    return proposal.change == "CREATE" and proposal.header("If-None-Match") == "*"


def _failed(proposal: Proposal, message: str) -> Refusal:
    return Refusal(
        Why.PRECONDITION,
        f"Validation error for {proposal.urn} {proposal.aspect}: {message}",
    )


def _millis(text: str) -> int:
    try:
        if text.isdigit():
            return int(text)
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise Refusal(Why.INVALID, f"Text '{text}' could not be parsed") from None
