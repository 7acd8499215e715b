"""Column metadata follows renamed columns.

Descriptions, tags and terms are keyed by field path, and a catalog's pages know nothing of a
rename. So before base, tree and catalog are compared, column metadata of each is moved to the
column's path in the tree.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import DocumentPlace
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.diff.snapshots import current_path_lookup, renames_by_former_path
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Schema, Snapshot
from lumos_snap.schema import Document, Holds, Key, keys_of, value_of

At = tuple[str, str]
_LISTS: tuple[At, ...] = (("documentation", "fields"), ("governance", "fields"))
"""The lists of curated column metadata; everything else is moved by its own author."""
_COLUMNS = (("schema",), ("schema", "fields"))
_ITEM = 2
"""The number of steps to such a list."""


Now = Callable[[str], str]
"""Maps a field path to its current path in the tree."""


class FollowedSides(NamedTuple):
    """The base, the tree and the catalog, with column metadata at current paths."""

    known: Document | None
    mine: Document
    there: Document
    moved: Mapping[str, str] = {}
    """The current paths of what was moved in the catalog's document, by former paths."""
    tree: Callable[[Document], Document] = lambda document: document
    """Applies the moves of the tree's side to the complete document of the tree."""


def follow_renames(
    cls: type, known: Document | None, mine: Document, there: Document, rules: Rules
) -> FollowedSides:
    """Move the column metadata of three sides to current paths.

    The base and the catalog use the column names of their own schemas. So does the tree if its
    metadata is unchanged since the base; otherwise it uses its current column names.
    """
    sides = (known or {}, mine, there)
    lists = _lists(cls, rules) if _is_needed(cls, sides) else ()
    if not lists:
        return FollowedSides(known, mine, there)
    before, now = (_now(side, mine) for side in (known or {}, there))
    own = {
        at: before
        if _items_at(mine, at) == _items_at(known, at)
        else _present_or_moved(mine, before, now)
        for at in lists
    }
    base, _ = _move_items(known or {}, dict.fromkeys(lists, before))
    held, moved = _move_items(there, dict.fromkeys(lists, now))
    ours, _ = _move_items(mine, own)
    return FollowedSides(
        None if known is None else base, ours, held, moved, lambda one: _move_items(one, own)[0]
    )


def update_base(cls: type, known: Document, mine: Document, rules: Rules) -> Document:
    """Move the base's column metadata as far as the tree has moved its own."""
    lists = _lists(cls, rules) if _is_needed(cls, (known, mine)) else ()
    now = _now(known, mine) if lists else str
    stays = _columns_described(mine)
    return _move_items(
        known, dict.fromkeys(lists, lambda path: path if path in stays else now(path))
    )[0]


def _is_needed(cls: type, sides: Sequence[Document]) -> bool:
    """Whether a column with metadata may be renamed: usually none is."""
    mine = sides[1]
    if cls is not Snapshot or not any(map(_columns_described, sides)):
        return False
    promised = mine.get("contract", {}).get("fields", ())
    schemas = [side.get("schema", {}) for side in sides if side]
    return any("renamed_from" in one for one in promised) or any(
        one != schemas[0] for one in schemas
    )


def _lists(cls: type, rules: Rules) -> tuple[At, ...]:
    """The lists to move: none if the tree does not define the columns.

    They are moved even if their sections are not selected: the columns are written, and afterwards
    the former names would be unknown. They are not moved if git wins, because then the catalog must
    match the tree literally.
    """
    units = rules.units(cls)
    if not any(
        one.is_chosen and one.at in _COLUMNS and one.policy is SyncPolicy.GIT for one in units
    ):
        return ()
    shared = {one.at for one in units if one.policy is not SyncPolicy.GIT}
    return tuple(at for at in _LISTS if at in shared or at[:1] in shared)


def _now(side: Document, mine: Document) -> Now:
    """Map a side's paths to the tree's: by schema if certain, else by declared renames."""
    columns, certain, declared = (
        _columns(mine),
        current_path_lookup(side, mine),
        renames_by_former_path(mine),
    )

    def now(path: str) -> str:
        found = certain(path)
        if found == path and path not in columns:
            found = declared.get(path, path)
        return found if found in columns else path

    return now


def _present_or_moved(mine: Document, *others: Now) -> Now:
    columns = _columns(mine)

    def now(path: str) -> str:
        found = (one for other in others if (one := other(path)) != path)
        return path if path in columns else next(found, path)

    return now


def _columns(document: Document) -> frozenset[str]:
    fields = value_of(document.get("schema", {}), Schema).fields
    return frozenset(format_path(at) for at, _ in walk(fields))


def _items_at(document: Document | None, at: At) -> Sequence[JsonObject]:
    section, name = at
    found: Sequence[JsonObject] = (document or {}).get(section, {}).get(name, ())
    return found


def _move_items(held: Document, now: Mapping[At, Now]) -> tuple[Document, Mapping[str, str]]:
    """Move column metadata to current paths, and list the moves.

    Returns the document unchanged if the result would be contradictory.
    """
    found, moved = dict(held), dict[str, str]()
    for (section, name), present in now.items():
        items = _items_at(held, (section, name))
        paths = {one["path"]: present(one["path"]) for one in items}
        here = _place_items(items, paths, _key(section, name))
        if here is None:
            return held, {}
        changed = {old: new for old, new in paths.items() if old != new}
        if changed:
            found[section] = {**held[section], name: here}
            moved |= changed
    return (canonical_document(found, Snapshot), moved) if moved else (held, {})


def _place_items(
    items: Sequence[JsonObject], now: Mapping[str, str], key: Key
) -> list[JsonObject] | None:
    """The items at their current paths; None if two of them contradict each other."""
    here: dict[str, JsonObject] = {}
    for one in items:
        path = now[one["path"]]
        joined = _join_items(here.get(path), {**one, "path": path}, key)
        if joined is None:
            return None
        here[path] = joined
    return list(here.values())


def places(held: frozenset[DocumentPlace], moved: Mapping[str, str]) -> frozenset[DocumentPlace]:
    """The positions of items after the moves."""
    return frozenset(_place(one, moved) for one in held) if moved else held


def _place(at: DocumentPlace, moved: Mapping[str, str]) -> DocumentPlace:
    item = at[_ITEM] if at[:_ITEM] in _LISTS and len(at) > _ITEM else ()
    if not isinstance(item, tuple) or not item:
        return at
    path, *rest = item
    return (*at[:_ITEM], (moved.get(str(path), path), *rest), *at[_ITEM + 1 :])


def _columns_described(document: Document) -> frozenset[str]:
    """The columns that have metadata."""
    return frozenset(one["path"] for at in _LISTS for one in _items_at(document, at))


def _join_items(here: JsonObject | None, moved: JsonObject, key: Key) -> JsonObject | None:
    """Merge the metadata of one column from two paths; None if they contradict each other."""
    if here is None:
        return moved
    assert key.item is not None  # noqa: S101 - it is a list of objects
    found = {**moved, **here}
    for name, inner in keys_of(key.item).items():
        if name in here and name in moved and here[name] != moved[name]:
            if inner.holds is not Holds.SCALARS:
                return None
            found[name] = list(dict.fromkeys((*here[name], *moved[name])))
    return found


def _key(section: str, name: str) -> Key:
    found = keys_of(Snapshot)[section].item
    assert found is not None  # noqa: S101 - a section has a class
    return keys_of(found)[name]
