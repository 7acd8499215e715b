"""What writes to a repository: commits, tags and pushes. Nothing here ever forces anything."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.commanding import done, listed, run, told
from lumos_snap.git.fetch import remotes
from lumos_snap.git.refs import current_branch
from lumos_snap.git.repository import Repository


def require_identity(repository: Repository) -> None:
    """Refuse where git does not know who commits: before anything is written."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        ended = run(repository, "var", who)
        if ended.code:
            raise LumosError(
                f"git does not know who commits: {ended.complaint}",
                hint="git config user.name 'Jane Smith' && git config user.email jane@example.com",
            )


@dataclass(frozen=True, slots=True)
class Target:
    """Where a branch is pushed to."""

    branch: str
    remote: str
    ref: str

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.remote}/{self.ref.removeprefix('refs/heads/')}"


def require_branch(repository: Repository) -> str:
    """The branch that a commit will stand on."""
    branch = current_branch(repository)
    if branch is None:
        raise LumosError(
            "HEAD is detached: a commit made here would be on no branch",
            hint="`git switch main`; in CI check out the branch, not its commit",
        )
    return branch


def push_target(repository: Repository, branch: str) -> Target:
    """Where git itself would push a branch to; its own name at the first remote otherwise."""
    known = remotes(repository)
    tracked = _setting(repository, f"branch.{branch}.remote")
    candidates = (
        _setting(repository, f"branch.{branch}.pushRemote"),
        _setting(repository, "remote.pushDefault"),
        tracked,
        *known,
    )
    remote = next((one for one in candidates if one and one != "."), None)
    if remote is None:
        raise LumosError("there is no remote to push to", hint="git remote add origin URL")
    merged = _setting(repository, f"branch.{branch}.merge") if remote == tracked else ""
    return Target(branch, remote, merged or f"refs/heads/{branch}")


def _setting(repository: Repository, name: str) -> str:
    given = process.ask(repository, "config", "--get", name)
    return given.out.decode("utf-8", "surrogateescape").strip()


@dataclass(frozen=True, slots=True)
class Author:
    """In whose name a commit is made."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def commit(
    repository: Repository,
    paths: Sequence[str],
    message: str,
    *,
    what: str = "the release",
    again: str = "its files are written: mend this, then run the same command again",
    author: Author | None = None,
    at: int | None = None,
) -> str:
    """Commit some paths below the folder, and nothing else that may be staged; returns the id.

    The author is who runs this, and the time is now, unless others are given: `at` in seconds.
    """
    options = ["commit", "--quiet", "--only", "--cleanup=whitespace"]
    options += [] if author is None else [f"--author={author}"]
    options += [] if at is None else [f"--date=@{at} +0000"]
    with told(message) as said, listed(repository, paths) as named:
        ended = run(repository, *options, said, *named)
    if ended.code:
        raise OutsideError(
            f"{what} cannot be committed: {ended.complaint or 'a hook refuses'}",
            hint=again,
        )
    return head(repository)


def head(repository: Repository) -> str:
    """The commit that is checked out."""
    return process.run(repository, "rev-parse", "HEAD").decode("ascii").strip()


def tag(repository: Repository, name: str, commit_id: str, message: str) -> str:
    """Make an annotated tag; returns its own id."""
    options = ("tag", "--annotate", "--cleanup=whitespace")
    with told(message) as said:
        ended = run(repository, *options, said, "--", name, commit_id)
    if ended.code:
        raise OutsideError(
            f"the tag {name} cannot be made: {ended.complaint}",
            hint="`git fetch --tags` shows whether somebody else has made it",
        )
    return process.run(repository, "rev-parse", f"refs/tags/{name}").decode("ascii").strip()


class Pushed(Enum):
    """How a push ended that was not refused for good."""

    DONE = "done"
    MOVED = "moved"  # the remote has what is not here: fetch, and look again
    BUSY = "busy"  # somebody else pushes at the same moment


_MOVED = re.compile(r"fetch first|non-fast-forward|already exists|needs force|stale info")
_BUSY = re.compile(r"lock|incorrect old value|transaction|reference already|failed to update ref")


def push(
    repository: Repository, target: Target, commit_id: str | None, tags: Sequence[str]
) -> Pushed:
    """Push a commit and tags together: all of them arrive, or none does."""
    refs = [f"refs/tags/{name}:refs/tags/{name}" for name in tags]
    if commit_id is not None:
        refs.insert(0, f"{commit_id}:{target.ref}")
    options = ("push", "--atomic", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")
    ended = run(repository, *options, "--", target.remote, *refs)
    if not ended.code:
        return Pushed.DONE
    reasons = [line.rpartition("\t")[2] for line in ended.out.splitlines() if line[:2] == "!\t"]
    for pattern, outcome in ((_MOVED, Pushed.MOVED), (_BUSY, Pushed.BUSY)):
        if any(pattern.search(reason) for reason in reasons):
            return outcome
    raise refused(target, " ".join((ended.complaint, *reasons)))


_HINTS: Mapping[str, str] = {
    r"protected branch|GH006|GL-|not allowed to push": (
        "the branch is protected: let this account push to it, or run the release where it may"
    ),
    r"ermission|denied|403|401|uthentication|could not read Username|credentials": (
        "check the credentials, and that they may push"
    ),
    r"not support --atomic": "a release needs a server that takes commit and tag together",
    r"resolve host|unable to access|Could not read from remote|does not appear to be": (
        "check the remote's address and the connection"
    ),
}


def refused(target: Target, why: str) -> OutsideError:
    """The error of a push that will not work by itself."""
    hint = next((hint for words, hint in _HINTS.items() if re.search(words, why)), "")
    again = "the release stays here: run the same command again when this is mended"
    return OutsideError(
        f"{target.name} refuses the release: {why.strip()}",
        hint=f"{hint}; {again}" if hint else again,
    )


def fetch_branch(repository: Repository, target: Target) -> str:
    """Fetch the branch that is pushed to; returns its commit. No branch of this clone moves."""
    ended = run(
        repository,
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"),
        *("--", target.remote, target.ref),
    )
    if ended.code:
        raise OutsideError(
            f"{target.name} cannot be fetched: {ended.complaint}", hint="check the connection"
        )
    return process.run(repository, "rev-parse", "FETCH_HEAD").decode("ascii").strip()


def drop_tag(repository: Repository, name: str, object_id: str) -> None:
    """Remove a tag of this clone, if it still is what it was."""
    done(repository, "update-ref", "-d", f"refs/tags/{name}", object_id)


def drop_commit(
    repository: Repository, branch: str, commit_id: str, parent: str, paths: Sequence[str]
) -> None:
    """Take the newest commit off a branch, and its paths back to what they were before it.

    Everything else stays: other files, and what is staged of them.
    """
    reason = "lumos: the release starts over"
    done(repository, "update-ref", "-m", reason, f"refs/heads/{branch}", parent, commit_id)
    with listed(repository, paths) as named:
        done(repository, "restore", f"--source={parent}", "--staged", "--worktree", *named)


def fast_forward(repository: Repository, commit_id: str) -> None:
    """Move the branch that is checked out to a commit that builds on it."""
    ended = run(repository, "merge", "--ff-only", "--quiet", "--no-stat", commit_id)
    if ended.code:
        raise OutsideError(
            f"this clone cannot move on to {commit_id[:10]}: {ended.complaint}",
            hint="commit or stash what is in the way, then run the same command again",
        )
