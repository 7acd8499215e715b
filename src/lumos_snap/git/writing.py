"""What writes to a repository: commits, tags and pushes. Nothing here ever forces anything.

Git runs through GitPython's command interface, which works in every object format; its own
hooks, signing and identity hold as if a person had typed the commands.
"""

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.fetch import remotes
from lumos_snap.git.refs import current_branch
from lumos_snap.git.repository import Repository

# As for what reads, but a writer is who the environment says, and signs as it says.
_KEPT = (
    *("GIT_CONFIG_", "GIT_TRACE", "GIT_TEST_", "GIT_EXEC_PATH", "GIT_AUTHOR_", "GIT_COMMITTER_"),
    *("GIT_SSH", "GIT_ASKPASS", "GIT_HTTP_", "GIT_SSL_", "GIT_PROXY_", "GIT_ALLOW_PROTOCOL"),
    *("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_PYTHON_"),
)
_FORCED = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_GRAFT_FILE": os.devnull}
_OPTIONS = (
    *("--no-pager", "--literal-pathspecs", "--no-replace-objects"),
    *("-c", "core.fsmonitor=false", "-c", "color.ui=false"),
    # Housekeeping in the background would race with the next step, and outlive the command.
    *("-c", "maintenance.auto=false"),
)


class _Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """What git says is wrong; the remote's own words where it has some."""
        remote = [
            line.removeprefix("remote:").strip()
            for line in self.err.splitlines()
            if line.startswith("remote:")
        ]
        said = "; ".join(line for line in remote if line)
        return said[:300] or process.complaint(self.err.encode("utf-8", "surrogateescape"))


def _git(repository: Repository, *arguments: str) -> _Ended:
    """Run a git command that writes, in a clean environment and never in a shell."""
    from git.cmd import Git  # noqa: PLC0415 - slow to load, and only what writes needs it

    outer = os.environ  # noqa: TID251 - what a hook or a caller set for another repository is dropped
    foreign = [name for name in outer if name.startswith("GIT_") and not name.startswith(_KEPT)]
    # GitPython hands its whole environment on: only a program in between can take from it.
    without = ("env", *(part for name in foreign for part in ("-u", name))) if foreign else ()
    ended = Git(repository.folder).execute(
        [*without, "git", *_OPTIONS, *arguments],
        with_extended_output=True,
        with_exceptions=False,
        shell=False,
        env=_FORCED,
    )
    assert isinstance(ended, tuple)  # noqa: S101 - what extended output is
    code, out, err = ended
    return _Ended(code, str(out), err)


def _done(repository: Repository, *arguments: str) -> str:
    ended = _git(repository, *arguments)
    if ended.code:
        raise process.failure(arguments[0], ended.complaint)
    return ended.out.strip()


def require_identity(repository: Repository) -> None:
    """Refuse where git does not know who commits: before anything is written."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        ended = _git(repository, "var", who)
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
            "HEAD is detached: a release made here would be on no branch",
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
    given = process.ask(repository.folder, "config", "--get", name)
    return given.out.decode("utf-8", "surrogateescape").strip()


def commit(repository: Repository, paths: Sequence[str], message: str) -> str:
    """Commit some paths below the folder, and nothing else that may be staged; returns the id."""
    with tempfile.TemporaryDirectory(prefix="lumos-") as folder:
        ended = _git(
            repository,
            *("commit", "--quiet", "--only", "--cleanup=whitespace"),
            f"--file={_file(folder, 'message', message)}",
            f"--pathspec-from-file={_listed(repository, folder, paths)}",
            "--pathspec-file-nul",
        )
    if ended.code:
        raise OutsideError(
            f"the release cannot be committed: {ended.complaint or 'a hook refuses'}",
            hint="its files are written: mend this, then run the same command again",
        )
    return head(repository)


def head(repository: Repository) -> str:
    """The commit that is checked out."""
    return process.run(repository.folder, "rev-parse", "HEAD").decode("ascii").strip()


def tag(repository: Repository, name: str, commit_id: str, message: str) -> str:
    """Make an annotated tag; returns its own id."""
    with tempfile.TemporaryDirectory(prefix="lumos-") as folder:
        ended = _git(
            repository,
            *("tag", "--annotate", "--cleanup=whitespace"),
            f"--file={_file(folder, 'message', message)}",
            *("--", name, commit_id),
        )
    if ended.code:
        raise OutsideError(
            f"the tag {name} cannot be made: {ended.complaint}",
            hint="`git fetch --tags` shows whether somebody else has made it",
        )
    return process.run(repository.folder, "rev-parse", f"refs/tags/{name}").decode("ascii").strip()


def _file(folder: str, name: str, text: str) -> str:
    path = Path(folder) / name
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
    return str(path)


def _listed(repository: Repository, folder: str, paths: Sequence[str]) -> str:
    path = Path(folder) / "paths"
    text = "".join(f"{repository.top_path(one)}\0" for one in paths)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(path)


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
    ended = _git(repository, *options, "--", target.remote, *refs)
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
    ended = _git(
        repository,
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"),
        *("--", target.remote, target.ref),
    )
    if ended.code:
        raise OutsideError(
            f"{target.name} cannot be fetched: {ended.complaint}", hint="check the connection"
        )
    return process.run(repository.folder, "rev-parse", "FETCH_HEAD").decode("ascii").strip()


def drop_tag(repository: Repository, name: str, object_id: str) -> None:
    """Remove a tag of this clone, if it still is what it was."""
    _done(repository, "update-ref", "-d", f"refs/tags/{name}", object_id)


def drop_commit(
    repository: Repository, branch: str, commit_id: str, parent: str, paths: Sequence[str]
) -> None:
    """Take the newest commit off a branch, and its paths back to what they were before it.

    Everything else stays: other files, and what is staged of them.
    """
    reason = "lumos: the release starts over"
    _done(repository, "update-ref", "-m", reason, f"refs/heads/{branch}", parent, commit_id)
    with tempfile.TemporaryDirectory(prefix="lumos-") as folder:
        _done(
            repository,
            *("restore", f"--source={parent}", "--staged", "--worktree"),
            f"--pathspec-from-file={_listed(repository, folder, paths)}",
            "--pathspec-file-nul",
        )


def fast_forward(repository: Repository, commit_id: str) -> None:
    """Move the branch that is checked out to a commit that builds on it."""
    ended = _git(repository, "merge", "--ff-only", "--quiet", "--no-stat", commit_id)
    if ended.code:
        raise OutsideError(
            f"this clone cannot move on to {commit_id[:10]}: {ended.complaint}",
            hint="commit or stash what is in the way, then run the same command again",
        )
