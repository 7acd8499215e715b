"""Bringing files that git does not know into a commit, and the branch that it stands on."""

from collections.abc import Sequence

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git.commanding import listed, run
from lumos_snap.git.refs import current_branch
from lumos_snap.git.repository import Repository


def add(repository: Repository, paths: Sequence[str]) -> None:
    """Tell git of files that were written or removed, so that a commit can name them."""
    with listed(repository, paths) as named:
        ended = run(repository, "add", "--all", *named)
    if ended.code:
        raise OutsideError(
            f"git does not take what was written: {ended.complaint}",
            hint="look at .gitignore and at `git status`",
        )


def require_branch_name(repository: Repository, name: str) -> None:
    """Refuse what cannot be the name of a branch."""
    if run(repository, "check-ref-format", "--branch", name).code:
        raise LumosError(
            f"{name!r} cannot be the name of a branch", hint="see git-check-ref-format"
        )


def switch(repository: Repository, name: str) -> None:
    """Check out a branch, made here where there is none; files that were changed come along."""
    if current_branch(repository) == name:
        return
    known = not run(repository, "show-ref", "--verify", "--quiet", f"refs/heads/{name}").code
    options = ("switch", "--quiet", *(() if known else ("--create",)))
    ended = run(repository, *options, name)
    if ended.code:
        raise OutsideError(
            f"git cannot switch to {name}: {ended.complaint}",
            hint="commit or stash what is in the way, or name another branch",
        )
