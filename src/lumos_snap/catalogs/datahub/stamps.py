"""Who wrote an aspect last, and when, as far as DataHub tells.

Its run and the source of its first write are no witnesses: a write that changes nothing replaces
the one, and nobody replaces the other.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from lumos_snap.catalogs.datahub.identity import Identity as Names
from lumos_snap.catalogs.seam import Edit

Stamp = Mapping[str, Any]

_PERSON = "urn:li:corpuser:"
_NOBODY = frozenset({"", "unknown", "UNKNOWN"})
_MACHINES = "__datahub"
"""What the ids of the server's own users begin with."""


def stamp_in(held: Mapping[str, Any]) -> Stamp:
    """What an aspect, as a server tells it, says of its last change; the best word counts."""
    system = held.get("systemMetadata") or {}
    told: Stamp | None = system.get("aspectModified")
    if told and told.get("time"):  # as nearly always
        return told
    for other in (held.get("auditStamp"), held.get("created")):
        if other and other.get("time"):
            return dict(other)
    source = (system.get("properties") or {}).get("eventSource")
    return {"source": source} if source else {}


class Edits(Mapping[str, Edit]):
    """The last change of each part, worked out when it is asked for: of most it never is."""

    def __init__(self, stamps: Mapping[str, Stamp], names: Names) -> None:
        self._stamps = stamps
        self._names = names

    def __getitem__(self, part: str) -> Edit:
        return _edit(self._stamps[part], self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stamps)

    def __len__(self) -> int:
        return len(self._stamps)


def _edit(stamp: Stamp, names: Names) -> Edit:
    actor = str(stamp.get("actor") or "")
    if not actor.startswith(_PERSON):
        return Edit(actor or str(stamp.get("source", "")), _moment(stamp), is_person=False)
    name = names.of_entity(actor)
    if name in _NOBODY:
        return Edit("", _moment(stamp), is_person=False)
    return Edit(name, _moment(stamp), is_person=not name.startswith(_MACHINES))


def _moment(stamp: Stamp) -> str:
    try:
        when = datetime.datetime.fromtimestamp(stamp["time"] / 1000, datetime.UTC)
    except (KeyError, OSError, OverflowError, TypeError, ValueError):
        return ""
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"
