"""The commits that made columns what they are.

Versions are walked from the newest to the oldest. What is not yet known of a column goes from a
version to that of its parents which has the column as it is; where none has, the commit is found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.git import GitEntry
from lumos_snap.git.history import LoggedCommit
from lumos_snap.history.dataset_log import DatasetHistory, DatasetStep
from lumos_snap.history.match_columns import (
    BROKEN,
    HistoryColumn,
    OpenColumn,
    Root,
    is_alike,
    trace_columns,
)
from lumos_snap.history.versions import Document, Side


class HistoryPoint(NamedTuple):
    """A point in a history: a commit, or nothing for what is not committed."""

    commit: LoggedCommit | None


UNCOMMITTED = HistoryPoint(None)


@dataclass(slots=True)
class ColumnOrigin:
    """What is known of one column."""

    first_path: str
    since: HistoryPoint | None = None
    first: HistoryPoint | None = None


@dataclass(slots=True)
class _Group:
    """Columns on their way back, with the last version that could be read, and its commit."""

    document: Document
    columns: list[OpenColumn]
    mark: HistoryPoint = UNCOMMITTED


_ChangedEntries = dict[int, tuple[GitEntry, Document, OpenColumn]]
"""Columns by number, in a version that has them otherwise."""


class Origins:
    """The origins of columns."""

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
        """Find every origin; returns the commit that the walk had to go back to."""
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
            self._settle(group, group.columns)  # what is older cannot be read
        return reached

    def _begin(
        self, past: DatasetHistory, step: DatasetStep, group: _Group, *, is_committed: bool
    ) -> None:
        """From the work tree to the newest commit: whatever its layout, the same is the same."""
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
        """Hand each column to a version before that has it as it is, or else that has it."""
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
        """Hand columns to one version before; returns those that it does not have as they are."""
        if isinstance(side, dict):
            if is_alike(side, group.document):
                self._wait(entry, side, columns)
                return []
            try:
                return self._traced(entry, side, group, columns, changed)
            except BROKEN:
                pass  # it is no snapshot: it is looked across like what is no JSON
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
        """Columns that first appeared here."""
        for column in columns:
            self._settle_type(group, column)
            found = self.found[column.number]
            found.first, found.first_path = group.mark, column.path


def _as_in(path: str, top: str, column: OpenColumn, *, is_settled: bool) -> OpenColumn:
    """A column as an older version has it."""
    if (path, is_settled) == (column.path, column.is_settled):
        return column
    return OpenColumn(column.number, column.root, path, top, is_settled)
