"""Matching the columns of several schemas, and the order in which their union lists them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from lumos_snap.model.types import Field

Key: TypeAlias = tuple[str, str | int, int]
"""What tells one column from another: its id, or its name and which one of that name it is."""

Told = tuple[int, Field]
"""A column, and which of the schemas has it."""


def matched(listings: Sequence[tuple[int, Sequence[Field]]]) -> Mapping[Key, Sequence[Told]]:
    """The columns of several schemas, those of one key together, in the order of the union.

    The widest schema gives the order: it is usually the newest. What it lacks is put in behind
    the column that it follows where it stands.
    """
    by_id = all(field.id is not None for _, fields in listings for field in fields)
    found: dict[Key, list[Told]] = {}
    behind: dict[Key | None, Key | None] = {None: None}  # which column follows which
    for which, fields in listings:
        before: Key | None = None
        for key, field in _keyed(fields, by_id=by_id):
            if key not in found:
                behind[before], behind[key] = key, behind[before]
            found.setdefault(key, []).append((which, field))
            before = key
    return {key: found[key] for key in _followed(behind)}


def _followed(behind: Mapping[Key | None, Key | None]) -> Iterator[Key]:
    key = behind[None]
    while key is not None:
        yield key
        key = behind[key]


def _keyed(fields: Sequence[Field], *, by_id: bool) -> Iterator[tuple[Key, Field]]:
    seen: Counter[str | int] = Counter()
    for field in fields:
        name = field.id if by_id and field.id is not None else field.name
        seen[name] += 1
        yield ("id" if by_id else "name", name, seen[name]), field
