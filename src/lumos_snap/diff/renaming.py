"""Which dataset that came is one that went: certain by declaration or id, else suspected."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.diff.fact import Likeness
from lumos_snap.diff.similar import LEAST, MOST_PAIRS, table_score

Documents = Mapping[str, Mapping[str, Any]]


def renamed_datasets(gone: Documents, come: Documents) -> dict[str, str]:
    """From the key of each dataset that came to that of the one it was, where that is certain."""
    if not gone or not come:
        return {}
    by_urn = {document["urn"]: key for key, document in gone.items()}
    by_id = _unique({key: _id(document) for key, document in gone.items()})
    ids_come = _unique({key: _id(document) for key, document in come.items()})
    found: dict[str, str] = {}
    for key, document in come.items():
        former = document.get("contract", {}).get("renamed_from")
        old = by_urn.get(former)
        if old is None and ids_come.get(_id(document)) == key:
            old = by_id.get(_id(document))
        if old is not None and old not in found.values():
            found[key] = old
    return found


def _id(document: Mapping[str, Any]) -> object:
    """The id that a store gave to a table, which is unique within its platform."""
    number = document.get("storage", {}).get("id")
    return None if number is None else (document["platform"], number)


def _unique(ids: Mapping[str, object]) -> dict[object, str]:
    found: dict[object, str] = {}
    repeated: set[object] = set()
    for key, number in ids.items():
        if number is None or number in found:
            repeated.add(number)
        found[number] = key
    return {number: key for number, key in found.items() if number not in repeated}


def suspected(gone: Documents, come: Documents) -> dict[str, Likeness]:
    """What each dataset that went may have become, and each that came may have been, by key."""
    if not gone or not come or len(gone) * len(come) > MOST_PAIRS:
        return {}
    scored = sorted(
        (
            (table_score(old, new), before, after)
            for before, old in gone.items()
            for after, new in come.items()
        ),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    found: dict[str, Likeness] = {}
    for score, before, after in scored:
        if score >= LEAST and before not in found and after not in found:
            found[before] = Likeness(str(come[after]["urn"]), score)
            found[after] = Likeness(str(gone[before]["urn"]), score)
    return found
