"""Datasets that were removed or moved: matching of new and missing datasets."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from lumos_snap.canonical.rule_checks import displayable_name
from lumos_snap.model.urn import parse_urn
from lumos_snap.scan.dataset_update import DatasetUpdate
from lumos_snap.schema import Document

MissingDatasets = Mapping[str, tuple[Document, Document | None]]
"""The snapshot and the last observation of each dataset that was not found again, by urn."""


def find_moves(added: Sequence[DatasetUpdate], gone: MissingDatasets) -> Mapping[str, str]:
    """Match new datasets with missing ones: urns, new to old, where the match is unique.

    Format, partitions and columns must be equal. Then the id that the store gave decides; for those
    left, the name; then the size of the data (files and bytes).
    """
    documents = {one.urn: one.document() for one in added} if gone else {}
    fresh = [one for one in added if documents.get(one.urn, {}).get("schema", {}).get("fields")]
    found: dict[str, str] = {}
    for of_old, of_new in ((_id, _new_id), (_name, _new_name), (_measure, _new_measure)):
        taken = frozenset(found.values())
        alike: dict[tuple[object, ...], list[str]] = {}
        for urn, (snapshot, observation) in gone.items():
            if urn not in taken and (mark := of_old(snapshot, observation)) is not None:
                alike.setdefault((mark, *_shape(snapshot)), []).append(urn)
        pairs = [
            (one.urn, urn)
            for one in fresh
            if one.urn not in found
            for urn in alike.get((of_new(one, documents), *_shape(documents[one.urn])), ())
            if _has_its_columns(documents[one.urn], gone[urn][0])
        ]
        new, old = Counter(new for new, _ in pairs), Counter(old for _, old in pairs)
        found |= {a: b for a, b in pairs if new[a] == 1 and old[b] == 1}
    return found


def _shape(snapshot: Document) -> tuple[str, ...]:
    storage = snapshot.get("storage", {})
    partitions = (one["name"] for one in storage.get("partitioning", ()))
    return (str(storage.get("format")), *partitions)


def _has_its_columns(new: Document, old: Document) -> bool:
    """Compare columns; inferred columns of the old snapshot may be more, with wider types."""
    now, before = new.get("schema", {}), old.get("schema", {})
    if not (now.get("inferred") and before.get("inferred")):
        return bool(now.get("fields") == before.get("fields"))
    names = {one["name"] for one in before.get("fields", ())}
    return all(one["name"] in names for one in now.get("fields", ()))


def _id(snapshot: Document, observation: Document | None) -> str | None:
    del observation
    return _id_of(snapshot)


def _new_id(one: DatasetUpdate, documents: Mapping[str, Document]) -> str | None:
    return _id_of(documents[one.urn])


def _id_of(snapshot: Document) -> str | None:
    found = snapshot.get("storage", {}).get("id")
    return None if found is None else str(found)


def _name(snapshot: Document, observation: Document | None) -> str:
    del observation
    return str(snapshot["name"])


def _new_name(one: DatasetUpdate, documents: Mapping[str, Document]) -> str:
    del documents
    return displayable_name(parse_urn(one.urn))


def _measure(snapshot: Document, observation: Document | None) -> str | None:
    del snapshot
    data = (observation or {}).get("data", {})
    return f"{data.get('files')}, {data.get('bytes')}" if data else None


def _new_measure(one: DatasetUpdate, documents: Mapping[str, Document]) -> str | None:
    del documents
    return None if one.summary is None else f"{one.summary.files}, {one.summary.bytes}"


def rename_snapshot(snapshot: Document, urn: str) -> Document:
    """Copy a snapshot to a new urn, with the old one in `contract.renamed_from`."""
    parsed = parse_urn(urn)
    return {
        **snapshot,
        "urn": urn,
        "name": displayable_name(parsed),
        "platform": parsed.platform,
        "contract": {**snapshot.get("contract", {}), "renamed_from": snapshot["urn"]},
    }


MAX_REMOVED_PERCENT = 10
"""Percentage of a source's datasets that one scan may remove,"""
ALWAYS_REMOVABLE = 20
"""or this many, if that is more."""


def max_removals(known: int, allowed: int | None) -> int:
    """Return how many datasets one scan may remove."""
    return max(ALWAYS_REMOVABLE, known * MAX_REMOVED_PERCENT // 100) if allowed is None else allowed


def check_removals(
    gone: Collection[str],
    *,
    known: int,
    met: int,
    complete: bool,
    allowed: int | None,
) -> str:
    """Explain why nothing is removed, or return "": an unlisted dataset may still exist."""
    if not complete:
        return "not everything could be listed: nothing of it is removed"
    if not met:
        return "nothing was met at all: nothing of it is removed; is everything mounted?"
    most = max_removals(known, allowed)
    if len(gone) > most:
        return (
            f"{len(gone)} of {known} datasets are gone, and at most {most} are removed at once: "
            f"`--prune-max {len(gone)}` allows it"
        )
    return ""
