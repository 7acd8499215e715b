"""Aspects that are series in time: nothing in them has a version, and each point stands alone."""

from collections.abc import Mapping
from typing import Any

import orjson

from tests.gms.rows import Row

Json = Any
_SAME = ("timestampMillis", "eventGranularity", "partitionSpec", "messageId", "runId")
"""What tells a point from another; one with the same replaces it."""


class Series:
    """Points by urn and aspect."""

    def __init__(self) -> None:
        self._points: dict[str, dict[str, dict[bytes, Row]]] = {}

    def add(self, urn: str, aspect: str, row: Row) -> None:
        value = row.json()
        same = orjson.dumps([value.get(name) for name in _SAME], option=orjson.OPT_SORT_KEYS)
        self._points.setdefault(urn, {}).setdefault(aspect, {})[same] = row

    def latest_first(self, urn: str, aspect: str) -> list[Row]:
        found = self._points.get(urn, {}).get(aspect, {}).values()
        return sorted(found, key=lambda row: int(row.json()["timestampMillis"]), reverse=True)

    def aspects(self, urn: str) -> Mapping[str, Row]:
        """The latest point of each series."""
        return {name: self.latest_first(urn, name)[0] for name in self._points.get(urn, {})}

    def delete(self, urn: str, aspect: str | None = None) -> int:
        """Forget all points of an entity, or of one aspect of it; how many there were."""
        if aspect is None:
            return sum(map(len, self._points.pop(urn, {}).values()))
        return len(self._points.get(urn, {}).pop(aspect, {}))

    def dump(self) -> dict[str, dict[str, Json]]:
        return {
            urn: {name: [one.json() for one in self.latest_first(urn, name)] for name in series}
            for urn, series in self._points.items()
        }
