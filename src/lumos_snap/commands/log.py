"""`lumos snap log DATASET`: every change of one dataset, or of one of its columns."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lumos_snap.config.settings import Policy
from lumos_snap.diff import Action, Fact
from lumos_snap.errors import LumosError
from lumos_snap.git import Entry, Repository, open_repository
from lumos_snap.git.history import Logged, history
from lumos_snap.history.dataset_log import Past, dataset_path, steps_at
from lumos_snap.history.findings import Judged, bump, changes, judged, policy_of, versions
from lumos_snap.history.match_columns import ROOTS, columns_in
from lumos_snap.history.period import Period, period
from lumos_snap.history.renames import path_before, touches
from lumos_snap.history.versions import Documents, strictly
from lumos_snap.history.view import commit_info, ends_at, urn_at
from lumos_snap.model.field_path import format_path, parse_path
from lumos_snap.report.log import Log, LogEntry
from lumos_snap.rules.finding import Finding
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What part of a history is asked for."""

    ref: str | None = None
    since: str | None = None
    until: str | None = None
    column: str | None = None
    limit: int = 0


def log(tree: Tree, wanted: str, asked: Asked) -> Log:
    """Every change of a dataset, newest first."""
    repository = open_repository(tree.root)
    limits = period(repository, asked.since, asked.until, asked.ref or "HEAD")
    path = dataset_path(tree, repository, limits.start, wanted)
    column = None if asked.column is None else _Column(_written(asked.column), path)
    commits = _commits(repository, path, limits)
    documents = Documents(repository, strictly)
    past = Past(repository, documents, steps_at(path, commits), period=limits)
    found = _Entries(policy_of(tree), asked.limit)
    try:
        for one in judged(past):
            found.end = ends_at(repository, [one.step.commit]) or found.end
            if not found.takes(column.of(one) if column else one):
                break
    finally:
        documents.close()
    if column and not found.entries:
        column.require(tree)
    return Log(
        source=tree.label,
        urn=urn_at(path),
        path=path,
        field=column.asked if column else None,
        entries=tuple(found.entries),
        is_cut=found.is_cut,
        ends_at=found.end,
    )


@dataclass(slots=True)
class _Entries:
    """What is found, up to a limit; 0 is no limit."""

    policy: Policy
    limit: int
    entries: list[LogEntry] = field(default_factory=list)
    is_cut: bool = False
    end: str | None = None

    def takes(self, one: Judged) -> bool:
        """Add what there is to tell of a step; false where there is no room for it."""
        if one.says_something:
            if self.limit and len(self.entries) == self.limit:
                self.is_cut = True
                return False
            self.entries.append(_entry(one, one.findings(self.policy)))
        return True


def _commits(repository: Repository, path: str, limits: Period) -> tuple[Logged, ...]:
    return history(
        repository,
        (limits.start,),
        under=(path,),
        excluded=limits.excluded,
        since=limits.since,
        until=limits.until,
    )


def _entry(one: Judged, findings: Sequence[Finding]) -> LogEntry:
    schema_version, cloud_version = versions(one.document)
    return LogEntry(
        commit=commit_info(one.step.commit),
        urn=one.urn,
        renamed_from=urn_at(one.step.former) if one.step.former else None,
        schema_version=schema_version,
        cloud_version=cloud_version,
        unreadable=one.unread or None,
        bump=bump(findings),
        changes=changes(findings),
    )


def _written(path: str) -> str:
    """A field path as the model writes it."""
    try:
        return format_path(parse_path(path))
    except ValueError as exc:
        raise LumosError(str(exc), hint="a field path is like `page.url` or `items[]`") from exc


class _Column:
    """A column whose changes are asked for, under the name that it had at each version."""

    def __init__(self, path: str, dataset: str) -> None:
        self.asked = path
        self._dataset = dataset
        self._names: dict[Entry | None, str] = {}

    def of(self, one: Judged) -> Judged:
        """A step with only what it changed of the column."""
        path = self._names.pop(one.step.after, self.asked)
        self._names.update(dict.fromkeys(one.step.before, path))
        kept = []
        for entry, each in zip(one.step.before, one.differences, strict=False):
            was = path_before(each.comparison.facts, path)
            self._names[entry] = was or path
            own = tuple(fact for fact in each.own if _is_about(fact, path, was))
            kept.append(each._replace(own=own))
        return replace(one, differences=tuple(kept))

    def require(self, tree: Tree) -> None:
        """Refuse a column that there is not, and of which nothing is known."""
        content = tree.files.read(self._dataset)
        document = strictly(content) if content is not None else None
        paths = _paths(document) if isinstance(document, Mapping) else []
        if not paths or self.asked in paths:
            return
        close = difflib.get_close_matches(self.asked, paths, n=1)
        hint = f"did you mean `{close[0]}`?" if close else "`lumos snap show` lists the columns"
        raise LumosError(f"there is no column `{self.asked}` in {self._dataset}", hint=hint)


def _is_about(fact: Fact, path: str, was: str) -> bool:
    """Whether a fact is about a column; a dataset that comes or goes brings or takes its own."""
    if fact.subject != "dataset":
        return touches(fact, path, was)
    whole = fact.new or fact.old
    return fact.action is not Action.RENAMED and path in _paths(whole)


def _paths(document: Any) -> list[str]:
    """The paths of all columns."""
    return [column.path for root in ROOTS for column in columns_in(document, root)]
