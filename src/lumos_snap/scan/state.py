"""What the last scan decided, kept beside the tree: only to explain it, and safe to delete."""

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from lumos_snap.scan.met import Met
from lumos_snap.scan.spelling import readable

STATE_NAME = "scan.json"
_VERSION = 1

Decision: TypeAlias = Mapping[str, str | int]
"""How a dataset came to its files: `rule`, `folder`, `files` and an `example`."""


def decisions(met: Iterable[Met]) -> Mapping[str, Decision]:
    """Which rule has put which files together, by urn."""
    return {one.urn: _decision(one) for one in met}


def _decision(met: Met) -> Decision:
    gathered = met.gathered
    return {
        "rule": gathered.placed.rule,
        "folder": readable(gathered.place()[0]),
        "files": gathered.files,
        "example": readable(gathered.first),
    }


def encoded(found: Mapping[str, Decision]) -> bytes:
    """Decisions as the content of the file that keeps them."""
    kept = {"version": _VERSION, "datasets": dict(sorted(found.items()))}
    return json.dumps(kept, indent=1).encode()  # noqa: TID251 - a cache, no document of ours


def read(content: bytes | None) -> Mapping[str, Decision]:
    """Decisions that were kept; none where the file is from another version, or broken."""
    try:
        kept = json.loads(content or b"{}")
    except ValueError:
        return {}
    if not isinstance(kept, dict) or kept.get("version") != _VERSION:
        return {}
    found = kept.get("datasets")
    if not isinstance(found, dict):
        return {}
    return {urn: one for urn, one in found.items() if isinstance(one, dict) and set(one) >= _SAID}


_SAID = frozenset(("rule", "folder", "files", "example"))
