"""Commands that write to a repository: commits, tags and pushes, never forced."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.refs import current_branch, remotes
from lumos_snap.git.repository import Repository
from lumos_snap.git.write_commands import run, run_checked, write_message_file, write_pathspec_file


def require_identity(repository: Repository) -> None:
    """Refuse before anything is written where git has no author or committer."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        ended = run(repository, "var", who)
        if ended.code:
            raise LumosError(
                f"git does not know who commits: {ended.complaint}",
                hint="git config user.name 'Jane Smith' && git config user.email jane@example.com",
            )


@dataclass(frozen=True, slots=True)
class PushTarget:
    """The remote branch that a push updates."""

    branch: str
    remote: str
    ref: str

    @property
    def name(self) -> str:
        """Short name, such as `origin/main`."""
        return f"{self.remote}/{self.ref.removeprefix('refs/heads/')}"


def require_branch(repository: Repository) -> str:
    """The current branch; raises where HEAD is detached."""
    branch = current_branch(repository)
    if branch is None:
        raise LumosError(
            "HEAD is detached: a commit made here would be on no branch",
            hint="`git switch main`; in CI check out the branch, not its commit",
        )
    return branch


def push_target(repository: Repository, branch: str) -> PushTarget:
    """The push target that git itself would use; otherwise the same name at the first remote."""
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
    return PushTarget(branch, remote, merged or f"refs/heads/{branch}")


def _setting(repository: Repository, name: str) -> str:
    given = process.ask(repository, "config", "--get", name)
    return given.out.decode("utf-8", "surrogateescape").strip()


@dataclass(frozen=True, slots=True)
class Author:
    """Author of a commit."""

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
    """Commit the given paths below the folder, without other staged changes; returns the id.

    Author and time default to the current user and now; `at` is in seconds.
    """
    options = ["commit", "--quiet", "--only", "--cleanup=whitespace"]
    options += [] if author is None else [f"--author={author}"]
    options += [] if at is None else [f"--date=@{at} +0000"]
    with write_message_file(message) as said, write_pathspec_file(repository, paths) as named:
        ended = run(repository, *options, said, *named)
    if ended.code:
        raise OutsideError(
            f"{what} cannot be committed: {ended.complaint or 'a hook refuses'}",
            hint=again,
        )
    return head(repository)


def head(repository: Repository) -> str:
    """The commit of HEAD."""
    return process.run(repository, "rev-parse", "HEAD").decode("ascii").strip()


def tag(repository: Repository, name: str, commit_id: str, message: str) -> str:
    """Create an annotated tag; returns the id of the tag object."""
    options = ("tag", "--annotate", "--cleanup=whitespace")
    with write_message_file(message) as said:
        ended = run(repository, *options, said, "--", name, commit_id)
    if ended.code:
        raise OutsideError(
            f"the tag {name} cannot be made: {ended.complaint}",
            hint="`git fetch --tags` shows whether somebody else has made it",
        )
    return process.run(repository, "rev-parse", f"refs/tags/{name}").decode("ascii").strip()


class PushResult(Enum):
    """Result of a push that was not finally rejected."""

    DONE = "done"
    MOVED = "moved"  # the remote has newer commits: fetch, and plan again
    BUSY = "busy"  # another push runs at the same time


_MOVED = re.compile(r"fetch first|non-fast-forward|already exists|needs force|stale info")
_BUSY = re.compile(r"lock|incorrect old value|transaction|reference already|failed to update ref")


