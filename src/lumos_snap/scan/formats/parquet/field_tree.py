"""What a writer says beside a schema, reduced to a tree that holds only what adds to it.

`about` is a description, `type` the writer's own name of a type, `in` what stands inside, by name
(`element`, `key` and `value` of lists and maps). What says nothing is left out, so that equal
schemas have equal trees.
"""

from collections.abc import Mapping, Sequence
from typing import Any

MOST_NODES = 100_000
MOST_LEVELS = 64
MOST_TEXT = 4096
"""Longer descriptions are cut."""

Tree = dict[str, Any]


class UnreadableError(Exception):
    """The words of a writer are not what they are called."""


class Budget:
    """How much may still be looked at: named types let a short text stand for a huge tree."""

    def __init__(self) -> None:
        self.left = MOST_NODES

    def spend(self, level: int) -> None:
        """One node more."""
        self.left -= 1
        if self.left < 0 or level > MOST_LEVELS:
            raise UnreadableError


def node(about: object, named: str = "", inside: Mapping[str, Tree] | None = None) -> Tree:
    """A node of a tree, without what it does not say."""
    found: Tree = {}
    if isinstance(about, str) and about:
        found["about"] = text(about)
    if named:
        found["type"] = text(named)
    kept = {name: one for name, one in (inside or {}).items() if one}
    if kept:
        found["in"] = kept
    return found


def text(given: str) -> str:
    """A text that is not too long, and can be written: JSON may hold half a character."""
    return given[:MOST_TEXT].encode("utf-8", "backslashreplace").decode()


def members(listed: Sequence[tuple[str, Tree]]) -> dict[str, Tree]:
    """By name; a name that is there twice says nothing, as nobody knows of which."""
    found: dict[str, Tree] = {}
    for name, one in listed:
        found[name] = {} if name in found else one
    return found


def an_object(given: object) -> Mapping[str, Any]:
    """A JSON object, or nothing of this writer is taken."""
    if not isinstance(given, dict):
        raise UnreadableError
    return given


def objects(given: object) -> list[Mapping[str, Any]]:
    """A list of JSON objects, or nothing of this writer is taken."""
    if not isinstance(given, list):
        raise UnreadableError
    return [an_object(one) for one in given]
