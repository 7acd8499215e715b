"""History of one dataset: each commit that changed it, newest first, across renames."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.git import GitEntry, Repository, changes, resolve
from lumos_snap.git.history import LoggedCommit, history
from lumos_snap.git.refs import look_up
from lumos_snap.history.versions import Document, Documents, Side, UnreadableVersion
from lumos_snap.tree import Tree
from lumos_snap.tree.selection import find_dataset

# Periods of time, given as dates that git understands, or as tags and other refs.


@dataclass(frozen=True, slots=True)
class Period:
    """Limits of a history: dates, excluded commits with their ancestors, and the last commit."""

    since: str = ""
    until: str = ""
    excluded: tuple[str, ...] = ()
    start: str = ""
    """The commit of a ref in `until`; otherwise that of the given ref."""


ALL = Period()


def period(repository: Repository, since: str | None, until: str | None, ref: str) -> Period:
    """Parse the period between two points, up to a ref."""
    after = _commit(repository, since)
    before = _commit(repository, until)
    return Period(
        since="" if after or since is None else _date(since, "00:00:00"),
        until="" if before or until is None else _date(until, "23:59:59"),
        excluded=(after,) if after else (),
        start=before or resolve(repository, ref).id,
    )


def _commit(repository: Repository, when: str | None) -> str:
    """The commit that a point in time names; empty for dates."""
    if when is None or not when.strip() or not when.isprintable() or re.fullmatch(_DAY, when):
        return ""
    found = look_up(repository, (when,))[0]
    return found.id if found else ""


_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
_NAMES = (
    " january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday"
)
_SHORTEST = 3
"""Minimum length of an abbreviated month or day."""
_WORDS = (
    " second sec minute min hour day week fortnight month year seconds secs minutes mins hours"
    " days weeks fortnights months years ago last now today yesterday midnight noon tea never"
    " am pm at on in the and of a an st nd rd th t z utc gmt"
    " one two three four five six seven eight nine ten "
)


def _is_known(word: str) -> bool:
    """Whether git knows a word of a date; git parses unknown text as "now"."""
    low = word.casefold()
    return f" {low} " in _WORDS or (len(low) >= _SHORTEST and f" {low}" in _NAMES)


def _date(when: str, time: str) -> str:
    """A date that git understands; a day alone means the whole day, not its current hour."""
    words = re.findall(r"[^\W\d_]+", when)
    is_said = when.isprintable() and re.search(r"\w", when)
    if not is_said or not all(map(_is_known, words)):
        raise LumosError(
            f"{when!r} is neither a branch, tag or commit nor a date",
            hint="a date is like 2026-01-15 or `2 weeks ago`",
        )
    return f"{when} {time}" if re.fullmatch(_DAY, when) else when


@dataclass(frozen=True, slots=True)
class DatasetStep:
    """One commit's change to a dataset; `before` has one side for each parent of a merge."""

    commit: LoggedCommit
    path: str
    before: tuple[GitEntry | None, ...]
    after: GitEntry | None
    former: str = ""
    """The former path, where this commit renamed the dataset."""


def steps_at(path: str, commits: Sequence[LoggedCommit]) -> list[DatasetStep]:
    """The steps of one path."""
    return [
        DatasetStep(commit, path, touched.before, touched.after)
        for commit in commits
        for touched in commit.touched
        if touched.path == path
    ]


