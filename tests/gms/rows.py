"""What is stored of an aspect: its value, and the system metadata that tells who wrote it when."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from tests.gms.models import schema_version

Json = Any
System = Mapping[str, Any]

NO_RUN = "no-run-id-provided"
SYSTEM = "urn:li:corpuser:__datahub_system"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who did something, and when, in milliseconds."""

    time: int
    actor: str

    def as_json(self) -> dict[str, Json]:
        return {"time": self.time, "actor": self.actor}


@dataclass(frozen=True, slots=True)
class Row:
    """One version of an aspect. Its value is JSON with sorted keys: equal values, equal bytes."""

    value: bytes
    system: System
    stamp: Stamp

    @property
    def version(self) -> int:
        """Where none was counted, it is the first: what conditions take it for, too."""
        return int(self.system.get("version", 1))

    def uncounted(self) -> "Row":
        """The same without a version, as servers wrote it before they counted."""
        system = {name: one for name, one in self.system.items() if name != "version"}
        return Row(self.value, system, self.stamp)

    def json(self) -> Json:
        """The value, as a copy of its own."""
        return orjson.loads(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One aspect that a client wants written."""

    urn: str
    aspect: str
    value: Json
    change: str = "UPSERT"
    system: System = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def header(self, name: str) -> str | None:
        """A header of the proposal; case plays no part."""
        found = (one for key, one in self.headers.items() if key.lower() == name.lower())
        return next(found, None)


def packed(value: Json) -> bytes:
    """A value as it is stored."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def first(proposal: Proposal, value: Json, stamp: Stamp) -> Row:
    """The row of an aspect that was not there."""
    written = stamp.as_json()
    system = {
        **_common(proposal, stamp),
        "lastRunId": NO_RUN,
        "version": "1",
        "aspectCreated": written,
        "aspectModified": written,
    }
    return Row(packed(value), system, stamp)


def following(before: Row, proposal: Proposal, value: Json, stamp: Stamp, *, moved: bool) -> Row:
    """The row after a write; one that changes nothing keeps its version, and who made it."""
    system = {
        **before.system,
        **_common(proposal, stamp),
        "lastRunId": before.system.get("runId", NO_RUN),
        "version": str(before.version + moved),
        "aspectModified": stamp.as_json() if moved else before.system["aspectModified"],
    }
    system["properties"] = _properties(before.system, proposal.system)
    system = {key: one for key, one in system.items() if one is not None}
    return Row(packed(value), system, stamp if moved else before.stamp)


def _common(proposal: Proposal, stamp: Stamp) -> dict[str, Json]:
    given = {key: one for key, one in proposal.system.items() if one is not None}
    return {
        "runId": NO_RUN,
        "lastObserved": stamp.time,
        "schemaVersion": schema_version(proposal.aspect),
        **{key: one for key, one in given.items() if key not in _OURS},
    }


def _properties(before: System, given: System) -> Mapping[str, str] | None:
    """The last writer's, but for `appSource`, which stays what the first write said."""
    found = {**(given.get("properties") or {})}
    found.pop("appSource", None)
    source = (before.get("properties") or {}).get("appSource")
    if source is not None:
        found["appSource"] = source
    return found or None


_OURS = frozenset({"version", "lastRunId", "aspectCreated", "aspectModified"})
"""What the server says, whatever the client sends."""
