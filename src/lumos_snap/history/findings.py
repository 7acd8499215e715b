"""Commits, findings and versions in the form of history reports."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical.paths import urn_of
from lumos_snap.config import CONFIG_NAME, load_config
from lumos_snap.config.settings import Policy
from lumos_snap.errors import LumosError
from lumos_snap.git import Repository
from lumos_snap.git.history import LoggedCommit
from lumos_snap.history.dataset_log import DatasetHistory, DatasetStep
from lumos_snap.history.renames import ParentDifference, differences
from lumos_snap.history.versions import Document, UnreadableVersion
from lumos_snap.json_object import JsonObject
from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.history import CommitInfo, DatasetChange
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.judge import judge
from lumos_snap.rules.messages import message
from lumos_snap.rules.policy import check
from lumos_snap.rules.rule import Level
from lumos_snap.tree import Tree
from lumos_snap.tree.files import Form


def utc_time(seconds: int) -> datetime.datetime:
    """Convert seconds to a UTC time; the epoch for values out of range."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.datetime.fromtimestamp(0, datetime.UTC)


def commit_info(commit: LoggedCommit) -> CommitInfo:
    """Build the report entry of a commit."""
    return CommitInfo(
        id=commit.id,
        author=commit.author,
        mail=commit.mail,
        date=format_time(commit.time),
        authored=format_time(commit.authored),
        subject=commit.subject,
    )


def format_time(seconds: int) -> str:
    """Format a time for reports."""
    return utc_time(seconds).isoformat().replace("+00:00", "Z")


def urn_at(path: str) -> str:
    """The urn of the dataset whose snapshot is at a path; the path itself for other files."""
    try:
        return str(urn_of(path.partition("/")[2]))
    except LumosError:
        return path


def ends_at(repository: Repository, commits: Iterable[LoggedCommit]) -> str | None:
    """The boundary commit of a shallow clone, if a history reached it."""
    if not repository.shallow:
        return None
    return next((one.id for one in commits if one.is_end), None)


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """One step: the differences from each parent, or why this version is unreadable."""

    step: DatasetStep
    urn: str
    differences: tuple[ParentDifference, ...] = ()
    document: Document | None = None
    unread: str = ""

    @property
    def says_something(self) -> bool:
        """Whether the step has anything to report."""
        return bool(self.unread) or any(one.own for one in self.differences)

    def findings(self, policy: Policy) -> tuple[Finding, ...]:
        """Findings of the step, most severe first."""
        today = utc_time(self.step.commit.time).date()
        found = []
        for one in self.differences:
            own = {id(fact) for fact in one.own}
            judgements = judge(one.comparison, policy, today) if own else ()
            found += [finding for finding in judgements if id(finding.fact) in own]
        return tuple(sorted(found, key=lambda one: -one.level))


def judge_steps(past: DatasetHistory) -> Iterator[JudgedStep]:
    """Judge all steps of a dataset's history; unreadable versions are skipped in comparisons."""
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
    """The current policy, which is applied to the past, too."""
    if (tree.root / CONFIG_NAME).is_file():
        policy = load_config(tree.root).policy
    elif tree.files.form(CONFIG_NAME) is Form.FILE:
        policy = tree.config.policy
    else:
        policy = Policy()  # a bare repository, or a commit without settings
    check(policy)
    return policy


def changes(findings: Iterable[Finding]) -> tuple[DatasetChange, ...]:
    """Convert findings for history reports."""
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
    """The version bump of several findings."""
    return BumpWord(bump_of(findings).word)


def versions(document: JsonObject | None) -> tuple[str | None, str | None]:
    """The schema version and the release that a document states."""
    stated = (document or {}).get("versioning", {})
    return stated.get("schema_version"), stated.get("cloud_version")
