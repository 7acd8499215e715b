"""Commits by name: branches, tags, abbreviated ids, `HEAD~2`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.fetch import remotes
from lumos_snap.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, the name by which it was found, and its time (seconds since 1970)."""

    id: str
    name: str
    time: int


def resolve(repository: Repository, ref: str) -> Commit:
    """Resolve a ref to its commit, also through an annotated tag."""
    commit = look_up(repository, (ref,))[0]
    if commit is None:
        raise unknown(repository, ref)
    return commit


def current_branch(repository: Repository) -> str | None:
    """The checked-out branch, also without commits; None where HEAD is detached."""
    given = process.ask(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
    return None if given.code else given.out.decode("utf-8", "surrogateescape").strip()


def look_up(repository: Repository, refs: Sequence[str]) -> tuple[Commit | None, ...]:
    """The commits of some refs, None for unknown ones.

    The refs are passed as data, so that a leading dash is not an option.
    """
    for ref in refs:
        require_name(ref)
    questions = "".join(f"{ref}^{{commit}}\n" for ref in refs)
    stdin = questions.encode("utf-8", "surrogateescape")
    given = process.ask(repository, "cat-file", "--batch", stdin=stdin)
    if given.complaint.startswith("short object ID") and "ambiguous" in given.complaint:
        raise LumosError(given.complaint, hint="give more of its digits")
    answers = process.output(given, ("cat-file",))
    found = []
    for ref in refs:
        commit, answers = _next_commit(ref, answers)
        found.append(commit)
    return tuple(found)


def require_name(ref: str) -> None:
    """Refuse text that cannot name a commit, and would break git's input."""
    if not ref.strip() or "\n" in ref or "\0" in ref:
        raise LumosError(f"{ref!r} is not the name of a commit", hint="name a branch or a tag")


def _next_commit(ref: str, answers: bytes) -> tuple[Commit | None, bytes]:
    header, _, rest = answers.partition(b"\n")
    if header.endswith((b" missing", b" ambiguous")):
        return None, rest
    oid, _, size = header.split(b" ")
    return Commit(oid.decode(), ref, _time(rest[: int(size)])), rest[int(size) + 1 :]


def _time(content: bytes) -> int:
    """The seconds in `committer NAME <MAIL> SECONDS ZONE`; 0 where they are malformed."""
    header, _, _ = content.partition(b"\n\n")
    _, _, committer = header.partition(b"\ncommitter ")
    line, _, _ = committer.partition(b"\n")
    seconds, _, _ = line.rpartition(b"> ")[2].partition(b" ")
    return int(seconds) if seconds.isdigit() else 0


def unknown(repository: Repository, ref: str) -> LumosError:
    """The error for an unknown ref, with suggestions."""
    known = short_names(repository)
    if not known and look_up(repository, ("HEAD",)) == (None,):
        return OutsideError(
            f"{ref}: the repository has no commit yet",
            hint="commit first, or compare with nothing: `--base none`",
        )
    if ref == "HEAD":
        return OutsideError(
            "HEAD: the current branch has no commit yet",
            hint="commit first, or name another commit",
        )
    return LumosError(f"{ref}: no such branch, tag or commit", hint=_hint(repository, ref, known))


def short_names(repository: Repository) -> tuple[str, ...]:
    """All branches, remote branches and tags, by their short names."""
    listing = process.run(repository, "for-each-ref", "--format=%(refname:short)")
    return tuple(listing.decode("utf-8", "surrogateescape").splitlines())


_BRANCH = re.compile(
    r"(?![0-9a-f]{40}$)[A-Za-z0-9][\w./-]*", re.ASCII
)  # a conservative pattern of branch names


def _hint(repository: Repository, ref: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistyped name

    twins = [name for name in known if name.endswith(f"/{ref}")]
    close = " or ".join(f"`{name}`" for name in twins or get_close_matches(ref, known, n=3))
    meant = f"did you mean {close}?" if close else "`git branch --all` lists what is there"
    if not _BRANCH.fullmatch(ref):
        return meant
    for remote in remotes(repository)[:1]:
        missing = f"git fetch {remote} {ref}:refs/remotes/{remote}/{ref}"
        return f"{meant}; if {remote} has it: `{missing}`, or in CI clone with `fetch-depth: 0`"
    return meant
