"""A DataHub server as people and other tools use it: plain HTTP, and nothing that is ours."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import requests

Json = Any
Change = Mapping[str, Json] | Callable[[Json], Json]
"""A new value, or what makes one of the stored value; that is empty where there is none."""

_IN_THE_PAGES = {"appSource": "ui", "eventSource": "ui"}
_LATER = ("structuredProperty", "domain", "glossaryTerm", "tag", "corpGroup", "corpuser")
"""What others refer to is deleted after them."""


@dataclass(frozen=True)
class Hub:
    """A server by its address; all that a scenario makes there has a prefix of its own."""

    url: str
    mode: str
    prefix: str
    token: str | None = None
    another: str | None = None
    """The token of somebody else: whoever edits in the pages."""
    made: set[str] = field(default_factory=set)
    """Every urn that may be there by now because of the scenario."""

    def held(self, urn: str, aspect: str) -> Json:
        """An aspect with its system metadata; None where it is not there."""
        path = f"/entitiesV2/{quote(urn, safe='')}?aspects=List({aspect})"
        return self._asked("GET", path)["aspects"].get(aspect)

    def value(self, urn: str, aspect: str) -> Json:
        """What an aspect says; empty where it is not there."""
        return (self.held(urn, aspect) or {}).get("value", {})

    def stamp(self, urn: str, aspect: str) -> Json:
        """What moves with each write of an aspect, also with one that changes nothing."""
        return (self.held(urn, aspect) or {}).get("systemMetadata")

    def write(self, urn: str, aspect: str, value: Mapping[str, Json]) -> None:
        """Set an aspect as the pages do: on no condition, in the name of a person."""
        self.made.add(urn)
        proposal = {
            "entityType": urn.split(":")[2],
            "entityUrn": urn,
            "changeType": "UPSERT",
            "aspectName": aspect,
            "aspect": {"value": json.dumps(value), "contentType": _JSON},
            "systemMetadata": {"properties": _IN_THE_PAGES},
        }
        told = {"proposal": proposal, "async": "false"}
        self._asked("POST", "/aspects?action=ingestProposal", told, token=self.another)

    def edit(self, urn: str, aspect: str, change: Change) -> None:
        """Somebody looks at an aspect, and changes it."""
        there = self.value(urn, aspect)
        self.write(urn, aspect, change(there) if callable(change) else change)

    def delete(self, urn: str) -> None:
        """Remove an entity with its history."""
        self._asked("POST", "/entities?action=delete", {"urn": urn})

    def clean_up(self) -> None:
        """Remove all that the scenario made."""
        for urn in sorted(self.made, key=_order):
            self.delete(urn)

    def _asked(
        self, method: str, path: str, body: Json = None, *, token: str | None = None
    ) -> Json:
        headers = {"X-RestLi-Protocol-Version": "2.0.0", "Content-Type": _JSON}
        who = token or self.token
        if who:
            headers["Authorization"] = f"Bearer {who}"
        answer = requests.request(
            method, f"{self.url}{path}", headers=headers, json=body, timeout=30
        )
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer.json() if answer.content else None


_JSON = "application/json"


def _order(urn: str) -> tuple[int, str]:
    kind = urn.split(":")[2]
    return (_LATER[::-1].index(kind) + 1 if kind in _LATER else 0), urn
