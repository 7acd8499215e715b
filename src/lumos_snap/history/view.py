"""Commits and datasets, as reports about history have them."""

import datetime
from collections.abc import Iterable

from lumos_snap.canonical.paths import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository
from lumos_snap.git.history import Logged
from lumos_snap.report.blame import CommitInfo


def moment(seconds: int) -> datetime.datetime:
    """A time in UTC; of what no calendar holds, the first one."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.datetime.fromtimestamp(0, datetime.UTC)


def commit_info(commit: Logged) -> CommitInfo:
    """A commit as reports have it."""
    return CommitInfo(
        id=commit.id,
        author=commit.author,
        mail=commit.mail,
        date=written(commit.time),
        authored=written(commit.authored),
        subject=commit.subject,
    )


def written(seconds: int) -> str:
    """A time as reports have it."""
    return moment(seconds).isoformat().replace("+00:00", "Z")


def urn_at(path: str) -> str:
    """The urn of the dataset whose snapshot lies at a path; the path itself where there is none."""
    try:
        return str(urn_of(path.partition("/")[2]))
    except LumosError:
        return path


def ends_at(repository: Repository, commits: Iterable[Logged]) -> str | None:
    """The commit before which a shallow clone knows nothing, if a history came that far."""
    if not repository.shallow:
        return None
    return next((one.id for one in commits if one.is_end), None)
