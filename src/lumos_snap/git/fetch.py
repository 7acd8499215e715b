"""Fetching of contents or history that a clone lacks and a command needs.

No branch and no remote-tracking ref moves: objects are requested by id. `--depth` is never used,
because it would cut existing history.
"""

from collections.abc import Iterable, Sequence

from lumos_snap.errors import OutsideError
from lumos_snap.git import process
from lumos_snap.git.repository import Repository, refuse_foreign_configuration

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
