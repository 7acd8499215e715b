"""Datasets that are gone, and those that only lie elsewhere: what tells that they are the same."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import orjson

from lumos_snap.canonical.checks import shown_name
from lumos_snap.model.urn import parse_urn
from lumos_snap.scan.deciding import Decided
from lumos_snap.shape import Document

Gone = Mapping[str, tuple[Document, Document | None]]
"""The snapshot and the last observation of each dataset that is no longer met, by urn."""


def moves(added: Iterable[Decided], gone: Gone) -> Mapping[str, str]:
    """Which new dataset was which one before: the urns, new to old, where no doubt is left.

    Two are the same where format, partitions and columns are, and the name or the measure of the
    data (files and bytes) as well, and no third one is like them.
    """
    fingerprints: dict[bytes, list[str]] = {}
    for urn, (snapshot, _) in gone.items():
        fingerprints.setdefault(_shape(snapshot), []).append(urn)
    pairs = [
        (one.urn, urn)
        for one in added
        if one.document is not None and one.document["schema"].get("fields")
        for urn in fingerprints.get(_shape(one.document), ())
        if _is_like(one, gone[urn])
    ]
    new, old = Counter(new for new, _ in pairs), Counter(old for _, old in pairs)
    return {a: b for a, b in pairs if new[a] == 1 and old[b] == 1}


def _shape(snapshot: Document) -> bytes:
    storage = snapshot.get("storage", {})
    columns = snapshot.get("schema", {}).get("fields")
    told = (storage.get("format"), storage.get("partitioning"), columns)
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def _is_like(one: Decided, gone: tuple[Document, Document | None]) -> bool:
    snapshot, observation = gone
    data = (observation or {}).get("data", {})
    if one.gathered is None:
        return False
    measure = (one.gathered.files, one.gathered.bytes)
    is_same_name = snapshot["name"] == shown_name(parse_urn(one.urn))
    return is_same_name or measure == (data.get("files"), data.get("bytes"))


def as_former(snapshot: Document, urn: str) -> Document:
    """What a dataset knew under its old urn, under its new one: its history goes on."""
    parsed = parse_urn(urn)
    return {
        **snapshot,
        "urn": urn,
        "name": shown_name(parsed),
        "platform": parsed.platform,
        "contract": {**snapshot.get("contract", {}), "renamed_from": snapshot["urn"]},
    }


LARGEST_SHARE = 10
"""Per cent of a source's datasets that may go at once,"""
ALWAYS_ALLOWED = 20
"""or this many, if that is more."""


def most_removed(known: int, allowed: int | None) -> int:
    """How many datasets one scan may remove."""
    return max(ALWAYS_ALLOWED, known * LARGEST_SHARE // 100) if allowed is None else allowed


def why_not_removed(
    gone: Collection[str],
    *,
    known: int,
    met: int,
    complete: bool,
    allowed: int | None,
) -> str:
    """Why nothing is removed, if so: what is not seen is not always gone."""
    if not complete:
        return "not everything could be listed: nothing of it is removed"
    if not met:
        return "nothing was met at all: nothing of it is removed; is everything mounted?"
    most = most_removed(known, allowed)
    if len(gone) > most:
        return (
            f"{len(gone)} of {known} datasets are gone, and at most {most} are removed at once: "
            f"`--prune-max {len(gone)}` allows it"
        )
    return ""
