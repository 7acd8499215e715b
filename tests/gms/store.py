"""All that the server holds, as DataHub keeps it; it knows nothing of HTTP.

A batch is one transaction under one lock: all of it is stored, or nothing.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.gms import urns
from tests.gms.models import key_of
from tests.gms.rows import Proposal, Row, Stamp
from tests.gms.series import Series
from tests.gms.write_batch import Draft, Written

Json = Any
Aspects = Mapping[str, Row]
Listener = Callable[[str, Aspects], None]
KEPT = 20
"""Versions of an aspect that are kept, the current one included."""


class Store:
    """Aspects by urn and name, their older versions, and series in time."""

    def __init__(self, *, kept: int = KEPT, fills: bool = True, counts: bool = True) -> None:
        self.lock = threading.RLock()
        self.kept = kept
        self.series = Series()
        self.listeners: list[Listener] = []
        self._fills = fills
        self._counts = counts
        self._rows: dict[str, dict[str, Row]] = {}
        self._older: dict[str, dict[str, dict[int, Row]]] = {}

    def write(
        self, proposals: Sequence[Proposal], *, actor: str, drops: bool = False
    ) -> tuple[Written, ...]:
        """Store a batch, or raise a `Refusal` and store nothing of it.

        What `Dropped` is about can be left out in silence instead.
        """
        with self.lock:
            stamp = Stamp(time.time_ns() // 1_000_000, actor)
            draft = Draft(self, stamp, fills=self._fills, counts=self._counts)
            written = draft.add(proposals, drops=drops)
            for place, rows in draft.rows.items():
                for row in rows:
                    self._keep(place, row if self._counts else row.uncounted())
            for point in draft.points:
                self.series.add(point.urn, point.aspect, point.row)
            for urn in dict.fromkeys(one.urn for one in written):
                self._tell(urn)
            return written

    def _keep(self, place: tuple[str, str], row: Row) -> None:
        urn, aspect = place
        before = self._rows.setdefault(urn, {}).get(aspect)
        self._rows[urn][aspect] = row
        if before is not None and before.version != row.version:
            older = self._older.setdefault(urn, {}).setdefault(aspect, {})
            older[before.version] = before
            for version in [one for one in older if one <= row.version - self.kept]:
                del older[version]

    def _tell(self, urn: str) -> None:
        for listener in self.listeners:
            listener(urn, self.aspects(urn))

    def forget_versions(self, urn: str) -> None:
        """Make the aspects of an entity what a server wrote that did not count yet."""
        with self.lock:
            rows = self._rows[urn]
            self._rows[urn] = {name: row.uncounted() for name, row in rows.items()}

    def row(self, urn: str, aspect: str) -> Row | None:
        """The current version of an aspect."""
        return self._rows.get(urn, {}).get(aspect)

    def older(self, urn: str, aspect: str, version: int) -> Row | None:
        """A version of an aspect that is no longer the current one."""
        return self._older.get(urn, {}).get(aspect, {}).get(version)

    def version(self, urn: str, aspect: str, version: int) -> Row | None:
        """A version of an aspect by its number; 0 is the current one."""
        row = self.row(urn, aspect)
        is_current = version == 0 or (row is not None and row.version == version)
        return row if is_current else self.older(urn, aspect, version)

    def aspects(self, urn: str) -> Aspects:
        """The current aspects of an entity, its series not among them."""
        with self.lock:
            return dict(self._rows.get(urn, {}))

    def urns(self) -> tuple[str, ...]:
        """All entities, in order."""
        with self.lock:
            return tuple(sorted(self._rows))

    def delete(self, urn: str) -> tuple[int, int]:
        """Forget an entity with its history; how many rows and points it had."""
        with self.lock:
            rows = len(self._rows.pop(urn, {}))
            rows += sum(map(len, self._older.pop(urn, {}).values()))
            points = self.series.delete(urn)
            self._tell(urn)
            return rows, points

    def delete_aspect(self, urn: str, aspect: str) -> tuple[int, int]:
        """Forget an aspect with its history; without its key, nothing is left of an entity."""
        with self.lock:
            if aspect == key_of(urns.entity_of(urn)):
                return self.delete(urn)
            found = self._rows.get(urn, {}).pop(aspect, None)
            rows = (found is not None) + len(self._older.get(urn, {}).pop(aspect, {}))
            points = self.series.delete(urn, aspect)
            self._tell(urn)
            return rows, points

    def dump(self) -> dict[str, dict[str, Json]]:
        """All values and versions, and no times: two runs that did the same hold the same."""
        with self.lock:
            found: dict[str, dict[str, Json]] = {
                urn: {
                    name: {"version": row.version, "value": row.json()}
                    for name, row in sorted(self._rows[urn].items())
                }
                for urn in sorted(self._rows)
            }
            for urn, series in self.series.dump().items():
                found.setdefault(urn, {}).update(series)
            return found
