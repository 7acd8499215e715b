"""The commits that changed files, newest first, with the changes of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.git import process
from lumos_snap.git.diff import NO_MODE, GitEntry, pathspecs, records
from lumos_snap.git.repository import Repository


class TouchedFile(NamedTuple):
    """A file that a commit changed; `before` has one side for each parent of a merge."""

    path: str
    before: tuple[GitEntry | None, ...]
    after: GitEntry | None

    @property
    def is_new(self) -> bool:
        """Whether no parent has the file."""
        return self.after is not None and not any(self.before)


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit of a history; times are in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    author: str
    mail: str
    authored: int
    time: int
    """Time of the commit, at which its change entered this history."""
    subject: str
    touched: tuple[TouchedFile, ...]
    is_end: bool
    """Whether a shallow clone ends here: what came before is unknown, so nothing counts as new."""


def history(
    repository: Repository,
    starts: Sequence[str],
    *,
    under: Sequence[str] = (),
    excluded: Sequence[str] = (),
    since: str = "",
    until: str = "",
) -> tuple[LoggedCommit, ...]:
    """The commits that changed files below the folder, newest first.

    A merge is included only with the files that differ from those of all its parents: other changes
    belong to the commits that made them. A commit never precedes its descendants, whatever its
    clock. `since` and `until` are dates as git understands them.
    """
    if not starts:
        return ()
    dates = (*((f"--since={since}",) if since else ()), *((f"--until={until}",) if until else ()))
    commits = (*starts, *(f"^{one}" for one in excluded))
    limits = ("--", *pathspecs(repository, under))
    listing = process.run(repository, "log", *_OPTIONS, *dates, *commits, *limits)
    return tuple(one for one in _commits(repository, records(listing)) if one.touched)


_FIELDS = 7
# All options that a user may have configured for `git log` are set explicitly.
_OPTIONS = (
    *("--raw", "-z", "--no-abbrev", "--no-renames", "--root", "--date-order", "--no-color"),
    *("--diff-merges=combined", "--no-show-signature", "--no-relative", "--no-notes"),
    *("--encoding=UTF-8", "--ignore-submodules=dirty", "-O/dev/null"),
    "--format=" + "%x00".join(("%H", "%P", "%aN", "%aE", "%at", "%ct", "%s", "")),
)


def _commits(repository: Repository, parts: Sequence[str]) -> Iterator[LoggedCommit]:
    ends, at = repository.boundary, 0
    while at < len(parts):
        oid, parents, author, mail, authored, time, subject = parts[at : at + _FIELDS]
        touched, at = _parse_touched(repository, parts, at + _FIELDS)
        yield LoggedCommit(
            id=oid,
            parents=tuple(parents.split()),
            author=author,
            mail=mail,
            authored=_seconds(authored),
            time=_seconds(time),
            subject=subject,
            touched=touched,
            is_end=oid in ends,
        )


def _parse_touched(
    repository: Repository, parts: Sequence[str], at: int
) -> tuple[tuple[TouchedFile, ...], int]:
    """Parse the files of a commit; also returns the index of the next commit."""
    found = []
    while at < len(parts):
        about = parts[at].lstrip("\n")
        if about[:1] == ":":
            found.append(_file(parts[at + 1].removeprefix(repository.prefix), about))
            at += 2
        elif about:
            break
        else:
            at += 1  # separator between a commit and its files
    return tuple(one for one in found if any(side != one.after for side in one.before)), at


def _file(path: str, about: str) -> TouchedFile:
    """Parse `:MODE MODE OID OID STATUS`, with a colon, a mode and an id for each parent."""
    parents = len(about) - len(about.lstrip(":"))
    words = about[parents:].split(" ")
    sides = [
        None if mode == NO_MODE else GitEntry(mode, oid)
        for mode, oid in zip(words[: parents + 1], words[parents + 1 :], strict=False)
    ]
    return TouchedFile(path, tuple(sides[:-1]), sides[-1])


def _seconds(text: str) -> int:
    """Parse seconds since 1970; 0 where the value is malformed."""
    return int(text) if text.lstrip("-").isdigit() else 0
