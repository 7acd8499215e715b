"""Two snapshots of one dataset, and what differs between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.diff.fact import Action, Fact
from lumos_snap.documents.indexes import once
from lumos_snap.model.fieldpath import format_path, parse_path


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two sides; a side that is not there is nothing."""

    urn: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    facts: tuple[Fact, ...]


def paths_now(facts: tuple[Fact, ...] | list[Fact], path: str) -> str:
    """The present path of a field, after what facts say was renamed or moved."""
    return _translated(once(facts, "moved", lambda: _moved(facts)), path)


def _moved(facts: tuple[Fact, ...] | list[Fact]) -> dict[str, str]:
    return {
        fact.was: fact.path
        for fact in facts
        if fact.subject == "field"
        and fact.action in (Action.RENAMED, Action.MOVED)
        and fact.at[:2] == ("schema", "fields")
    }


def _translated(moved: Mapping[str, str], path: str) -> str:
    """The path with its longest known beginning replaced."""
    if not moved:
        return path
    try:
        parts = parse_path(path)
    except ValueError:  # a law of its own names it
        return path
    for length in range(len(parts), 0, -1):
        now = moved.get(format_path(parts[:length]))
        if now is not None:
            return format_path((*parse_path(now), *parts[length:]))
    return path
