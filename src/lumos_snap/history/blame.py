"""Blame: the commits that introduced and last changed each column.

Versions are walked from newest to oldest. An open column moves from a version to the parent that
has it unchanged; where no parent does, the commit is found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.git import GitEntry
from lumos_snap.git.history import LoggedCommit
from lumos_snap.history.column_changes import (
    BROKEN,
    HistoryColumn,
    OpenColumn,
    Root,
    is_alike,
    trace_columns,
)
from lumos_snap.history.dataset_log import DatasetHistory, DatasetStep
from lumos_snap.history.versions import Document, Side


class HistoryPoint(NamedTuple):
    """A point in a history: a commit, or None for uncommitted changes."""

    commit: LoggedCommit | None


UNCOMMITTED = HistoryPoint(None)


@dataclass(slots=True)
class ColumnOrigin:
    """The result for one column."""

    first_path: str
    since: HistoryPoint | None = None
    first: HistoryPoint | None = None


@dataclass(slots=True)
class _Group:
    """Open columns, with the last readable version and its commit."""

    document: Document
    columns: list[OpenColumn]
    mark: HistoryPoint = UNCOMMITTED


_ChangedEntries = dict[int, tuple[GitEntry, Document, OpenColumn]]
"""Changed columns by number, with the parent version that has them."""


class Origins:
    """Finds the origins of columns."""

    def __init__(self, columns: Sequence[tuple[Root, HistoryColumn]]) -> None:
        self.found = [ColumnOrigin(column.path) for _, column in columns]
        self._open = [
            OpenColumn(number, root, column.path, column.top)
            for number, (root, column) in enumerate(columns)
        ]
        self._waiting: dict[GitEntry, list[_Group]] = {}

    def walk(
        self, past: DatasetHistory, present: Document, *, is_committed: bool
    ) -> tuple[LoggedCommit, ...]:
        """Find every origin; returns the commit at which the walk ended."""
        reached: tuple[LoggedCommit, ...] = ()
        for _, step in past:
            if not reached:
                self._begin(past, step, _Group(present, self._open), is_committed=is_committed)
            reached = (step.commit,)
            for group in self._waiting.pop(step.after, ()) if step.after else ():
                self._go_on(past, step, group)
            if not self._waiting:
                return reached
        for group in [one for groups in self._waiting.values() for one in groups]:
            self._settle(group, group.columns)  # older versions are unreadable
        return reached

    def _begin(
        self, past: DatasetHistory, step: DatasetStep, group: _Group, *, is_committed: bool
    ) -> None:
        """Start from the work tree at the newest commit; differences in layout do not count."""
        if is_committed and step.after is not None:
            self._waiting[step.after] = [group]
        else:
            self._pass_on(past, group, (step.after,))

    def _go_on(self, past: DatasetHistory, step: DatasetStep, group: _Group) -> None:
        side = past.documents.of(step.after)
        if isinstance(side, dict):
            group.document, group.mark = side, HistoryPoint(step.commit)
        self._pass_on(past, group, step.before)

    def _pass_on(
        self, past: DatasetHistory, group: _Group, before: Iterable[GitEntry | None]
    ) -> None:
        """Move each column to a parent version that has it, preferably unchanged."""
        changed: _ChangedEntries = {}
        rest = group.columns
        for entry in before:
            if entry is not None and rest:
                rest = self._into(entry, past.documents.of(entry), group, rest, changed)
        new = [column for column in rest if column.number not in changed]
        self._settle(group, new)
        for column in rest:
            if column.number in changed:
                self._settle_type(group, column)
                entry, document, older = changed[column.number]
                self._wait(entry, document, [older])

    def _into(
        self,
        entry: GitEntry,
        side: Side,
        group: _Group,
        columns: list[OpenColumn],
        changed: _ChangedEntries,
    ) -> list[OpenColumn]:
        """Move columns to one parent version; returns those that it lacks or has with changes."""
        if isinstance(side, dict):
            if is_alike(side, group.document):
                self._wait(entry, side, columns)
                return []
            try:
                return self._traced(entry, side, group, columns, changed)
            except BROKEN:
                pass  # not a snapshot: skipped like invalid JSON
        waiting = self._waiting.setdefault(entry, [])
        waiting.append(_Group(group.document, columns, group.mark))
        return []

    def _traced(
        self,
        entry: GitEntry,
        side: Document,
        group: _Group,
        columns: list[OpenColumn],
        changed: _ChangedEntries,
    ) -> list[OpenColumn]:
        same, rest = [], []
        for one in list(trace_columns(side, group.document, columns)):
            column, is_settled = one.column, one.column.is_settled
            if one.path and (one.is_same or is_settled):
                same.append(_as_in(one.path, one.top, column, is_settled=is_settled))
                continue
            rest.append(column)
            if one.path:
                older = _as_in(one.path, one.top, column, is_settled=True)
                changed.setdefault(column.number, (entry, side, older))
        self._wait(entry, side, same)
        return rest

    def _wait(self, entry: GitEntry, document: Document, columns: list[OpenColumn]) -> None:
        if not columns:
            return
        waiting = self._waiting.setdefault(entry, [])
        together = next((one for one in waiting if one.document is document), None)
        if together is None:
            waiting.append(_Group(document, columns))
        else:
            together.columns = [*together.columns, *columns]

    def _settle_type(self, group: _Group, column: OpenColumn) -> None:
        found = self.found[column.number]
        found.since = found.since or group.mark

    def _settle(self, group: _Group, columns: Iterable[OpenColumn]) -> None:
        """Settle columns that this version introduced."""
        for column in columns:
            self._settle_type(group, column)
            found = self.found[column.number]
            found.first, found.first_path = group.mark, column.path


def _as_in(path: str, top: str, column: OpenColumn, *, is_settled: bool) -> OpenColumn:
    """A column under its name in an older version."""
    if (path, is_settled) == (column.path, column.is_settled):
        return column
    return OpenColumn(column.number, column.root, path, top, is_settled)
