"""From a source to its datasets: every file is met once, counted, and put where it belongs."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from lumos_snap.scan.gathered import Gathered, Sample
from lumos_snap.scan.grouping.placing import names_of_folder, place
from lumos_snap.scan.grouping.suffixes import suffixes_of
from lumos_snap.scan.known import Known
from lumos_snap.scan.only import Only
from lumos_snap.scan.probe.store import Entry, Trouble
from lumos_snap.scan.sources import Source
from lumos_snap.scan.spelling import readable

Names = tuple[str, ...]
MetFiles = Callable[[int], None]
"""Is told how many files were met so far."""

_NOT_ASKED = "not asked for"


@dataclass(slots=True)
class Listing:
    """What lies in a source."""

    source: Source
    datasets: dict[Names, Gathered] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)
    """How many files were met that are not described, by reason."""
    files: int = 0
    bytes: int = 0

    def hides(self, folder: str) -> bool:
        """Whether something at, above or below a folder could not be listed."""
        hidden = (readable(trouble.path) for trouble in self.troubles if trouble.hides)
        return any(_is_within(one, folder) or _is_within(folder, one) for one in hidden)

    @property
    def complete(self) -> bool:
        """Whether every folder could be listed."""
        return not any(trouble.hides for trouble in self.troubles)


def _is_within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def listed(source: Source, known: Known, only: Only, met: MetFiles) -> Listing:
    """List a source; of it, the datasets that are wanted."""
    listing = Listing(source)
    for found in source.store.entries("", lambda folder: _is_worth_a_look(source, only, folder)):
        if isinstance(found, Trouble):
            listing.troubles.append(found)
        else:
            _take(listing, known, only, found)
            met(listing.files)
    return listing


def _is_worth_a_look(source: Source, only: Only, folder: str) -> bool:
    if source.passed_over(f"{folder}/"):
        return False
    return only.may_lead(names_of_folder(folder, source.layout))


def _take(listing: Listing, known: Known, only: Only, entry: Entry) -> None:
    source = listing.source
    reason = source.passed_over(entry.path)
    if reason is not None:
        listing.passed_over[reason] += 1
        return
    placed = known.place(entry.path, place(entry.path, source.layout))
    if not only.wants(placed.names):
        listing.passed_over[_NOT_ASKED] += 1
        return
    listing.files += 1
    listing.bytes += entry.size
    gathered = listing.datasets.get(placed.names)
    if gathered is None:
        gathered = listing.datasets[placed.names] = Gathered(placed, Sample(source.sample))
    gathered.add(entry, placed, *suffixes_of(entry.path.rpartition("/")[2]))
