"""Bringing files that git does not know into a commit, and the branch that it stands on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.commanding import done, listed, run
from lumos_snap.git.refs import current_branch
from lumos_snap.git.repository import Repository


def add(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Stage files that were written or removed; returns those that a commit can name.

    A file that git never knew, and that is gone again, is nothing to it.
    """
    known = {path for path in paths if (repository.folder / path).exists()}
    if len(known) < len(paths):
        known |= _tracked(repository) & set(paths)
    if not known:
        return []
    with listed(repository, sorted(known)) as named:
        ended = run(repository, "add", "--all", *named)
    if ended.code:
        raise OutsideError(
            f"git does not take what was written: {ended.complaint}",
            hint="look at .gitignore and at `git status`",
        )
    return sorted(known)


def uncommitted(repository: Repository, paths: Sequence[str]) -> set[str]:
    """Of some files, those that are not as the checked-out commit has them."""
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    told = process.run(repository.folder, "status", *options)
    dirty = {entry[3:] for entry in told.decode("utf-8", "surrogateescape").split("\0")}
    return {path for path in paths if repository.top_path(path) in dirty}


def _tracked(repository: Repository) -> set[str]:
    """What git knows below the folder."""
    told = process.run(repository.folder, "ls-files", "-z")
    return set(told.decode("utf-8", "surrogateescape").split("\0"))


@contextmanager
def on_branch(repository: Repository, name: str, *, stays: Callable[[], bool]) -> Iterator[None]:
    """Work on a branch, made at HEAD where there is none; go back unless it is to stay."""
    if run(repository, "check-ref-format", "--branch", name).code:
        raise LumosError(
            f"{name!r} cannot be the name of a branch", hint="see git-check-ref-format"
        )
    before = current_branch(repository)
    if before == name:
        yield
        return
    start = run(repository, "rev-parse", "--verify", "--quiet", "HEAD").out.strip()
    if not start:  # nothing was ever committed: a branch is no more than a name
        done(repository, "symbolic-ref", "HEAD", f"refs/heads/{name}")
        yield
        return
    is_new = bool(run(repository, *_ASK, f"refs/heads/{name}").code)
    _switch(repository, *(("--create", name) if is_new else (name,)))
    try:
        yield
    finally:
        if not stays():
            _switch(repository, *((before,) if before else ("--detach", start)))
            if is_new:
                done(repository, "update-ref", "-d", f"refs/heads/{name}", start)


_ASK = ("show-ref", "--verify", "--quiet")


def _switch(repository: Repository, *to: str) -> None:
    """Check out a branch; files that were changed come along."""
    ended = run(repository, "switch", "--quiet", *to)
    if ended.code:
        raise OutsideError(
            f"git cannot switch to {to[-1]}: {ended.complaint}",
            hint="commit or stash what is in the way, or name another branch",
        )
