"""Files whose names say too little, and whose columns say that they have nothing in common.

`t1.avro` … `t20.avro` may be parts of one dataset, or twenty. Names cannot tell; the files can: if
no two describe the same columns, and hardly any column is in most of them, each is a dataset of
its own. A name that says `part` has told, and what the tree already knows as one stays one.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping

from lumos_snap.scan.evidence import Evidence, Said
from lumos_snap.scan.gathered import Gathered, Sample
from lumos_snap.scan.known import alone, is_guessed
from lumos_snap.scan.lines import line_of
from lumos_snap.scan.met import Met
from lumos_snap.scan.probe.store import Entry
from lumos_snap.scan.schemas.registry import described

_FEWEST = 3  # of two files one may be an accident, as an error page among data
_COMMON_SHARE = 0.5
_SAYS_PART = re.compile(r"(?<![a-z])part(?![a-z])", re.IGNORECASE)


Entries = Callable[[Collection[str]], Mapping[str, Entry]]
"""What a listing knows of some files, by path."""


def parted(
    met: Met, entries: Entries, *, among_parted: bool, taken: Container[str]
) -> Iterator[Met]:
    """The datasets that files turn out to be: what was met, or one for each of its files.

    Where others in their folder stand alone already, files do so that never stood together. Each
    must get a urn of its own: none that is `taken`, no two the same.
    """
    if not (_may_part(met) and (among_parted or _share_nothing(met)) and _is_clear(met, taken)):
        yield met
        return
    said = {one.examples[0]: one for one in met.evidence.said.values()}
    bad = {one.path: one for one in met.evidence.bad}
    for path, entry in sorted(entries(_paths(met)).items()):
        placed = alone(path)
        gathered = Gathered(placed, Sample(1), number=met.gathered.number)
        gathered.add(entry, placed, line_of(entry))
        evidence = Evidence()
        if path in said:
            found = said[path]
            evidence.said[(found.format, found.schema)] = found
        elif path in bad:
            evidence.bad.append(bad[path])
        yield Met(met.source, placed.names, gathered, evidence)


def _paths(met: Met) -> list[str]:
    """The files that were looked at, where no two say the same."""
    said = [one.examples[0] for one in met.evidence.said.values()]
    return sorted([*said, *(one.path for one in met.evidence.bad)])


def _is_clear(met: Met, taken: Container[str]) -> bool:
    urns = [met.source.urn(alone(path).names) for path in _paths(met)]
    return len(set(urns)) == len(urns) and not any(urn in taken for urn in urns)


def _share_nothing(met: Met) -> bool:
    said = tuple(met.evidence.said.values())
    if len(said) < _FEWEST or met.evidence.bad:
        return False
    columns = [_columns(one) for one in said]
    met_in = Counter(name for names in columns for name in names)
    common = {name for name, files in met_in.items() if files * 2 > len(columns)}
    return all(len(names & common) <= len(names) * _COMMON_SHARE for names in columns)


def _may_part(met: Met) -> bool:
    """Whether names alone have put these files together, and each of them says something else."""
    gathered, said = met.gathered, met.evidence.said.values()
    if not is_guessed(gathered.placed) or gathered.partitions.columns:
        return False
    if any(_SAYS_PART.search(path.rpartition("/")[2]) for path in _paths(met)):
        return False
    looked_at = len(said) + len(met.evidence.bad)
    return all(one.files == 1 for one in said) and looked_at == gathered.files


def _columns(one: Said) -> frozenset[str]:
    return frozenset(
        field.name.casefold() for field in described(one.format, one.schema).schema.fields
    )