class DatasetHistory:
    """The steps of one dataset, newest first, continued under its former names.

    A former name is certain: the contract declares it, or the commit that added the file removed
    another one with the same id in its store. Without `follow`, only the given steps are used, and
    the caller announces the expected documents.
    """

    def __init__(
        self,
        repository: Repository,
        documents: Documents,
        steps: Sequence[DatasetStep],
        *,
        period: Period = ALL,
        follow: bool = True,
    ) -> None:
        self.documents = documents
        self._repository = repository
        self._period = period
        self._steps = list(steps)
        self._is_known = [not follow] * len(self._steps)
        if follow:
            self._expect(0)

    def __iter__(self) -> Iterator[tuple[int, DatasetStep]]:
        index = 0
        while index < len(self._steps):
            step = self._known(index)
            yield index, step
            self.documents.forget((step.after, *step.before))
            index += 1

    def readable(self, entry: GitEntry | None, index: int) -> Document | None:
        """The document before a step; for an unreadable version, the one before it."""
        waiting = [(entry, index)]
        while waiting:
            entry, index = waiting.pop()
            side: Side = self.documents.of(entry)
            if not isinstance(side, UnreadableVersion):
                if side is not None:
                    return side
                continue
            made = self._made(entry, index + 1)
            if made is not None:
                waiting += [(one, made) for one in reversed(self._steps[made].before)]
        return None

    def _made(self, entry: GitEntry | None, index: int) -> int | None:
        """Index of the step that wrote a version, at or after another step."""
        while index < len(self._steps):
            if self._known(index).after == entry:
                return index
            index += 1
        return None

    def _expect(self, index: int) -> None:
        rest = self._steps[index:]
        self.documents.expect(side for step in rest for side in (step.after, *step.before))

    def _known(self, index: int) -> DatasetStep:
        """A step, after the check for a former name of the dataset."""
        if not self._is_known[index]:
            self._is_known[index] = True
            step = self._steps[index]
            if step.after is not None and not any(step.before) and not step.commit.is_end:
                self._go_on(index, step)
        return self._steps[index]

    def _go_on(self, index: int, step: DatasetStep) -> None:
        """Continue under the former name, if any."""
        document = self.documents.of(step.after)
        if document is None or isinstance(document, UnreadableVersion):
            return
        for former in (self._declared(document), self._with_same_id(step, document)):
            older = self._under(former, step) if former else []
            if older and older[0].after is None:
                before, older = next((one for one in older[0].before if one), None), older[1:]
            else:
                before = older[0].after if older else None
            if before is not None:
                self._steps[index:] = [replace(step, before=(before,), former=former), *older]
                self._is_known[index + 1 :] = [False] * len(older)
                self._expect(index)
                return

    def _under(self, path: str, step: DatasetStep) -> list[DatasetStep]:
        period = self._period
        commits = history(
            self._repository,
            step.commit.parents,
            under=(path,),
            excluded=period.excluded,
            since=period.since,
        )
        return steps_at(path, commits)

    def _declared(self, document: Document) -> str:
        """The path of the former name that a contract declares."""
        try:
            return SNAPSHOT.path(document["contract"]["renamed_from"])
        except (LumosError, KeyError, TypeError, AttributeError):
            return ""

    def _with_same_id(self, step: DatasetStep, document: Document) -> str:
        """The path of a file with the same id that the same commit removed."""
        if not _has_id(document) or not step.commit.parents:
            return ""
        from lumos_snap.diff.renames import find_dataset_renames  # noqa: PLC0415 - hardly ever needed

        commit = step.commit
        found = changes(
            self._repository, commit.parents[0], head=commit.id, under=(SNAPSHOT.folder,)
        )
        gone = {}
        for change in found:
            if change.after is None and isinstance(change.before, GitEntry):
                side = self.documents.of(change.before)
                if isinstance(side, dict):
                    gone[change.path] = side
        return find_dataset_renames(gone, {step.path: document}).get(step.path, "")


def _has_id(document: Document) -> bool:
    storage = document.get("storage")
    return isinstance(storage, dict) and "id" in storage


def dataset_path(tree: Tree, repository: Repository, start: str, wanted: str) -> str:
    """The path of a dataset; a removed one is found by its urn or its whole path."""
    try:
        return find_dataset(tree, wanted)
    except LumosError:
        path = _parse_dataset_path(wanted)
        if not path or not history(repository, (start,), under=(path,)):
            raise
        return path


def _parse_dataset_path(wanted: str) -> str:
    if wanted.startswith("lumos://"):
        return SNAPSHOT.path(wanted)
    inside = wanted.removeprefix("./")
    is_path = inside.startswith(f"{SNAPSHOT.folder}/") and ".." not in inside.split("/")
    return inside if is_path else ""
