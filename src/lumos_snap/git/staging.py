"""Bringing files that git does not know into a commit, and the branch that it stands on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.commanding import done, listed, run
from lumos_snap.git.refs import current_branch
from lumos_snap.git.repository import Repository


def add(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Stage files that were written or removed; returns those that a commit can name.

    A file that git never knew, and that is gone again, is nothing to it.
    """
    known = {path for path in paths if Path(repository.file(path)).exists()}
    if len(known) < len(paths):
        tracked = _tracked(repository)
        known |= {path for path in paths if repository.top_path(path) in tracked}
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


def ignored(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the files on disk that git passes over, for `.gitignore` says so."""
    told = process.run(
        repository, "ls-files", "-z", "--full-name",
        "--others", "--ignored", "--exclude-standard",
    )  # fmt: skip
    passed = set(told.decode("utf-8", "surrogateescape").split("\0"))
    return [path for path in paths if repository.top_path(path) in passed]


def _tracked(repository: Repository) -> set[str]:
    """What git knows, as it is named from the top."""
    told = process.run(repository, "ls-files", "-z", "--full-name")
    return set(told.decode("utf-8", "surrogateescape").split("\0"))


@contextmanager
def on_branch(repository: Repository, name: str, *, stays: Callable[[], bool]) -> Iterator[None]:
    """Work on a branch, made at HEAD where there is none; go back unless it is to stay.

    A branch that one remote has is taken from there, as git itself does.
    """
    if name == "@" or name.startswith("refs/") or _is_refused(repository, name):
        raise LumosError(
            f"{name!r} cannot be the name of a branch", hint="see git-check-ref-format"
        )
    before = current_branch(repository)
    if before == name:
        yield
        return
    start = run(repository, "rev-parse", "--verify", "--quiet", "HEAD").out.strip()
    is_new = bool(start) and _is_unknown(repository, name)
    if not start:  # nothing was ever committed: a branch is no more than a name
        done(repository, "symbolic-ref", "HEAD", f"refs/heads/{name}")
    else:
        _switch(repository, *(("--create", name) if is_new else (name,)))
    try:
        yield
    finally:
        if not stays():
            _go_back(repository, before, start)
            if is_new:
                done(repository, "update-ref", "-d", f"refs/heads/{name}", start)


def _is_refused(repository: Repository, name: str) -> bool:
    return bool(run(repository, "check-ref-format", "--branch", name).code)


def _is_unknown(repository: Repository, name: str) -> bool:
    """Whether there is no such branch, neither here nor at exactly one remote."""
    if not run(repository, *_ASK, f"refs/heads/{name}").code:
        return False
    remote = run(repository, "for-each-ref", "--format=%(refname)", f"refs/remotes/*/{name}")
    return len(remote.out.split()) != 1


def _go_back(repository: Repository, before: str | None, start: str) -> None:
    if not start:
        done(repository, "symbolic-ref", "HEAD", f"refs/heads/{before}")
    else:
        _switch(repository, *((before,) if before else ("--detach", start)))


_ASK = ("show-ref", "--verify", "--quiet")


def _switch(repository: Repository, *to: str) -> None:
    """Check out a branch; files that were changed come along."""
    ended = run(repository, "switch", "--quiet", *to)
    if ended.code:
        raise OutsideError(
            f"git cannot switch to {to[-1]}: {ended.complaint}",
            hint="commit or stash what is in the way, or name another branch",
        )