def push(
    repository: Repository, target: PushTarget, commit_id: str | None, tags: Sequence[str]
) -> PushResult:
    """Push a commit and tags atomically."""
    refs = [f"refs/tags/{name}:refs/tags/{name}" for name in tags]
    if commit_id is not None:
        refs.insert(0, f"{commit_id}:{target.ref}")
    options = ("push", "--atomic", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")
    ended = run(repository, *options, "--", target.remote, *refs)
    if not ended.code:
        return PushResult.DONE
    reasons = [line.rpartition("\t")[2] for line in ended.out.splitlines() if line[:2] == "!\t"]
    for pattern, outcome in ((_MOVED, PushResult.MOVED), (_BUSY, PushResult.BUSY)):
        if any(pattern.search(reason) for reason in reasons):
            return outcome
    raise refusal_error(target, " ".join((ended.complaint, *reasons)))


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


def refusal_error(target: PushTarget, why: str) -> OutsideError:
    """The error of a push for which a retry is useless."""
    hint = next((hint for words, hint in _HINTS.items() if re.search(words, why)), "")
    again = "the release stays here: run the same command again when this is mended"
    return OutsideError(
        f"{target.name} refuses the release: {why.strip()}",
        hint=f"{hint}; {again}" if hint else again,
    )


def fetch_branch(repository: Repository, target: PushTarget) -> str:
    """Fetch the target branch; returns its commit. No local branch moves."""
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
    """Delete a local tag if it still has the given object."""
    run_checked(repository, "update-ref", "-d", f"refs/tags/{name}", object_id)


def drop_commit(
    repository: Repository, branch: str, commit_id: str, parent: str, paths: Sequence[str]
) -> None:
    """Remove the newest commit from a branch, and restore its paths.

    Other files stay unchanged, and so does their staged state.
    """
    reason = "lumos: the release starts over"
    run_checked(repository, "update-ref", "-m", reason, f"refs/heads/{branch}", parent, commit_id)
    with write_pathspec_file(repository, paths) as named:
        run_checked(repository, "restore", f"--source={parent}", "--staged", "--worktree", *named)


def fast_forward(repository: Repository, commit_id: str) -> None:
    """Fast-forward the checked-out branch to a commit."""
    ended = run(repository, "merge", "--ff-only", "--quiet", "--no-stat", commit_id)
    if ended.code:
        raise OutsideError(
            f"this clone cannot move on to {commit_id[:10]}: {ended.complaint}",
            hint="commit or stash what is in the way, then run the same command again",
        )


def add(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Stage written or removed files; returns those that can be committed.

    A removed file that was never tracked is left out.
    """
    known = {path for path in paths if Path(repository.file(path)).exists()}
    if len(known) < len(paths):
        tracked = _list_tracked(repository)
        known |= {path for path in paths if repository.top_path(path) in tracked}
    if not known:
        return []
    with write_pathspec_file(repository, sorted(known)) as named:
        ended = run(repository, "add", "--all", *named)
    if ended.code:
        raise OutsideError(
            f"git does not take what was written: {ended.complaint}",
            hint="look at .gitignore and at `git status`",
        )
    return sorted(known)


def find_ignored(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the files on disk that `.gitignore` excludes."""
    told = process.run(
        repository, "ls-files", "-z", "--full-name",
        "--others", "--ignored", "--exclude-standard",
    )  # fmt: skip
    passed = set(told.decode("utf-8", "surrogateescape").split("\0"))
    return [path for path in paths if repository.top_path(path) in passed]


def find_unignored_folder(repository: Repository, folder: Path) -> str | None:
    """The path in the work tree of a folder whose files `git add` would take; otherwise None."""
    if repository.work_tree is None:
        return None
    top = os.path.realpath(repository.work_tree)
    path = os.path.relpath(os.path.realpath(folder), top)
    if path == os.curdir or Path(path).parts[0] == os.pardir:
        return None
    untracked = process.run(
        repository, "ls-files", "--others", "--exclude-standard",
        "--directory", "--no-empty-directory", "--", f"{top}/{path}",
    )  # fmt: skip
    return path if untracked else None


def _list_tracked(repository: Repository) -> set[str]:
    """Paths in the index, relative to the top."""
    told = process.run(repository, "ls-files", "-z", "--full-name")
    return set(told.decode("utf-8", "surrogateescape").split("\0"))


@contextmanager
def on_branch(repository: Repository, name: str, *, stays: Callable[[], bool]) -> Iterator[None]:
    """Switch to a branch, created at HEAD if missing; switch back unless `stays()`.

    A branch that exactly one remote has is created from there, as git itself does.
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
    if not start:  # without commits, a branch is only a name
        run_checked(repository, "symbolic-ref", "HEAD", f"refs/heads/{name}")
    else:
        _switch(repository, *(("--create", name) if is_new else (name,)))
    try:
        yield
    finally:
        if not stays():
            _go_back(repository, before, start)
            if is_new:
                run_checked(repository, "update-ref", "-d", f"refs/heads/{name}", start)


def _is_refused(repository: Repository, name: str) -> bool:
    return bool(run(repository, "check-ref-format", "--branch", name).code)


def _is_unknown(repository: Repository, name: str) -> bool:
    """Whether a branch exists neither locally nor at exactly one remote."""
    if not run(repository, *_ASK, f"refs/heads/{name}").code:
        return False
    remote = run(repository, "for-each-ref", "--format=%(refname)", f"refs/remotes/*/{name}")
    return len(remote.out.split()) != 1


def _go_back(repository: Repository, before: str | None, start: str) -> None:
    if not start:
        run_checked(repository, "symbolic-ref", "HEAD", f"refs/heads/{before}")
    else:
        _switch(repository, *((before,) if before else ("--detach", start)))


_ASK = ("show-ref", "--verify", "--quiet")


def _switch(repository: Repository, *to: str) -> None:
    """Check out a branch; changed files are carried over."""
    ended = run(repository, "switch", "--quiet", *to)
    if ended.code:
        raise OutsideError(
            f"git cannot switch to {to[-1]}: {ended.complaint}",
            hint="commit or stash what is in the way, or name another branch",
        )
