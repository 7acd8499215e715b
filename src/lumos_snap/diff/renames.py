"""Suspected renames: shown with removals and additions, without lowering their severity."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lumos_snap.diff.fact import Action, Fact, Likeness
from lumos_snap.json_object import JsonObject

LEAST = 60
"""The minimum score of similar columns."""
MOST_PAIRS = 2_500
"""Beyond this the schema was rewritten, and matching would take longer than the diff."""

_OWN = ("name", "id", "index")


def with_likenesses(facts: list[Fact]) -> list[Fact]:
    """Add to removals and additions of one list their most similar counterparts."""
    removed = [fact for fact in facts if fact.action is Action.REMOVED]
    added = [fact for fact in facts if fact.action is Action.ADDED]
    if not removed or not added or len(removed) * len(added) > MOST_PAIRS:
        return facts
    likenesses = _best(removed, added)
    return [_with(fact, likenesses) for fact in facts]


def _with(fact: Fact, likenesses: Mapping[int, Likeness]) -> Fact:
    like = likenesses.get(id(fact))
    return replace(fact, like=like) if like else fact


def _best(removed: Sequence[Fact], added: Sequence[Fact]) -> Mapping[int, Likeness]:
    """Assign counterparts, the most similar first, each at most once."""
    scored = sorted(
        ((column_score(old, new), old, new) for old in removed for new in added),
        key=lambda one: (-one[0], one[1].path, one[2].path),
    )
    found: dict[int, Likeness] = {}
    for score, old, new in scored:
        if score >= LEAST and id(old) not in found and id(new) not in found:
            found[id(old)] = Likeness(new.path, score)
            found[id(new)] = Likeness(old.path, score)
    return found


def column_score(old: Fact, new: Fact) -> int:
    """Score the similarity of two columns: half by content, half by name."""
    before, after = old.old, new.new
    if before["type"] != after["type"]:
        return 0
    rest = {name for name in (*before, *after) if name not in _OWN}
    same = sum(before.get(name) == after.get(name) for name in rest) / len(rest)
    score: float = 50 * same + 50 * name_score(before["name"], after["name"])
    return round(score)


def name_score(old: str, new: str) -> float:
    """Score the similarity of two names, from 0 to 1."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - few comparisons need it

    one, other = old.casefold(), new.casefold()
    if one and other and (one in other or other in one):
        return 0.8 + 0.2 * min(len(one), len(other)) / max(len(one), len(other))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def table_score(old: JsonObject, new: JsonObject) -> int:
    """Score the similarity of two snapshots: by columns, name and location."""
    before, after = _columns(old), _columns(new)
    shared = len(before & after) / len(before | after) if before | after else 0.0
    lies = _location(old) is not None and _location(old) == _location(new)
    return round(60 * shared + 20 * name_score(old["name"], new["name"]) + 20 * lies)


def _columns(document: JsonObject) -> set[tuple[str, str]]:
    return {(one["name"], one["type"]) for one in document.get("schema", {}).get("fields", ())}


def _location(document: JsonObject) -> object:
    return document.get("storage", {}).get("location")


Documents = Mapping[str, JsonObject]


def find_dataset_renames(gone: Documents, come: Documents) -> dict[str, str]:
    """Map each added dataset to the removed one that it was certainly renamed from, by keys."""
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


def _id(document: JsonObject) -> object:
    """The id of a table in its store, which is unique within its platform."""
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


def find_suspected_renames(gone: Documents, come: Documents) -> dict[str, Likeness]:
    """Find the likely counterparts of removed and added datasets, by key."""
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
