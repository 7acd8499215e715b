"""Traces of releases in git: tags, here and at a remote, and release commits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lumos_snap.errors import OutsideError
from lumos_snap.git import process
from lumos_snap.git.config import refuse_foreign_configuration
from lumos_snap.git.diff import without_filters
from lumos_snap.git.entries import pathspecs
from lumos_snap.git.repository import Repository

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
