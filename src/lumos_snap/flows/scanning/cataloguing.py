"""A catalog as a source: its tables are described already, and no file is looked at."""

from collections.abc import Iterator

from lumos_snap.flows.scanning.surveying import Survey
from lumos_snap.scan.catalogs.catalog import Ready
from lumos_snap.scan.evidence import Evidence
from lumos_snap.scan.gathered import Gathered, Sample
from lumos_snap.scan.grouping.placing import Placed
from lumos_snap.scan.lines import BETWEEN
from lumos_snap.scan.probe.store import Trouble

_RULE = "catalog"


def catalogued(survey: Survey, tables: Iterator[Ready | Trouble]) -> None:
    """Take in what a catalog says of its tables."""
    listing = survey.listing
    for found in tables:
        if isinstance(found, Trouble):
            listing.troubles.append(found)
            continue
        placed = Placed(found.names, "/".join(found.names), None, (), _RULE)
        number = survey.first + len(listing.datasets)
        gathered = Gathered(placed, Sample(0), number, found.location)
        gathered.note(BETWEEN.join((found.tag, found.format, found.schema)))
        listing.datasets[found.names] = gathered
        survey.evidence.append(_evidence(found))


def _evidence(found: Ready) -> Evidence:
    evidence = Evidence()
    evidence.add(
        {
            "format": found.format,
            "schema": found.schema,
            "files": 1,
            "rows": found.rows,
            "versions": [found.version] if found.version else [],
            "codecs": [],
            "examples": ["/".join(found.names)],
        }
    )
    return evidence
