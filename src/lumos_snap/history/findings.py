"""Commits and datasets, as reports about history have them."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.paths import urn_of
from lumos_snap.config import CONFIG_NAME, load_config
from lumos_snap.config.settings import Policy
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository
from lumos_snap.git.history import LoggedCommit
from lumos_snap.history.dataset_log import DatasetHistory, DatasetStep
from lumos_snap.history.renames import ParentDifference, differences
from lumos_snap.history.versions import Document, UnreadableVersion
from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.history import CommitInfo, DatasetChange
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.judge import judge
from lumos_snap.rules.messages import message
from lumos_snap.rules.policy import check
from lumos_snap.rules.severity import Level
from lumos_snap.tree import Tree
from lumos_snap.tree.path_kinds import Form


def utc_time(seconds: int) -> datetime.datetime:
    """A time in UTC; of what no calendar holds, the first one."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.datetime.fromtimestamp(0, datetime.UTC)


def commit_info(commit: LoggedCommit) -> CommitInfo:
    """A commit as reports have it."""
    return CommitInfo(
        id=commit.id,
        author=commit.author,
        mail=commit.mail,
        date=format_time(commit.time),
        authored=format_time(commit.authored),
        subject=commit.subject,
    )


def format_time(seconds: int) -> str:
    """A time as reports have it."""
    return utc_time(seconds).isoformat().replace("+00:00", "Z")


def urn_at(path: str) -> str:
    """The urn of the dataset whose snapshot lies at a path; the path itself where there is none."""
    try:
        return str(urn_of(path.partition("/")[2]))
    except LumosError:
        return path


def ends_at(repository: Repository, commits: Iterable[LoggedCommit]) -> str | None:
    """The commit before which a shallow clone knows nothing, if a history came that far."""
    if not repository.shallow:
        return None
    return next((one.id for one in commits if one.is_end), None)


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """One step: what differs from each side before it, or why this version cannot be read."""

    step: DatasetStep
    urn: str
    differences: tuple[ParentDifference, ...] = ()
    document: Document | None = None
    unread: str = ""

    @property
    def says_something(self) -> bool:
        """Whether there is anything to tell of it."""
        return bool(self.unread) or any(one.own for one in self.differences)

    def findings(self, policy: Policy) -> tuple[Finding, ...]:
        """What the step means, the gravest first."""
        today = utc_time(self.step.commit.time).date()
        found = []
        for one in self.differences:
            own = {id(fact) for fact in one.own}
            judgements = judge(one.comparison, policy, today) if own else ()
            found += [finding for finding in judgements if id(finding.fact) in own]
        return tuple(sorted(found, key=lambda one: -one.level))


def judge_steps(past: DatasetHistory) -> Iterator[JudgedStep]:
    """Every step of a past; a version that cannot be read is compared across."""
    for index, step in past:
        urn = urn_at(step.path)
        side = past.documents.of(step.after)
        if isinstance(side, UnreadableVersion):
            yield JudgedStep(step, urn, unread=side.why)
        elif step.commit.is_end:
            yield JudgedStep(step, urn, document=side)
        else:
            olds = [past.readable(entry, index) for entry in step.before]
            yield JudgedStep(step, urn, differences(urn, olds, side), side)


def policy_of(tree: Tree) -> Policy:
    """What a team has decided as of now: the past is judged by that too."""
    if (tree.root / CONFIG_NAME).is_file():
        policy = load_config(tree.root).policy
    elif tree.files.form(CONFIG_NAME) is Form.FILE:
        policy = tree.config.policy
    else:
        policy = Policy()  # a bare repository, as of a commit without settings
    check(policy)
    return policy


def changes(findings: Iterable[Finding]) -> tuple[DatasetChange, ...]:
    """Findings as reports about history have them."""
    return tuple(
        DatasetChange(
            rule=one.rule.id,
            slug=one.rule.slug,
            level=LevelWord(one.level.word),
            silent=one.level is Level.SILENT,
            bump=BumpWord(one.bump.word),
            field=one.told.path or None,
            message=message(one.rule.message, one.told),
            fix=one.rule.fix,
        )
        for one in findings
    )


def bump(findings: Iterable[Finding]) -> BumpWord:
    """The step that findings take together."""
    return BumpWord(bump_of(findings).word)


def versions(document: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """The version of a dataset, and the release, as a document states them."""
    stated = (document or {}).get("versioning", {})
    return stated.get("schema_version"), stated.get("cloud_version")
