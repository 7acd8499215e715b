"""One file committed to a branch through GitHub's API: no git runs, and no clone is pushed.

The branch moves only from the commit that was judged, so nothing that was pushed meanwhile is lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from lumos_snap.ci.github import home_of
from lumos_snap.ci.github_client import Exchange
from lumos_snap.errors import OutsideError

_BOT = "github-actions[bot]"
_BOT_NUMBER = 41898282


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A commit to be made."""

    branch: str
    parent: str
    path: str
    """From the top of the repository."""
    content: str
    message: str
    login: str
    """The author."""
    user: int


def commit_file(exchange: Exchange, repository: str, draft: Draft) -> str:
    """Add a file to a branch; returns the commit."""
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


def _person(exchange: Exchange, login: str, number: int) -> Mapping[str, str]:
    """A person as GitHub names them where they keep their address to themselves."""
    host = urlsplit(exchange.host.server).hostname or "github.com"
    return {"name": login, "email": f"{number}+{login}@users.noreply.{host}"}


def _sha(found: Any, *steps: str) -> str:
    for step in (*steps, "sha"):
        found = found.get(step) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        hint = "check GITHUB_API_URL: is something else in between?"
        raise OutsideError("the server does not answer as GitHub does", hint=hint)
    return found
