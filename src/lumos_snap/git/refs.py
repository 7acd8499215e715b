"""Commits by name: branches, tags, `HEAD~2`; tags of releases; fetching what a clone lacks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.diff import pathspecs, without_filters
from lumos_snap.git.repository import Repository, refuse_foreign_configuration

# Fetching of contents or history that a clone lacks and a command needs.
#
# No branch and no remote-tracking ref moves: objects are requested by id. `--depth` is never used,
# because it would cut existing history.


_FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-prune",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
)


def remotes(repository: Repository) -> tuple[str, ...]:
    """Names of the remotes, `origin` first."""
    listing = process.run(repository, "remote").decode("utf-8", "surrogateescape")
    return tuple(sorted(listing.splitlines(), key=lambda name: (name != "origin", name)))


def remote_commit(repository: Repository, remote: str, name: str) -> str | None:
    """The current commit of a branch at the remote; of a tag where there is no such branch.

    None where the remote has neither, or is unreachable.
    """
    refuse_foreign_configuration(repository)
    wanted = (f"refs/heads/{name}", f"refs/tags/{name}^{{}}", f"refs/tags/{name}")
    given = process.ask(repository, "ls-remote", "--", remote, *wanted)
    if given.code and repository.shallow:
        raise process.failure("ls-remote", given.complaint)
    rows = (line.split("\t") for line in given.out.decode("utf-8", "surrogateescape").splitlines())
    found = {ref: oid for oid, ref in rows}
    return next((found[ref] for ref in wanted if ref in found), None)


def fetch_commit(repository: Repository, remote: str, commit: str) -> None:
    """Fetch a commit and its history."""
    refuse_foreign_configuration(repository)
    given = process.ask(repository, *_FETCH, "--", remote, commit)
    if given.code:
        raise OutsideError(
            f"{commit[:10]} cannot be fetched from {remote}: {given.complaint}",
            hint=f"run `git fetch {remote}`",
        )


def deepen(repository: Repository, remote: str, *, how: str, ends: Iterable[str]) -> None:
    """Deepen a shallow history."""
    refuse_foreign_configuration(repository)
    given = process.ask(repository, *_FETCH, how, "--", remote, *sorted(ends))
    if given.code:  # old servers accept only ids that their refs point to
        given = process.ask(repository, *_FETCH, how, "--", remote)
    if given.code:
        raise OutsideError(
            f"history cannot be fetched from {remote}: {given.complaint}",
            hint="run `git fetch --unshallow`, or clone with the whole history",
        )


def fetch_missing(repository: Repository, oids: Sequence[str], *, fetch: bool) -> None:
    """Fetch the objects that a partial clone lacks, all at once.

    Git itself would fetch them one by one.
    """
    missing = _missing(repository, oids) if repository.partial else ()
    if not missing:
        return
    if not fetch:
        raise OutsideError(
            f"{len(missing)} files are not in this partial clone, and fetching is off",
            hint="allow fetching, or clone without `--filter`",
        )
    _fetch_objects(repository, missing)


def _missing(repository: Repository, oids: Sequence[str]) -> tuple[str, ...]:
    listing = process.run(
        repository,
        *("rev-list", "--objects", "--no-walk", "--ignore-missing", "--missing=allow-any"),
        "--stdin",
        stdin=_lines(oids),
    )
    present = {line.split(" ")[0] for line in listing.decode("utf-8", "replace").splitlines()}
    return tuple(oid for oid in dict.fromkeys(oids) if oid not in present)


def _fetch_objects(repository: Repository, oids: Sequence[str]) -> None:
    # As in git's own on-demand fetch: commits in this clone must not count as proof that it also
    # has their files.
    options = ("-c", "fetch.negotiationAlgorithm=noop", *_FETCH, "--filter=blob:none", "--stdin")
    remote = _promisor(repository)
    refuse_foreign_configuration(repository)
    given = process.ask(repository, *options, "--", remote, stdin=_lines(oids))
    if given.code:
        raise OutsideError(
            f"{len(oids)} files of this partial clone cannot be fetched from {remote}: "
            f"{given.complaint}",
            hint="check the connection to the remote, or clone without `--filter`",
        )


def _promisor(repository: Repository) -> str:
    """The promisor remote, which has the objects that the clone left out."""
    given = process.ask(
        repository, "config", "-z", "--name-only", "--get-regexp", r"^remote\..*\.promisor$"
    )
    names = given.out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if not names:
        raise OutsideError(
            "this partial clone names no remote to fetch files from",
            hint="set `git config remote.origin.promisor true`",
        )
    return names[0].removeprefix("remote.").removesuffix(".promisor")


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


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


# Traces of releases in git: tags, here and at a remote, and release commits.


_MOST_PATHS = 200
"""Above this number, paths are not passed to git one by one."""


@dataclass(frozen=True, slots=True)
class GitTag:
    """A tag and its commit."""

    name: str
    commit: str
    object: str
    """The object of the tag: the commit, or an annotation."""


def local_tags(repository: Repository, *, merged: str = "") -> tuple[GitTag, ...]:
    """The tags of this clone; with `merged`, only those on that commit or its ancestors."""
    only = (f"--merged={merged}",) if merged else ()
    cells = "%(objectname)%00%(*objectname)%00%(refname)"
    listing = process.run(repository, "for-each-ref", *only, f"--format={cells}", "refs/tags")
    rows = (line.split("\0") for line in listing.decode("utf-8", "surrogateescape").splitlines())
    return tuple(
        GitTag(ref.removeprefix("refs/tags/"), peeled or oid, oid) for oid, peeled, ref in rows
    )


@dataclass(frozen=True, slots=True)
class RemoteRefs:
    """Current state of a remote: the commit of a branch, and tags by name."""

    branch: str | None
    tags: Mapping[str, GitTag]


def read_remote_refs(
    repository: Repository, remote: str, *, branch: str = "HEAD", prefix: str
) -> RemoteRefs:
    """Read a branch of a remote, and its tags with a prefix."""
    refuse_foreign_configuration(repository)
    asked = ("ls-remote", "--", remote, branch, f"refs/tags/{_plain(prefix)}*")
    given = process.ask(repository, *asked)
    if given.code:
        raise OutsideError(
            f"{remote} cannot be asked for its tags: {given.complaint}",
            hint="check the connection and the credentials",
        )
    rows = [line.split("\t") for line in given.out.decode("utf-8", "surrogateescape").splitlines()]
    refs = {ref: oid for oid, ref in rows}
    tags = {
        name: GitTag(name, refs.get(f"{ref}^{{}}", oid), oid)
        for ref, oid in refs.items()
        if (name := ref.removeprefix("refs/tags/")) != ref and not name.endswith("^{}")
    }
    return RemoteRefs(refs.get(branch), tags)


def _plain(prefix: str) -> str:
    """The part of a prefix without wildcards; names are checked again later."""
    for index, char in enumerate(prefix):
        if char in "*?[\\":
            return prefix[:index]
    return prefix


def is_ancestor(repository: Repository, older: str, newer: str) -> bool:
    """Whether a commit equals or precedes another one; False where one is not here."""
    given = process.ask(repository, "merge-base", "--is-ancestor", older, newer)
    return given.code == 0


def parents_of(repository: Repository, commit: str) -> tuple[str, ...]:
    """The parents of a commit; none at the boundary of a shallow clone."""
    listing = process.run(repository, "rev-list", "--parents", "--no-walk", commit, "--")
    return tuple(listing.decode("ascii").split()[1:])


def paths_of(repository: Repository, commit: str) -> tuple[str, ...]:
    """Paths that a commit changed, relative to the top."""
    arguments = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", commit)
    listing = process.run(repository, *arguments, "--")
    return tuple(listing.decode("utf-8", "surrogateescape").split("\0")[:-1])


def find_first_with(
    repository: Repository, text: str, paths: Sequence[str], *, after: str = ""
) -> str | None:
    """The oldest commit up to HEAD that added a text to files below the folder."""
    under = paths if len(paths) <= _MOST_PATHS else ("snapshots",)
    listing = process.run(
        repository,
        *("log", "--reverse", "--topo-order", "--format=%H", "--no-show-signature", "--no-notes"),
        *("--no-renames", "--no-textconv", "--no-ext-diff", f"-S{text}"),
        *(("HEAD", f"^{after}") if after else ("HEAD",)),
        *("--", *pathspecs(repository, under)),
    )
    return next(iter(listing.decode("ascii").split()), None)


def message_of(repository: Repository, name: str, commit: str) -> str:
    """The annotation of a tag, or else the message of its commit."""
    listing = process.run(repository, "for-each-ref", "--format=%(contents)", f"refs/tags/{name}")
    if not listing.strip():
        arguments = ("log", "-1", "--format=%B", "--no-show-signature", "--no-notes", commit, "--")
        listing = process.run(repository, *arguments)
    return listing.decode("utf-8", "replace")


def find_unclean(repository: Repository, under: Iterable[str]) -> Mapping[str, str]:
    """Paths below the folder that differ from HEAD, with git's two status letters."""
    arguments = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    limits = ("--ignore-submodules=dirty", "--", *pathspecs(repository, tuple(under)))
    listing = process.run(repository, *without_filters(repository), *arguments, *limits)
    lines = listing.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return {line[3:].removeprefix(repository.prefix): line[:2] for line in lines}
