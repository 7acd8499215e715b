"""What lies in a source: every file is met once, and counted or put on the roll."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.scan.engine import Engine
from lumos_snap.scan.gathered import Gathered
from lumos_snap.scan.grouping.placing import names_of_folder
from lumos_snap.scan.hidden import Hidden
from lumos_snap.scan.lines import line_of
from lumos_snap.scan.only import Only
from lumos_snap.scan.probe.reasons import ARCHIVED
from lumos_snap.scan.probe.store import Answered, Entry, Store, Trouble, Wants
from lumos_snap.scan.probe.stores.spread import Spreadable
from lumos_snap.scan.roll import Roll
from lumos_snap.scan.sources import Source
from lumos_snap.scan.spreading import spread
from lumos_snap.scan.tables.finding import LOGS, Log, log_of
from lumos_snap.text import readable

Names = tuple[str, ...]
MetFiles = Callable[[int, int], None]
"""Is told how many files were met so far, and in how many answers of the store."""

NOT_ASKED = "not asked for"
_OFTEN = 1_000  # files: a folder may have millions, and is a single answer


@dataclass(slots=True)
class Listing:
    """What lies in a source."""

    source: Source
    roll: Roll
    logs: dict[str, dict[str, Log]] = field(default_factory=dict)
    """The logs of tables, by the table's folder and the kind."""
    datasets: dict[Names, Gathered] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What people should know of how it was listed."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """How many files were met that are not described, by reason."""
    files: int = 0
    bytes: int = 0
    _hidden: tuple[int, Hidden] | None = None
    """What is out of sight, as of so many troubles."""

    def hides(self, folder: str) -> bool:
        """Whether something at, above or below a folder could not be listed, or not be read yet."""
        if self._hidden is None or self._hidden[0] != len(self.troubles):
            lost = (readable(one.path) for one in self.troubles if one.hides or _lies_there(one))
            self._hidden = (len(self.troubles), Hidden(lost))
        return self._hidden[1].touches(folder)

    @property
    def complete(self) -> bool:
        """Whether every folder could be listed."""
        return not any(trouble.hides for trouble in self.troubles)


def _lies_there(trouble: Trouble) -> bool:
    """Whether a file is there, though nobody can read it as it is kept."""
    return trouble.reason == ARCHIVED


def listed(
    source: Source, only: Only, scratch: Path, met: MetFiles, engine: Engine | None = None
) -> Listing:
    """List a source, as far as datasets are wanted; an engine may help with very many files."""
    listing = Listing(source, Roll(scratch))
    if source.store is None:
        return listing
    files = pages = 0

    def answered() -> None:
        nonlocal pages
        pages += 1
        met(files, pages)

    def wants(folder: str) -> bool:
        return _is_worth_a_look(source, only, folder)

    for found in _entries(source.store, wants, answered, engine, listing.remarks):
        if isinstance(found, Trouble):
            listing.troubles.append(found)
        else:
            _take(listing, found)
            files += 1
            if files % _OFTEN == 0:
                met(files, pages)
    met(files, pages)
    return listing


def _entries(
    store: Store, wants: Wants, answered: Answered, engine: Engine | None, remarks: list[str]
) -> Iterator[Entry | Trouble]:
    if engine is None or not isinstance(store, Spreadable):
        return store.entries("", wants, answered)
    return store.entries("", wants, answered, spread(engine, store, remarks.append))


def _is_worth_a_look(source: Source, only: Only, folder: str) -> bool:
    log = log_of(f"{folder}/")
    if log is not None:
        return source.filter.may_hold(log[0]) and only.may_lead(tuple(log[0].split("/")))
    if source.passed_over(f"{folder}/"):
        return False
    return not only.globs or only.may_lead(names_of_folder(folder, source.layout))


def _take(listing: Listing, entry: Entry) -> None:
    log = log_of(entry.path)
    if log is not None:
        root, kind = log
        logs = listing.logs.setdefault(root, {})
        if kind not in logs:
            logs[kind] = LOGS[kind]()
        logs[kind].add(entry)
        return
    reason = listing.source.passed_over(entry.path)
    if reason is not None:
        listing.passed_over[reason] += 1
    else:
        listing.roll.add(line_of(entry))
