"""Field paths of two documents, compared: which touch each other, and how they were called."""

from collections.abc import Iterable
from functools import lru_cache

from lumos_snap.model.fieldpath import FieldPath, format_path, parse_path


@lru_cache(maxsize=65536)
def overlap(one: str, other: str) -> bool:
    """Whether two paths are of one column, or one is inside of the other."""
    if one == other:
        return True
    parts, others = _parts(one), _parts(other)
    least = min(len(parts), len(others))
    return bool(least) and parts[:least] == others[:least]


@lru_cache(maxsize=65536)
def _parts(path: str) -> FieldPath:
    try:
        return parse_path(path)
    except ValueError:  # a law of its own names it; it is like no other path
        return ()


def names_of(path: str, renames: Iterable[tuple[str, str]]) -> frozenset[str]:
    """What a column is called, and was before some columns were renamed, from old to new."""
    found = {path}
    parts = _parts(path)
    for old, new in renames:
        now = _parts(new)
        if now and parts[: len(now)] == now:
            found.add(format_path((*_parts(old), *parts[len(now) :])) or old)
    return frozenset(found)
